"""Temporal subscriptions by scanning all that happened: slow, and plainly what they mean.

Every question is answered by looking at every event; only what the matcher says of one event alone
is remembered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import combinations, product, repeat
from typing import Protocol

from msgspec import structs

from purport.matching.aggregation import ROUNDING
from purport.matching.asked import MatchedPredicate, asked_values
from purport.model import subscription as ast
from purport.model.comparison import Operator, holds
from purport.model.event import Event, Statement
from purport.model.match import Mapping
from purport.model.term import Term, Text
from purport.temporal.occurrence import Occurrence
from tests.oracles.temporal_parts import (
    Instance,
    Way,
    aggregate_of,
    agreed_bindings,
    as_coincidence,
    as_repetition,
    as_sequence,
    asked_terms,
    attribute_of,
    bindings_of,
    counted_values,
    is_before,
    is_binding,
    is_plain,
    is_related,
    known_time,
    microseconds,
    moment_of,
    order,
    order_of_events,
    plain_predicates,
    read_attribute,
    statements_about,
    time_at,
    values_of,
)

DEFAULT_THRESHOLD = 0.5
_NEVER_TOLD = ast.AskedValue(Text("\0"))  # what no value equals, so that every value differs


class PlainMatcher(Protocol):
    """Whatever judges an event alone: `Matcher`, or one that remembers."""

    def mappings(self, event: Event, subscription: ast.Subscription, k: int) -> list[Mapping]:
        """The k best mappings of a subscription to an event, best first."""


@dataclass(frozen=True, slots=True)
class Remembering:
    """A matcher that is asked the same only once."""

    matcher: PlainMatcher
    known: dict[tuple[object, ...], list[Mapping]] = field(default_factory=dict)

    def mappings(self, event: Event, subscription: ast.Subscription, k: int) -> list[Mapping]:
        key = event.statements, subscription, k
        if key not in self.known:
            self.known[key] = self.matcher.mappings(event, subscription, k)
        return self.known[key]


def answers(
    subscription: ast.Subscription,
    occurrences: Iterable[Occurrence],
    *,
    matcher: PlainMatcher,
    watermark: float = math.inf,
) -> dict[str, float]:
    """The ids of the events that answer a subscription, each with its probability.

    What depends on all of the past counts only where the watermark has passed it.
    """
    scan = Scan.over(subscription, occurrences, matcher, watermark)
    found: dict[str, float] = {}
    for one in scan.instances(subscription.pattern):
        if scan.reaches(one.probability):
            found[one.about.id] = max(one.probability, found.get(one.about.id, 0.0))
    return found


@dataclass(frozen=True, slots=True)
class Scan:
    """What is known of events at one time, under the options of one subscription."""

    occurrences: tuple[Occurrence, ...]
    options: ast.Options
    matcher: PlainMatcher
    watermark: float = math.inf

    @classmethod
    def over(
        cls,
        subscription: ast.Subscription,
        occurrences: Iterable[Occurrence],
        matcher: PlainMatcher,
        watermark: float = math.inf,
    ) -> Scan:
        in_time = tuple(one for one in occurrences if not one.is_late)
        return cls(in_time, subscription.options, matcher, watermark)

    def reaches(self, probability: float) -> bool:
        """Whether a probability is enough, as the matcher sees it; 0 never is."""
        threshold = self.options.threshold
        least = DEFAULT_THRESHOLD if threshold is None else threshold
        return probability > 0 and least - ROUNDING <= probability

    def as_of(self, time: int) -> Scan:
        """What was known at a time: what ended later was not, or still went on."""
        known = []
        for one in self.occurrences:
            if one.end is not None and one.end <= time:
                known.append(one)
            elif one.is_in_parts and one.start <= time:
                known.append(structs.replace(one, end=None))
        return replace(self, occurrences=tuple(known), watermark=min(self.watermark, time + 1))

    # ---- patterns ----

    def instances(self, pattern: ast.Pattern) -> list[Instance]:
        """Every way in which a pattern came true."""
        match pattern:
            case ast.Conjunction():
                return [
                    Instance(event, event.start, event.end, way.probability, bindings, True)
                    for event in self.occurrences
                    for way in self.ways(pattern, event, None)
                    for bindings in bindings_of(pattern, event, way)
                ]
            case ast.Alternation(alternatives):
                return [one for each in alternatives for one in self.instances(each)]
            case ast.Sequence(steps, within):
                chains = product(*map(self.instances, steps))
                return [one for chain in chains for one in as_sequence(chain, within)]
            case ast.Coincidence(parts, within):
                groups = product(*map(self.instances, parts))
                return [one for group in groups for one in as_coincidence(group, within)]
            case ast.Repetition(repeated, times, within):
                some = [one for one in self.instances(repeated) if one.end is not None]
                return [
                    one
                    for last in some
                    for others in combinations(sorted(some, key=order), times - 1)
                    for one in as_repetition((*others, last), within)
                ]
            case ast.Absence(missing, within, trigger):
                return [
                    one
                    for begun in self.instances(trigger)
                    for one in self._absent(begun, missing, within)
                ]

    def deadlines(self, pattern: ast.Pattern) -> list[int]:
        """The times at which the absences in a pattern are decided."""
        match pattern:
            case ast.Conjunction():
                return []
            case ast.Alternation(inner) | ast.Sequence(inner) | ast.Coincidence(inner):
                return [one for each in inner for one in self.deadlines(each)]
            case ast.Repetition(repeated):
                return self.deadlines(repeated)
            case ast.Absence(missing, within, trigger):
                own = [
                    begun.end + microseconds(within)
                    for begun in self.instances(trigger)
                    if begun.end is not None
                ]
                return own + self.deadlines(missing) + self.deadlines(trigger)

    def _absent(self, begun: Instance, missing: ast.Pattern, within: timedelta) -> list[Instance]:
        if begun.end is None:
            return []
        deadline = begun.end + microseconds(within)
        if not deadline < self.watermark:
            return []
        heard: dict[str, float] = {}
        for one in self.as_of(deadline).instances(missing):
            is_told_twice = one.is_single and one.about.is_in_parts
            times = (one.end, one.start) if is_told_twice else (one.end,)
            is_heard = any(time is not None and begun.end < time <= deadline for time in times)
            if is_heard and agreed_bindings((begun, one)) is not None:
                heard[one.about.id] = max(one.probability, heard.get(one.about.id, 0.0))
        probability = begun.probability * math.prod(1 - one for one in heard.values())
        return [Instance(begun.about, begun.start, deadline, probability, begun.bindings)]

    # ---- conjunctions ----

    def ways(
        self,
        conjunction: ast.Conjunction,
        event: Occurrence,
        outer: Occurrence | None,
        asked: ast.AskedAttribute | None = None,
    ) -> list[Way]:
        """How a conjunction holds for an event; `outer` is what its `$names` speak of.

        `asked` is an attribute whose value is wanted besides.
        """
        moment = moment_of(conjunction, event)
        if moment is None:
            return []
        others = [one for one in conjunction.predicates if not is_plain(one)]
        near = [one for one in (*map(read_attribute, others, repeat(outer)), asked) if one]
        near = [one for one in near if one.approximation]
        found = []
        for way in self._plain_ways(plain_predicates(conjunction), near, event):
            probability = way.probability
            for predicate in others:
                if not (outer is None and is_binding(predicate)):
                    probability *= self._factor(
                        predicate, conjunction, event=event, outer=outer, way=way, moment=moment
                    )
            if self.reaches(probability):
                found.append(Way(probability, way.chosen))
        return found

    def _plain_ways(
        self,
        plain: tuple[ast.Predicate, ...],
        near: Sequence[ast.AskedAttribute],
        event: Occurrence,
    ) -> list[Way]:
        """The best mappings of plain predicates, extended by attributes with any value."""
        best = self._mappings(plain, event, 1)
        if plain and not any(self.reaches(one.probability) for one in best):
            return []
        different = tuple(dict.fromkeys(near))
        if not different:
            return [Way(best[0].probability if plain else 1.0, {})]
        any_values = (ast.Comparison(one, Operator.NOT_EQUAL, _NEVER_TOLD) for one in different)
        mappings = self._mappings((*plain, *any_values), event, self.options.top or 1)
        return [
            Way(
                one.probability,
                {
                    asked: pair.statement
                    for asked, pair in zip(
                        different, one.correspondences[len(plain) :], strict=True
                    )
                },
            )
            for one in mappings
            if self.reaches(one.probability)
        ]

    def _mappings(
        self, plain: tuple[ast.Predicate, ...], event: Occurrence, most: int
    ) -> list[Mapping]:
        if not plain:
            return []
        options = ast.Options(
            mapping=self.options.mapping,
            aggregation=self.options.aggregation,
            exact=self.options.exact,
        )
        asked = ast.Subscription(ast.Conjunction(plain), options)
        return self.matcher.mappings(Event(event.statements), asked, most)

    # ---- predicates ----

    def _factor(
        self,
        predicate: ast.Predicate,
        conjunction: ast.Conjunction,
        *,
        event: Occurrence,
        outer: Occurrence | None,
        way: Way,
        moment: int,
    ) -> float:
        """How likely a predicate holds that the matcher cannot judge; 0 if it does not."""
        match predicate:
            case ast.After(endpoint, limit, inner):
                times = [one for one in [time_at(event, endpoint)] if one is not None]
                return self._best(
                    inner, event, lambda one: any(is_before(one, time, limit) for time in times)
                )
            case ast.During(endpoint, inner):
                times = [one for one in [time_at(event, endpoint)] if one is not None]
                return self._best(
                    inner, event, lambda one: any(self._is_on(one, time) for time in times)
                )
            case ast.Simultaneous(endpoint, inner):
                time = known_time(event, endpoint)
                return self._best(inner, event, lambda one: time_at(one, endpoint) == time)
            case ast.AllenRelated(relation, inner):
                return self._best(inner, event, lambda one: is_related(event, relation, one))
            case ast.HistoryFilter():
                return self._in_history(predicate, event, way, moment)
            case ast.WindowAggregate():
                plain = plain_predicates(conjunction)
                return self._in_window(
                    predicate, plain, event=event, outer=outer, way=way, moment=moment
                )
            case _:
                if outer is None:
                    raise ValueError(f"what is {predicate} to be compared with?")
                return self._correlated(predicate, event, outer, way)

    def _best(
        self,
        inner: ast.Conjunction,
        event: Occurrence,
        is_witness: Callable[[Occurrence], bool],
    ) -> float:
        """How likely the best witness is one."""
        return max(
            (
                way.probability
                for one in self.occurrences
                if one.id != event.id and is_witness(one)
                for way in self.ways(inner, one, event)
            ),
            default=0.0,
        )

    def _is_on(self, one: Occurrence, time: int) -> bool:
        if one.end is None:
            return one.start <= time <= self.watermark
        return one.start <= time <= one.end

    def _in_history(
        self, asked: ast.HistoryFilter, event: Occurrence, way: Way, moment: int
    ) -> float:
        if self.watermark < moment:
            return 0.0
        then = self.as_of(moment - 1)  # at the same time more may still be told
        past = [
            one
            for one in sorted(self.occurrences, key=order_of_events)
            if one.id != event.id
            and one.end is not None
            and one.end < moment
            and then.ways(asked.inner, one, event)
        ]
        last = past if asked.last is None else past[-asked.last :]
        told = values_of(asked.attribute, event, way)
        return max(
            (
                found.probability
                for one in last
                for found in then.ways(asked.inner, one, event, asked.attribute)
                if any(
                    holds(value, asked.operator, earlier)
                    for value, earlier in product(told, values_of(asked.attribute, one, found))
                )
            ),
            default=0.0,
        )

    def _in_window(
        self,
        asked: ast.WindowAggregate,
        plain: tuple[ast.Predicate, ...],
        *,
        event: Occurrence,
        outer: Occurrence | None,
        way: Way,
        moment: int,
    ) -> float:
        if self.watermark < moment:
            return 0.0
        wanted = asked_terms(asked.value, outer)
        others = [values for _, values in self.window(asked, plain, event, moment)]
        counted = [counted_values(asked, event, way), *others]
        return float(
            any(
                result is not None and holds(result, asked.operator, term)
                for term in wanted
                for result in [aggregate_of(asked.function, counted, term)]
            )
        )

    def window(
        self,
        asked: ast.WindowAggregate,
        plain: tuple[ast.Predicate, ...],
        event: Occurrence,
        moment: int,
    ) -> list[tuple[str, list[Term]]]:
        """The other events of the window before a moment, with what they add: latest last."""
        near = [asked.attribute] if asked.attribute and asked.attribute.approximation else []
        return [
            (one.id, counted_values(asked, one, best))
            for one in sorted(self.occurrences, key=order_of_events)
            if one.id != event.id
            and one.end is not None
            and moment - microseconds(asked.window) < one.end < moment
            for best in self._plain_ways(plain, near, one)[:1]
        ]

    def _correlated(
        self, predicate: ast.Predicate, event: Occurrence, outer: Occurrence, way: Way
    ) -> float:
        """How well values of an event stand to those of the event around it."""
        asked = attribute_of(predicate)
        assert asked is not None
        assert isinstance(predicate, MatchedPredicate)
        if any(not asked_terms(one, outer) for one in asked_values(predicate)):
            return 0.0
        if asked.approximation is not None:
            return self._correlated_nearly(predicate, event, outer)
        told = statements_about(asked, event, way)

        def score(one: Statement, operator: Operator, value: ast.AskedValue) -> float:
            return max((self._score(one, operator, ast.AskedValue(term, value.approximation))
                        for term in asked_terms(value, outer)), default=0.0)  # fmt: skip

        def equal(one: Statement, value: ast.AskedValue) -> float:
            return score(one, Operator.EQUAL, value)

        match predicate:
            case ast.Comparison(_, operator, value):
                return max((score(one, operator, value) for one in told), default=0.0)
            case ast.OneOfValues(_, values):
                return max((equal(*pair) for pair in product(told, values)), default=0.0)
            case ast.InRange(_, low, high):
                at_least, at_most = Operator.AT_LEAST, Operator.AT_MOST
                return max(
                    (min(score(one, at_least, low), score(one, at_most, high)) for one in told),
                    default=0.0,
                )
            case ast.ContainsAll(_, values):
                return min(
                    max((equal(one, value) for one in told), default=0.0) for value in values
                )
            case ast.Within(_, values):
                return min(
                    (max(equal(one, value) for value in values) for one in told), default=0.0
                )
            case ast.HasProperty(_, _, _, value):
                bound = (
                    replace(predicate, value=ast.AskedValue(term, value.approximation))
                    for term in asked_terms(value, outer)
                )
                return max((self._similarity(one, event.statements) for one in bound), default=0.0)
        raise TypeError(f"nothing is known of {predicate}")

    def _correlated_nearly(
        self, predicate: ast.Predicate, event: Occurrence, outer: Occurrence
    ) -> float:
        assert isinstance(predicate, ast.Comparison)
        value = predicate.value
        return max(
            self._similarity(
                replace(predicate, value=ast.AskedValue(term, value.approximation)),
                event.statements,
            )
            for term in asked_terms(value, outer)
        )

    def _score(self, told: Statement, operator: Operator, asked: ast.AskedValue) -> float:
        assert not isinstance(asked.term, ast.Reference)
        if asked.approximation is None:
            return float(holds(told.value, operator, asked.term))
        alone = ast.Comparison(ast.AskedAttribute(told.attribute), operator, asked)
        return self._similarity(alone, (told,))

    def _similarity(self, predicate: ast.Predicate, statements: tuple[Statement, ...]) -> float:
        alone = ast.Subscription(ast.Conjunction((predicate,)))
        found = self.matcher.mappings(Event(statements), alone, 1)
        return found[0].correspondences[0].similarity if found else 0.0
