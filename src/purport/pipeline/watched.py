"""Subscriptions that change while a stream runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from purport.errors import PurportError
from purport.matching.given import runnable_subscriptions
from purport.matching.supported import unsupported_forms, unsupported_options
from purport.model.subscription import Subscription
from purport.pipeline.journal.given_registry import watched_at
from purport.temporal.asked import is_in_time


class Subscribed(Protocol):
    """What is subscribed to, now."""

    def current(self, tell: Callable[[str], None]) -> Sequence[Subscription]:
        """The subscriptions as they are; `tell` is told why a change was not taken up."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Subscriptions that do not change."""

    subscriptions: Sequence[Subscription]

    def current(self, tell: Callable[[str], None]) -> Sequence[Subscription]:
        """These."""
        return self.subscriptions


class Watched:
    """Subscriptions in files, at a broker, or given as texts; they are read again when they change.

    What is wrong with them at the beginning is raised. Later the last good ones are kept.
    `stretches` is where a broker whose journal is in a database has them.
    """

    def __init__(self, given: Sequence[str], stretches: Path | None = None) -> None:
        self._given = [watched_at(text, stretches) for text in given]
        self._seen = self._look()
        self._good = runnable_subscriptions(self._given, _refused_forms)

    def current(self, tell: Callable[[str], None]) -> Sequence[Subscription]:
        """The subscriptions, or the last good ones."""
        seen = self._look()
        if seen != self._seen:
            self._seen = seen
            try:
                self._good = runnable_subscriptions(self._given, _refused_forms)
            except PurportError as error:
                tell(f"the subscriptions stay as they were: {error}")
        return self._good

    def _look(self) -> list[Hashable]:
        return [place.look() for place in self._given]


def _refused_forms(subscription: Subscription) -> Iterable[str]:
    """What no stream runs; what is in time is checked when it is taken up."""
    is_timed = is_in_time(subscription.pattern)
    return unsupported_options(subscription) if is_timed else unsupported_forms(subscription)
