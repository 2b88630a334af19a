"""Which subscriptions the matcher can run in this version."""

from __future__ import annotations

from collections.abc import Iterator

from purport.errors import NotSupportedYet
from purport.model.language.write import write
from purport.model.subscription import (
    Absence,
    After,
    AllenRelated,
    Alternation,
    AskedAttribute,
    AskedValue,
    ClassOrder,
    Comparison,
    Conjunction,
    ContainsAll,
    During,
    Exactness,
    HasProperty,
    HistoryFilter,
    InRange,
    IsA,
    Multiplicity,
    OneOfValues,
    Pattern,
    Predicate,
    Reference,
    Repetition,
    Rule,
    Sequence,
    Simultaneous,
    Subscription,
    WindowAggregate,
    Within,
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
    if options.top is not None and options.top > 1:
        yield "top more than 1"
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
            yield from filter(None, map(_unsupported_form, predicates))
        case Alternation():
            yield "an alternation (or)"
        case Sequence():
            yield "a sequence (then)"
        case Repetition():
            yield "a repetition (times)"
        case Absence():
            yield "an absence (not)"


def _unsupported_form(predicate: Predicate) -> str | None:
    match predicate:
        case Comparison(attribute, _, value):
            return _unsupported_side(attribute, value)
        case OneOfValues(attribute, values):
            return _unsupported_side(attribute, *values)
        case InRange(attribute, low, high):
            return _unsupported_side(attribute, low, high)
        case IsA():
            return "class membership (isa)"
        case ClassOrder():
            return "an order of classes (more specific than, ...)"
        case HasProperty():
            return "a property of an individual (has)"
        case ContainsAll() | Within():
            return "a bag comparison (contains all, within)"
        case After() | During() | Simultaneous() | HistoryFilter():
            return "a temporal operator (after, during, with, filter)"
        case AllenRelated():
            return "one of Allen's relations (interval ...)"
        case WindowAggregate():
            return "an aggregate over a window (over ...)"


def _unsupported_side(attribute: AskedAttribute, *values: AskedValue) -> str | None:
    approximations = [attribute.approximation, *(value.approximation for value in values)]
    if any(approximations):
        return "approximate matching (~)"
    if any(isinstance(value.term, Reference) for value in values):
        return "a reference to an event's value ($)"
    return None
