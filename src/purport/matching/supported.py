"""Which subscriptions the matcher can run in this version."""

from __future__ import annotations

from collections.abc import Iterator

from purport.errors import NotSupportedYet
from purport.model.comparison import Operator
from purport.model.language.write import write
from purport.model.subscription import (
    Absence,
    After,
    AllenRelated,
    Alternation,
    AskedValue,
    ClassOrder,
    Comparison,
    Conjunction,
    ContainsAll,
    During,
    HasProperty,
    HistoryFilter,
    InRange,
    IsA,
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
    yield from unsupported_options(subscription)


def unsupported_options(subscription: Subscription) -> Iterator[str]:
    """The same of what stands around the pattern."""
    if isinstance(subscription, Rule):
        yield "a rule (when)"
    options = subscription.options
    if options.expires is not None:
        yield "expires"
    if options.at_most_once_per is not None:
        yield "at most once per"
    if options.on_change:
        yield "on change"


def label(subscription: Subscription) -> str:
    """What a person calls a subscription: its name, or its text when it has none."""
    return subscription.name or write(subscription)


def place_of(subscription: Subscription) -> str:
    """What a person calls a subscription, and where it was written."""
    origin = subscription.origin
    if origin is None:
        return label(subscription)
    where = f"line {origin.line}" if origin.file is None else f"{origin.file}, line {origin.line}"
    return f"{where}: {label(subscription)}"


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
        case Comparison(_, operator, value):
            is_equality = operator in (Operator.EQUAL, Operator.NOT_EQUAL)
            return _unsupported_value(value, is_equality=is_equality)
        case OneOfValues(_, values) | ContainsAll(_, values) | Within(_, values):
            forms = (_unsupported_value(value, is_equality=True) for value in values)
            return next(filter(None, forms), None)
        case InRange(_, low, high):
            forms = (_unsupported_value(value, is_equality=False) for value in (low, high))
            return next(filter(None, forms), None)
        case IsA() | ClassOrder():
            return None
        case HasProperty(_, _, operator, value):
            is_equality = operator in (Operator.EQUAL, Operator.NOT_EQUAL)
            return _unsupported_value(value, is_equality=is_equality)
        case After() | During() | Simultaneous() | HistoryFilter():
            return "a temporal operator (after, during, with, filter)"
        case AllenRelated():
            return "one of Allen's relations (interval ...)"
        case WindowAggregate():
            return "an aggregate over a window (over ...)"


def _unsupported_value(value: AskedValue, *, is_equality: bool) -> str | None:
    if isinstance(value.term, Reference):
        return "a reference to an event's value ($)"
    if value.approximation is not None and not is_equality:
        return "a bound that is approximate (~)"
    return None
