"""A subscription made ready to be compared with others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from purport.covering.conditions import Condition
from purport.covering.judging import Judging
from purport.covering.known_classes import KnownClasses
from purport.covering.patterns import Form, all_braces, form_of, is_told_of_all, told_braces
from purport.covering.plain import Plain
from purport.errors import NotSupportedYet
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
    """What a subscription asks for: of publications, or of what happens in time.

    `asked` is None where no engine runs it, or nothing can answer some braces of it; then it is
    known by its text alone. (That nothing answers something may go unnoticed: covering would be no
    order if some of it were covered by everything, and some not.)
    """

    text: str
    options: Options
    judging: Judging
    asked: Plain | Form | None

    @classmethod
    def of(
        cls, subscription: Subscription, classes: KnownClasses | None, defaults: Defaults
    ) -> Demand:
        """What a subscription asks for; what a rule does on a match does not matter."""
        judging = Judging.of(subscription.options, defaults)
        pattern = subscription.pattern
        asked: Plain | Form | None
        if isinstance(pattern, Conjunction) and not is_in_time(pattern):
            asked = _plain(pattern, judging, classes, is_rule=isinstance(subscription, Rule))
        else:
            try:
                asked = form_of(pattern, judging, classes)
            except NotSupportedYet:
                asked = None
        if asked is not None and not all(one.facts.is_possible for one in _all_plain(asked)):
            asked = None
        return cls(write_pattern(pattern), subscription.options, judging, asked)

    def covers(self, other: Demand) -> bool:
        """Whether this is told of all that the other one is told of, as long as that is there."""
        return self._tells_all(other) and (self._asks_for_the_same(other) or self._asks_less(other))

    def _tells_all(self, other: Demand) -> bool:
        """Whether it tells of every match, and no shorter than the other one does."""
        mine, its = self.options.expires, other.options.expires
        is_thinned_out = self.options.on_change or self.options.at_most_once_per is not None
        return not is_thinned_out and (mine is None or (its is not None and its <= mine))

    def _asks_for_the_same(self, other: Demand) -> bool:
        return self.text == other.text and self.judging.is_as_lenient_as(other.judging)

    def _asks_less(self, other: Demand) -> bool:
        """Whether what it asks follows from what the other one asks.

        What is told of publications is not asked again of what is known in time: that leaves out
        what comes too late.
        """
        mine, its = self.asked, other.asked
        if mine is None or its is None:
            return False
        if isinstance(mine, Plain):
            return mine.follows(its) if isinstance(its, Plain) else _follows_in_parts(mine, its)
        return not isinstance(its, Plain) and is_told_of_all(mine, its)


def _follows_in_parts(plain: Plain, form: Form) -> bool:
    """Whether some publication about each event that a pattern is told of answers by itself.

    An event may be told in two parts, its START and its END, each of which says some of it. So all
    predicates must follow from one statement.
    """
    return all(_follows_from_one_statement(plain, one.plain) for one in told_braces(form))


def _follows_from_one_statement(plain: Plain, other: Plain) -> bool:
    if plain.judging.is_one_to_one and len(plain.rows) > 1:
        return False
    wanted = [one for row in plain.rows for one in row.conditions]
    if not all(row.is_known and row.bag is None for row in plain.rows):
        return False
    facts = (one for some in other.facts.said.values() for one in some)
    return any(
        all(isinstance(one, Condition) and fact.implies(one) for one in wanted)
        for fact in facts
        if isinstance(fact, Condition)
    )


def _all_plain(asked: Plain | Form) -> Iterator[Plain]:
    if isinstance(asked, Plain):
        yield asked
    else:
        yield from (braces.plain for braces in all_braces(asked))


def _plain(
    conjunction: Conjunction, judging: Judging, classes: KnownClasses | None, *, is_rule: bool
) -> Plain | None:
    """What is asked of one event; None if it is compared with another one, which there is not."""
    predicates = [cast(MatchedPredicate, one) for one in conjunction.predicates]
    if is_rule:
        predicates = list(map(_bound, predicates))
    if any(isinstance(one.term, Reference) for each in predicates for one in asked_values(each)):
        return None
    return Plain.of(predicates, judging, classes)


def _bound(predicate: MatchedPredicate) -> MatchedPredicate:
    """What `room = $room` asks for in a rule: any room."""
    match predicate:
        case Comparison(attribute, Operator.EQUAL, AskedValue(Reference())):
            return Comparison(attribute, Operator.NOT_EQUAL, _ANYTHING)
    return predicate
