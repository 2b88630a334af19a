"""Subscriptions as a user gives them on a command line: files, or texts in braces."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from purport.errors import InvalidInput, NotSupportedYet
from purport.matching.supported import unsupported_forms
from purport.model.language.label import label
from purport.model.language.parse import parse_all, parse_file
from purport.model.language.pieces import starts_subscription
from purport.model.subscription import Subscription
from purport.model.text_file import file_state


class Given(Protocol):
    """Where subscriptions are given; as a text it is what the user wrote."""

    @property
    def may_be_empty(self) -> bool:
        """Whether it is no mistake if there is none."""

    def look(self) -> Hashable:
        """What changes when the subscriptions do, found out at little cost."""

    def subscriptions(self) -> Sequence[Subscription]:
        """Those that are there now."""


def given_subscriptions(given: Sequence[str]) -> list[Subscription]:
    """All different subscriptions that were given; what cannot be run yet is told at once."""
    return runnable_subscriptions([given_at(text) for text in given])


def given_at(text: str) -> Given:
    """The subscriptions of a text in braces, or of the file that it names."""
    return GivenText(text) if starts_subscription(text) else GivenFile(text)


def runnable_subscriptions(
    given: Sequence[Given],
    refused_forms: Callable[[Subscription], Iterable[str]] = unsupported_forms,
) -> list[Subscription]:
    """All different subscriptions of some places; `InvalidInput` if one cannot be run yet."""
    found = [subscription for place in given for subscription in place.subscriptions()]
    if not found and not any(place.may_be_empty for place in given):
        raise InvalidInput(f"{', '.join(map(str, given))}: no subscription in there")
    refused = [
        f"{_place(subscription)}{NotSupportedYet(form, label(subscription))}"
        for subscription in found
        for form in refused_forms(subscription)
    ]
    if refused:
        raise InvalidInput("\n".join(refused))
    return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class GivenText:
    """Subscriptions as a text."""

    may_be_empty: ClassVar = False

    text: str

    def __str__(self) -> str:
        return self.text

    def look(self) -> Hashable:
        """It does not change."""
        return None

    def subscriptions(self) -> Sequence[Subscription]:
        """Those in the text."""
        return parse_all(self.text, file="--subscriptions")


@dataclass(frozen=True, slots=True)
class GivenFile:
    """Subscriptions in a file."""

    may_be_empty: ClassVar = False

    path: str

    def __str__(self) -> str:
        return self.path

    def look(self) -> Hashable:
        """When it was changed; None if it is gone."""
        return file_state(self.path)

    def subscriptions(self) -> Sequence[Subscription]:
        """Those in the file."""
        if not self.path.strip() or ("=" in self.path and not Path(self.path).exists()):
            raise InvalidInput(
                f"no such file: {self.path!r}; a subscription stands in braces: {{...}}"
            )
        return parse_file(self.path)


def _place(subscription: Subscription) -> str:
    origin = subscription.origin
    return f"{origin.file}, line {origin.line}: " if origin and origin.file else ""
