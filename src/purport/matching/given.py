"""Subscriptions as a user gives them on a command line: files, or texts in braces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from purport.errors import InvalidInput, NotSupportedYet
from purport.matching.supported import label, unsupported_forms
from purport.model.language.parse import parse_all, parse_file
from purport.model.language.pieces import starts_subscription
from purport.model.subscription import Subscription


def given_subscriptions(given: Sequence[str]) -> list[Subscription]:
    """All different subscriptions that were given; what cannot be run yet is told at once."""
    found: list[Subscription] = []
    for text in given:
        if starts_subscription(text):
            found += parse_all(text, file="--subscriptions")
        elif not text.strip() or ("=" in text and not Path(text).exists()):
            raise InvalidInput(f"no such file: {text!r}; a subscription stands in braces: {{...}}")
        else:
            found += parse_file(text)
    if not found:
        raise InvalidInput(f"{', '.join(given)}: no subscription in there")
    refused = [
        f"{_place(subscription)}{NotSupportedYet(form, label(subscription))}"
        for subscription in found
        for form in unsupported_forms(subscription)
    ]
    if refused:
        raise InvalidInput("\n".join(refused))
    return list(dict.fromkeys(found))


def given_files(given: Sequence[str]) -> list[Path]:
    """The files among what was given."""
    return [Path(text) for text in given if not starts_subscription(text)]


def _place(subscription: Subscription) -> str:
    origin = subscription.origin
    return f"{origin.file}, line {origin.line}: " if origin and origin.file else ""
