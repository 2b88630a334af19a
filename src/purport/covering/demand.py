"""A subscription made ready to be compared with others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from purport.covering.class_conditions import KnownClasses
from purport.covering.judging import Judging
from purport.covering.plain import Plain
from purport.matching.asked import MatchedPredicate, asked_values
from purport.matching.plan import Defaults
from purport.model.comparison import Operator
from purport.model.language.write import write_pattern
from purport.model.subscription import (
    AskedValue,
    Comparison,
    Conjunction,
    Options,
    Reference,
    Rule,
    Subscription,
)
from purport.model.term import Text
from purport.temporal.asked import is_in_time

_ANYTHING = AskedValue(Text(""))  # everything that says something is different from it


@dataclass(frozen=True, slots=True)
class Demand:
    """What a subscription asks for: by itself (`plain`), or else known by its text alone."""

    text: str
    options: Options
    judging: Judging
    is_in_time: bool
    plain: Plain | None

    @classmethod
    def of(cls, subscription: Subscription, classes: KnownClasses, defaults: Defaults) -> Demand:
        """What a subscription asks for; what a rule does on a match does not matter."""
        judging = Judging.of(subscription.options, defaults)
        pattern = subscription.pattern
        return cls(
            write_pattern(pattern),
            subscription.options,
            judging,
            is_in_time(pattern),
            _plain(subscription, judging, classes),
        )

    def covers(self, other: Demand) -> bool:
        """Whether whoever is told of this is told of all that the other one asks for."""
        return self._tells_all_along(other) and (
            self._asks_for_the_same(other) or self._asks_less(other)
        )

    def _tells_all_along(self, other: Demand) -> bool:
        """Whether no match of this is left out, as long as the other one is there."""
        mine, its = self.options.expires, other.options.expires
        is_thinned_out = self.options.on_change or self.options.at_most_once_per is not None
        return not is_thinned_out and (mine is None or (its is not None and its <= mine))

    def _asks_for_the_same(self, other: Demand) -> bool:
        return self.text == other.text and self.judging.is_as_lenient_as(other.judging)

    def _asks_less(self, other: Demand) -> bool:
        if self.plain is None or other.plain is None:
            return False
        return self.plain.follows(other.plain)


def _plain(subscription: Subscription, judging: Judging, classes: KnownClasses) -> Plain | None:
    """What is asked of one event; None where it is asked of several, or of one around it."""
    pattern = subscription.pattern
    if not isinstance(pattern, Conjunction) or is_in_time(pattern):
        return None
    predicates = list(_bound(subscription, pattern))
    if any(isinstance(one.term, Reference) for each in predicates for one in asked_values(each)):
        return None
    return Plain.of(predicates, judging, classes)


def _bound(subscription: Subscription, pattern: Conjunction) -> Iterator[MatchedPredicate]:
    """The predicates of a subscription; `room = $room` in a rule asks for any room."""
    for one in pattern.predicates:
        match one:
            case Comparison(attribute, Operator.EQUAL, AskedValue(Reference())) if isinstance(
                subscription, Rule
            ):
                yield Comparison(attribute, Operator.NOT_EQUAL, _ANYTHING)
            case _:
                yield cast(MatchedPredicate, one)
