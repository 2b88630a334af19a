"""The plain part of filters: predicates that one event answers by itself, matched all together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from purport.matching.aggregation import ROUNDING
from purport.matching.keys import asked_attribute_key, told_attribute_keys
from purport.matching.matcher import Matcher
from purport.model.comparison import Operator
from purport.model.event import Event, Statement
from purport.model.subscription import (
    AskedAttribute,
    AskedValue,
    Comparison,
    Conjunction,
    Options,
    Predicate,
    Subscription,
)
from purport.model.term import Attribute, Term, Text
from purport.temporal.instance import NOTHING_READ, Read
from purport.temporal.occurrence import Occurrence

DEFAULT_THRESHOLD = 0.5
_ANYTHING = AskedValue(Text(""))  # everything that says something is different from it


class Reading(NamedTuple):
    """One way to read an event as an answer: how likely, and the values of what is read from it."""

    probability: float
    values: Read


_CERTAIN = Reading(1.0, NOTHING_READ)


class Says(Protocol):
    """Something with statements."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All of them."""


class Taker(Protocol):
    """Goes on with what passes a filter."""

    rank: int

    def take(self, occurrence: Occurrence, readings: list[Reading]) -> None:
        """An event passes, and may be read so."""

    def forget(self, identifier: str) -> None:
        """Drop what is known of an event while it went on."""


@dataclass(slots=True, eq=False)
class Filter:
    """Plain predicates, matched once for all who ask for the same; none of them let all pass.

    `read` are approximate attributes whose value matters: each of the best mappings that finds them
    is a reading of its own.
    """

    predicates: tuple[Predicate, ...]
    options: Options
    read: tuple[AskedAttribute, ...]
    subscription: Subscription | None
    takers: list[Taker] = field(default_factory=list)  # who is given what passes

    @property
    def threshold(self) -> float:
        """What a probability has to reach."""
        return least_probability(self.options)


Passed = tuple[Filter, list[Reading]]


class Filters:
    """All filters: an event is matched against them at once."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._filters: dict[object, Filter] = {}
        self._by_object: dict[int, Filter] = {}
        self._all_passing: list[Filter] = []
        self._users: dict[int, int] = {}

    @property
    def matcher(self) -> Matcher:
        """What matches."""
        return self._matcher

    def __len__(self) -> int:
        return len(self._filters)

    def take_up(
        self,
        predicates: tuple[Predicate, ...],
        options: Options,
        read: tuple[AskedAttribute, ...] = (),
    ) -> Filter:
        """The filter of some predicates, made if nobody has asked for it before."""
        key = (predicates, options, read)
        found = self._filters.get(key)
        if found is None:
            found = self._filters[key] = self._made(predicates, options, read)
        self._users[id(found)] = self._users.get(id(found), 0) + 1
        return found

    def let_go(self, one: Filter) -> None:
        """Somebody has no more use for a filter."""
        self._users[id(one)] -= 1
        if self._users[id(one)]:
            return
        del self._users[id(one)], self._filters[one.predicates, one.options, one.read]
        if one.subscription is None:
            self._all_passing.remove(one)
        else:
            self._matcher.remove(one.subscription)
            del self._by_object[id(one.subscription)]

    @property
    def asked(self) -> list[Subscription]:
        """What an event has to answer to pass a filter, for each that not all pass."""
        return [one.subscription for one in self._filters.values() if one.subscription is not None]

    @property
    def lets_all_pass(self) -> bool:
        """Whether there is a filter that asks for nothing."""
        return bool(self._all_passing)

    def readings(
        self, occurrences: Sequence[Says], only: Set[Filter] | None = None
    ) -> list[list[Passed]]:
        """For each event the filters that it passes, all or only some, and how it may be read."""
        passing = [one for one in self._all_passing if only is None or one in only]
        found: list[list[Passed]] = [[(one, [_CERTAIN]) for one in passing] for _ in occurrences]
        if not self._by_object:
            return found
        events = [Event(one.statements) for one in occurrences]
        for number, subscription, probability in self._matched(events):
            one = self._by_object[id(subscription)]
            if only is not None and one not in only:
                continue
            if one.read:
                readings = list(self._alternatives(events[number], one))
            else:
                readings = [Reading(probability, NOTHING_READ)]
            found[number].append((one, readings))
        return found

    def _matched(self, events: Sequence[Event]) -> Iterator[tuple[int, Subscription, float]]:
        """The numbers of events, what they answer, and how well."""
        if len(events) == 1:
            for row, subscription in self._matcher.match_rows(events):
                yield row.event, subscription, row.probability
            return
        matches = self._matcher.match_batch(events)
        slots, subscriptions = matches.found.slots.tolist(), matches.subscriptions
        probabilities = matches.probabilities.tolist()
        for number, slot, probability in zip(
            matches.events.tolist(), slots, probabilities, strict=True
        ):
            yield number, subscriptions[slot], probability

    def factor(self, predicate: Predicate, options: Options, occurrence: Occurrence) -> float:
        """How well one event answers one predicate; 0 if not at all."""
        asked = Subscription(Conjunction((predicate,)), options)
        best = self._matcher.mappings(Event(occurrence.statements), asked, 1)
        return best[0].probability if best else 0.0

    def _made(
        self,
        predicates: tuple[Predicate, ...],
        options: Options,
        read: tuple[AskedAttribute, ...],
    ) -> Filter:
        asked = (*predicates, *(Comparison(one, Operator.NOT_EQUAL, _ANYTHING) for one in read))
        if not asked:
            found = Filter(predicates, options, read, None)
            self._all_passing.append(found)
            return found
        subscription = Subscription(Conjunction(asked), replace(options, top=None))
        self._matcher.add(subscription)
        found = Filter(predicates, options, read, subscription)
        self._by_object[id(subscription)] = found
        return found

    def _alternatives(self, event: Event, one: Filter) -> Iterator[Reading]:
        """The best mappings, as far as they differ in what is read."""
        assert one.subscription is not None
        seen: list[Read] = []
        most = one.options.top or 1
        if not self._passes_plainly(event, one):
            return
        for mapping in self._matcher.mappings(event, one.subscription, most):
            if mapping.probability < one.threshold:
                break
            chosen = mapping.correspondences[-len(one.read) :]
            values = {
                attribute: pair.statement.value
                for attribute, pair in zip(one.read, chosen, strict=True)
            }
            if values not in seen:
                seen.append(values)
                yield Reading(mapping.probability, values)

    def _passes_plainly(self, event: Event, one: Filter) -> bool:
        """Whether an event passes without what is read from it, too."""
        if not one.predicates:
            return True
        asked = Subscription(Conjunction(one.predicates), replace(one.options, top=None))
        best = self._matcher.mappings(event, asked, 1)
        return bool(best) and best[0].probability >= one.threshold


def least_probability(options: Options) -> float:
    """The threshold, less what single precision may take from a score that is just on it."""
    threshold = DEFAULT_THRESHOLD if options.threshold is None else options.threshold
    return max(0.0, threshold - ROUNDING)


def values_of(statements: tuple[Statement, ...], attribute: Attribute) -> list[Term]:
    """What an event says of an exact attribute."""
    key = asked_attribute_key(attribute)
    return [one.value for one in statements if key in told_attribute_keys(one.attribute)]
