"""What the predicates of a subscription ask for."""

from __future__ import annotations

from purport.model.subscription import (
    AskedValue,
    ClassOrder,
    Comparison,
    ContainsAll,
    HasProperty,
    InRange,
    IsA,
    OneOfValues,
    Reference,
    Subscription,
    Within,
)
from purport.model.term import Term

ValuePredicate = Comparison | OneOfValues | InRange
ClassPredicate = IsA | ClassOrder | HasProperty
BagPredicate = ContainsAll | Within
RowPredicate = ValuePredicate | ClassPredicate  # of which one statement alone is an answer
MatchedPredicate = RowPredicate | BagPredicate


def matched_predicates(subscription: Subscription) -> tuple[MatchedPredicate, ...]:
    """The predicates of a subscription that one event alone answers or not."""
    return tuple(one for one in subscription.predicates if isinstance(one, MatchedPredicate))


def asked_values(predicate: MatchedPredicate) -> tuple[AskedValue, ...]:
    """The values that a predicate names; classes are none."""
    match predicate:
        case Comparison(_, _, value) | HasProperty(_, _, _, value):
            return (value,)
        case OneOfValues(_, values) | ContainsAll(_, values) | Within(_, values):
            return values
        case InRange(_, low, high):
            return low, high
        case IsA() | ClassOrder():
            return ()


def is_near_value(predicate: MatchedPredicate) -> bool:
    """Whether a value that a predicate names is approximate."""
    return any(asked.approximation for asked in asked_values(predicate))


def plain_term(asked: AskedValue) -> Term:
    """The term asked for; a reference has to be bound to an event's value before."""
    if isinstance(asked.term, Reference):
        raise TypeError(f"${asked.term.attribute} has no value yet: bind references first")
    return asked.term
