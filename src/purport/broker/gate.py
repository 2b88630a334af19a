"""Which matches of a subscription are told: `at most once per T`, `on change`, `expires`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from purport.model.comparison import Operator
from purport.model.subscription import (
    AskedAttribute,
    AskedValue,
    Comparison,
    Conjunction,
    InRange,
    OneOfValues,
    Options,
    Predicate,
    Reference,
    Rule,
    Subscription,
)
from purport.model.term import Text
from purport.temporal.asked import is_in_time

_OPPOSITES = {
    Operator.EQUAL: Operator.NOT_EQUAL,
    Operator.NOT_EQUAL: Operator.EQUAL,
    Operator.LESS: Operator.AT_LEAST,
    Operator.AT_LEAST: Operator.LESS,
    Operator.GREATER: Operator.AT_MOST,
    Operator.AT_MOST: Operator.GREATER,
}
_ANYTHING = AskedValue(Text(""))  # everything that says something is different from it
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Gate:
    """What was told last, and whether the next match will be. Times are microseconds since 1970."""

    told_at: int | None = None
    is_armed: bool = True

    def opens(self, options: Options, at: int) -> bool:
        """Whether a match at this time is told."""
        if options.on_change and not self.is_armed:
            return False
        per = options.at_most_once_per
        return per is None or self.told_at is None or at - self.told_at >= per // _MICROSECOND

    def told(self, at: int) -> Gate:
        """After a match was told."""
        return Gate(at, is_armed=False)

    def rearmed(self) -> Gate:
        """After the opposite of what is subscribed to was seen."""
        return self if self.is_armed else replace(self, is_armed=True)


def is_gated(options: Options) -> bool:
    """Whether it matters what was told before."""
    return options.on_change or options.at_most_once_per is not None


def asked_of(subscription: Subscription) -> Subscription:
    """What an engine has to answer: without name, action, and all that is for the gate.

    In a rule, `room = $room` asks for any room, and gives it a name; patterns in time do so anyway.
    """
    pattern = subscription.pattern
    if (
        isinstance(subscription, Rule)
        and isinstance(pattern, Conjunction)
        and not is_in_time(pattern)
    ):
        pattern = Conjunction(tuple(map(_anything, pattern.predicates)))
    options = subscription.options
    if is_gated(options) or options.expires is not None:
        options = replace(options, expires=None, at_most_once_per=None, on_change=False)
    return Subscription(pattern, options)


def contraries(subscription: Subscription) -> Iterator[Subscription]:
    """What re-arms a subscription `on change`: of the same thing, the opposite of the condition.

    The condition is what compares by order, by `!=` or with a range; if nothing does, the last
    predicate that asks for something (`room = $room` does not). The others say whose it is.
    """
    asked = asked_of(subscription)
    if not asked.predicates:
        return
    is_condition = [_is_ordered(one) for one in asked.predicates]
    if not any(is_condition):
        asking = [place for place, one in enumerate(asked.predicates) if not _is_binding(one)]
        is_condition = [place in asking[-1:] for place in range(len(is_condition))]
    whose = [one for one, is_one in zip(asked.predicates, is_condition, strict=True) if not is_one]
    for predicate, is_one in zip(asked.predicates, is_condition, strict=True):
        for opposite in _opposites(predicate) if is_one else ():
            yield Subscription(Conjunction((*whose, *opposite)), asked.options)


def _anything(predicate: Predicate) -> Predicate:
    match predicate:
        case Comparison(attribute, Operator.EQUAL, AskedValue(Reference())):
            return Comparison(attribute, Operator.NOT_EQUAL, _ANYTHING)
    return predicate


def _is_binding(predicate: Predicate) -> bool:
    return isinstance(predicate, Comparison) and predicate.value is _ANYTHING


def _is_ordered(predicate: Predicate) -> bool:
    match predicate:
        case Comparison(_, operator):
            return operator is not Operator.EQUAL and not _is_binding(predicate)
        case InRange():
            return True
    return False


def _opposites(predicate: Predicate) -> Iterator[tuple[Predicate, ...]]:
    """Conjunctions, one of which holds when the predicate does not, although it is spoken of."""
    match predicate:
        case Comparison(attribute, operator, value):
            yield (Comparison(attribute, _OPPOSITES[operator], value),)
        case InRange(attribute, low, high):
            yield (Comparison(attribute, Operator.LESS, low),)
            yield (Comparison(attribute, Operator.GREATER, high),)
        case OneOfValues(attribute, values):
            yield tuple(_different(attribute, value) for value in values)


def _different(attribute: AskedAttribute, value: AskedValue) -> Predicate:
    return Comparison(attribute, Operator.NOT_EQUAL, value)
