"""Which subscriptions the matcher can run in this version."""

from __future__ import annotations

from collections.abc import Iterator

from purport.errors import NotSupportedYet
from purport.matching.first_line import unsupported_form
from purport.model.language.write import write
from purport.model.subscription import (
    Absence,
    Alternation,
    Conjunction,
    Exactness,
    Multiplicity,
    Pattern,
    Repetition,
    Rule,
    Sequence,
    Subscription,
)


def require_supported(subscription: Subscription) -> None:
    """Raise `NotSupportedYet` with the first form that no matcher can run yet."""
    for form in unsupported_forms(subscription):
        raise NotSupportedYet(form, label(subscription))


def unsupported_forms(subscription: Subscription) -> Iterator[str]:
    """The forms in a subscription that no matcher can run yet, in words."""
    yield from _in_pattern(subscription.pattern)
    if isinstance(subscription, Rule):
        yield "a rule (when)"
    options = subscription.options
    if options.mapping is Multiplicity.ONE_TO_ONE:
        yield "mapping 1:1"
    if options.exact is Exactness.SCORED:
        yield "exact scored"
    if options.expires is not None:
        yield "expires"
    if options.at_most_once_per is not None:
        yield "at most once per"
    if options.on_change:
        yield "on change"


def label(subscription: Subscription) -> str:
    """What a person calls a subscription: its name, or its text when it has none."""
    return subscription.name or write(subscription)


def _in_pattern(pattern: Pattern) -> Iterator[str]:
    match pattern:
        case Conjunction(predicates):
            yield from filter(None, map(unsupported_form, predicates))
        case Alternation():
            yield "an alternation (or)"
        case Sequence():
            yield "a sequence (then)"
        case Repetition():
            yield "a repetition (times)"
        case Absence():
            yield "an absence (not)"
