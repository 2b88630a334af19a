"""Which subscriptions the matcher can run."""

from __future__ import annotations

from collections.abc import Iterator

from purport.errors import NotSupportedYet
from purport.model.comparison import Operator
from purport.model.language.label import label
from purport.model.subscription import (
    Absence,
    After,
    AllenRelated,
    Alternation,
    AskedValue,
    ClassOrder,
    Coincidence,
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

# Who runs what a matcher, which sees one event at a time, cannot.
_BROKER = ", which takes a broker"
_IN_TIME = ", which takes a broker or `purport stream`"


def require_supported(subscription: Subscription) -> None:
    """Raise `NotSupportedYet` with the first form that no matcher can run."""
    for form in unsupported_forms(subscription):
        raise NotSupportedYet(form, label(subscription))


def unsupported_forms(subscription: Subscription) -> Iterator[str]:
    """The forms in a subscription that no matcher can run, in words."""
    yield from _in_pattern(subscription.pattern)
    yield from unsupported_options(subscription)


def unsupported_options(subscription: Subscription) -> Iterator[str]:
    """The same of what stands around the pattern."""
    if isinstance(subscription, Rule):
        yield f"a rule (when){_BROKER}"
    options = subscription.options
    if options.expires is not None:
        yield f"expires{_BROKER}"
    if options.at_most_once_per is not None:
        yield f"at most once per{_BROKER}"
    if options.on_change:
        yield f"on change{_BROKER}"


def _in_pattern(pattern: Pattern) -> Iterator[str]:
    match pattern:
        case Conjunction(predicates):
            yield from filter(None, map(_unsupported_form, predicates))
        case Alternation():
            yield f"an alternation (or){_IN_TIME}"
        case Sequence():
            yield f"a sequence (then){_IN_TIME}"
        case Coincidence():
            yield f"a coincidence (and){_IN_TIME}"
        case Repetition():
            yield f"a repetition (times){_IN_TIME}"
        case Absence():
            yield f"an absence (not){_IN_TIME}"


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
            return f"a temporal operator (after, during, with, filter){_IN_TIME}"
        case AllenRelated():
            return f"one of Allen's relations (interval ...){_IN_TIME}"
        case WindowAggregate():
            return f"an aggregate over a window (over ...){_IN_TIME}"


def _unsupported_value(value: AskedValue, *, is_equality: bool) -> str | None:
    if isinstance(value.term, Reference):
        return "a reference to an event's value ($)"
    if value.approximation is not None and not is_equality:
        return "a bound that is approximate (~)"
    return None
