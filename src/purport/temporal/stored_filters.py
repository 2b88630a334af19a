"""What one occurrence says by itself: plain predicates, matched once for all who ask the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from purport.matching.aggregation import ROUNDING
from purport.matching.asked import MatchedPredicate, asked_values
from purport.matching.keys import Key, asked_attribute_key, told_attribute_keys
from purport.matching.matcher import Matcher
from purport.model.comparison import Operator
from purport.model.event import Event, Statement
from purport.model.match import Mapping
from purport.model.subscription import (
    AskedAttribute,
    AskedValue,
    Comparison,
    Conjunction,
    Multiplicity,
    Options,
    Predicate,
    Reference,
    Subscription,
)
from purport.model.term import Attribute, Term, Text
from purport.temporal.occurrence import Occurrence

_DEFAULT_THRESHOLD = 0.5
_MOST_REMEMBERED = 50_000
_NEVER_TOLD = AskedValue(Text("\0"))  # what no value equals, so that every value differs


def is_plain(predicate: Predicate) -> bool:
    """Whether a matcher can judge it by one event alone."""
    return isinstance(predicate, MatchedPredicate) and not any(
        isinstance(one.term, Reference) for one in asked_values(predicate)
    )


def matched_options(options: Options) -> Options:
    """The options of a subscription that hold for every filter in it."""
    return Options(
        threshold=options.threshold,
        mapping=options.mapping,
        aggregation=options.aggregation,
        exact=options.exact,
    )


@dataclass(frozen=True, slots=True, eq=False)
class PlainFilter:
    """Plain predicates under the options of a subscription; none of them let all pass."""

    predicates: tuple[Predicate, ...]
    options: Options
    subscription: Subscription | None
    is_judged_by_any: bool  # each predicate may be answered by any statement, and fully or not


@dataclass(frozen=True, slots=True)
class Way:
    """How likely a filter holds, and the statements that approximate attributes stand for."""

    probability: float
    chosen: dict[AskedAttribute, Statement]


@dataclass(slots=True)
class _Remembered:
    statements: tuple[Statement, ...]
    answered: dict[int, float]  # by the identity of the filter's subscription
    values: dict[Key, list[Term]] = field(default_factory=dict)


class PlainFilters:
    """All plain filters: an occurrence is matched against them at once, and that is remembered."""

    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher
        self._filters: dict[tuple[tuple[Predicate, ...], Options], PlainFilter] = {}
        self._remembered: dict[str, _Remembered] = {}

    def take_up(self, predicates: tuple[Predicate, ...], options: Options) -> PlainFilter:
        """The filter of some predicates, made if nobody has asked for it before."""
        key = predicates, options
        if key not in self._filters:
            self._filters[key] = self._made(predicates, options)
        return self._filters[key]

    def probability(self, one: PlainFilter, occurrence: Occurrence) -> float:
        """How likely an occurrence answers a filter; 0 if it does not reach the threshold."""
        if one.subscription is None:
            return 1.0
        return self._known(occurrence).answered.get(id(one.subscription), 0.0)

    def values(self, attribute: Attribute, occurrence: Occurrence) -> list[Term]:
        """What an occurrence says of an exact attribute."""
        key, known = asked_attribute_key(attribute), self._known(occurrence)
        if key not in known.values:
            known.values[key] = [one.value for one in said_of(attribute, occurrence.statements)]
        return known.values[key]

    def ways(
        self, one: PlainFilter, near: Sequence[AskedAttribute], occurrence: Occurrence, top: int
    ) -> Iterator[Way]:
        """The best mappings of a filter, extended by approximate attributes with any value."""
        probability = self.probability(one, occurrence)
        if not near or not probability:
            if probability:
                yield Way(probability, {})
            return
        any_values = (Comparison(asked, Operator.NOT_EQUAL, _NEVER_TOLD) for asked in near)
        predicates = (*one.predicates, *any_values)
        for mapping in self._mappings(predicates, one.options, occurrence.statements, top):
            if not reaches(mapping.probability, threshold_of(one.options)):
                break
            pairs = mapping.correspondences[len(one.predicates) :]
            chosen = {asked: pair.statement for asked, pair in zip(near, pairs, strict=True)}
            yield Way(mapping.probability, chosen)

    def factor(self, predicate: Predicate, options: Options, occurrence: Occurrence) -> float:
        """How well an occurrence answers one predicate; 0 if not at all."""
        found = self._mappings((predicate,), options, occurrence.statements, 1)
        return found[0].probability if found else 0.0

    def forget(self) -> None:
        """Let go of all filters."""
        for one in self._filters.values():
            if one.subscription is not None:
                self.matcher.remove(one.subscription)
        self._filters.clear()
        self._remembered.clear()

    def _mappings(
        self,
        predicates: tuple[Predicate, ...],
        options: Options,
        statements: tuple[Statement, ...],
        most: int,
    ) -> list[Mapping]:
        asked = Subscription(Conjunction(predicates), options)
        return self.matcher.mappings(Event(statements), asked, most)

    def _made(self, predicates: tuple[Predicate, ...], options: Options) -> PlainFilter:
        if not predicates:
            return PlainFilter((), options, None, is_judged_by_any=False)
        subscription = Subscription(Conjunction(predicates), options)
        self.matcher.add(subscription)
        self._remembered.clear()  # of what is remembered, nothing is said about this one
        is_free = len(predicates) == 1 or options.mapping is not Multiplicity.ONE_TO_ONE
        is_required = self.matcher.requires_exact(options)
        return PlainFilter(
            predicates, options, subscription, is_judged_by_any=is_free and is_required
        )

    def _known(self, occurrence: Occurrence) -> _Remembered:
        known = self._remembered.get(occurrence.id)
        if known is None or known.statements is not occurrence.statements:
            rows = self.matcher.match_rows([Event(occurrence.statements)])
            answered = {id(subscription): row.probability for row, subscription in rows}
            known = _Remembered(occurrence.statements, answered)
            self._remembered[occurrence.id] = known
            if len(self._remembered) > _MOST_REMEMBERED:
                for identifier in list(islice(self._remembered, _MOST_REMEMBERED // 4)):
                    del self._remembered[identifier]
        return known


def said_of(attribute: Attribute, statements: tuple[Statement, ...]) -> list[Statement]:
    """The statements about an exact attribute."""
    key = asked_attribute_key(attribute)
    return [one for one in statements if key in told_attribute_keys(one.attribute)]


def threshold_of(options: Options) -> float:
    """What a probability has to reach."""
    return _DEFAULT_THRESHOLD if options.threshold is None else options.threshold


def reaches(probability: float, threshold: float) -> bool:
    """Whether a probability is enough, as the matcher sees it; 0 never is."""
    return probability > 0 and probability >= threshold - ROUNDING
