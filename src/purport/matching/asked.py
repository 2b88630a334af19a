"""What predicates ask of values."""

from __future__ import annotations

from purport.model.subscription import (
    AskedValue,
    Comparison,
    InRange,
    OneOfValues,
    Reference,
    Subscription,
)
from purport.model.term import Term

ValuePredicate = Comparison | OneOfValues | InRange


def value_predicates(subscription: Subscription) -> tuple[ValuePredicate, ...]:
    """The predicates of a subscription that compare values; so far no others are matched."""
    return tuple(one for one in subscription.predicates if isinstance(one, ValuePredicate))


def asked_values(predicate: ValuePredicate) -> tuple[AskedValue, ...]:
    """The values that a predicate names."""
    match predicate:
        case Comparison(_, _, value):
            return (value,)
        case OneOfValues(_, values):
            return values
        case InRange(_, low, high):
            return low, high


def plain_term(asked: AskedValue) -> Term:
    """The term asked for; a reference has to be bound to an event's value before."""
    if isinstance(asked.term, Reference):
        raise TypeError(f"${asked.term.attribute} has no value yet: bind references first")
    return asked.term
