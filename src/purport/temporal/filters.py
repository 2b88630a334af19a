"""The plain part of filters: predicates that one event answers by itself, matched all together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from purport.matching.aggregation import ROUNDING
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
from purport.model.term import Text
from purport.temporal.instance import NOTHING_READ, Read
from purport.temporal.occurrence import Occurrence

DEFAULT_THRESHOLD = 0.5
_NEVER_TOLD = AskedValue(Text("\0"))  # what no value equals, so that every value differs


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
    needs_end: bool  # takes events that have ended, and no others

    def take(self, occurrence: Occurrence, readings: list[Reading]) -> None:
        """An event passes, and may be read so."""

    def forget(self, identifier: str) -> None:
        """Drop what is known of an event while it went on."""


@dataclass(slots=True, eq=False)
class Filter:
    """Plain predicates, for all who ask for the same; none of them let all pass.

    `read` are approximate attributes whose value matters: each of the best mappings that finds them
    is a reading of its own. `wanted` are others that are read where an event has them.
    """

    predicates: tuple[Predicate, ...]
    options: Options
    read: tuple[AskedAttribute, ...]
    wanted: tuple[AskedAttribute, ...]
    subscription: Subscription | None = None  # what is matched; what is read comes after that
    takers: list[Taker] = field(default_factory=list)  # who is given what passes
    users: int = 0


Passed = tuple[Filter, list[Reading]]


class Filters:
    """All filters: an event is matched against them at once, and once for all that ask the same."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._filters: dict[object, Filter] = {}
        self._all_passing: list[Filter] = []
        self._judged: dict[Subscription, list[Filter]] = {}
        self._by_object: dict[int, list[Filter]] = {}  # the same, found without a comparison

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
        wanted: tuple[AskedAttribute, ...] = (),
    ) -> Filter:
        """The filter of some predicates, made if nobody has asked for it before."""
        options = options if read or wanted else replace(options, top=None)
        key = (predicates, options, read, wanted)
        found = self._filters.get(key)
        if found is None:
            found = self._filters[key] = self._made(Filter(predicates, options, read, wanted))
        found.users += 1
        return found

    def let_go(self, one: Filter) -> None:
        """Somebody has no more use for a filter."""
        one.users -= 1
        if one.users:
            return
        del self._filters[one.predicates, one.options, one.read, one.wanted]
        if one.subscription is None:
            self._all_passing.remove(one)
            return
        judged = self._judged[one.subscription]
        judged.remove(one)
        if not judged:
            self._matcher.remove(one.subscription)
            del self._judged[one.subscription], self._by_object[id(one.subscription)]

    def clear(self) -> None:
        """Let go of all filters."""
        for subscription in self._judged:
            self._matcher.remove(subscription)
        for known in (self._filters, self._all_passing, self._judged, self._by_object):
            known.clear()

    @property
    def asked(self) -> list[Subscription]:
        """What an event has to answer to pass a filter, for those that not all pass."""
        return list(self._judged)

    @property
    def lets_all_pass(self) -> bool:
        """Whether there is a filter that asks for nothing."""
        return bool(self._all_passing)

    def passed(
        self, occurrences: Sequence[Says], only: Set[Filter] | None = None
    ) -> list[list[Passed]]:
        """For each event the filters that it passes, all or only some, and how it may be read."""
        passing = [one for one in self._all_passing if only is None or one in only]
        found: list[list[Passed]] = [
            [
                (one, self.readings(one, Event(occurrence.statements), 1.0))
                if one.wanted
                else (one, [_CERTAIN])
                for one in passing
            ]
            for occurrence in occurrences
        ]
        if not self._by_object:
            return found
        events = [Event(one.statements) for one in occurrences]
        for number, subscription, probability in self.matched(events):
            for one in self._by_object[id(subscription)]:
                if only is None or one in only:
                    readings = self.readings(one, events[number], probability)
                    found[number].append((one, readings))
        return found

    def matched(self, events: Sequence[Event]) -> Iterator[tuple[int, Subscription, float]]:
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

    def readings(self, one: Filter, event: Event, probability: float) -> list[Reading]:
        """How an event that answers a filter so well may be read, best first."""
        if one.wanted:
            found = self._read(one, (*one.read, *one.wanted), event)
            if found:
                return found
        return self._read(one, one.read, event) or (
            [] if one.read else [Reading(probability, NOTHING_READ)]
        )

    def _read(self, one: Filter, read: tuple[AskedAttribute, ...], event: Event) -> list[Reading]:
        """The best mappings that find some attributes, as far as they find other values."""
        if not read:
            return []
        asked = Subscription(Conjunction((*one.predicates, *_any_values(read))), one.options)
        least = least_probability(one.options)
        found: list[Reading] = []
        for mapping in self._matcher.mappings(event, asked, one.options.top or 1):
            chosen = mapping.correspondences[-len(read) :]
            values = {
                attribute: pair.statement.value
                for attribute, pair in zip(read, chosen, strict=True)
            }
            if mapping.probability >= least and all(values != before.values for before in found):
                found.append(Reading(mapping.probability, values))
        return found

    def factor(self, predicate: Predicate, options: Options, occurrence: Occurrence) -> float:
        """How well one event answers one predicate; 0 if not at all."""
        asked = Subscription(Conjunction((predicate,)), options)
        best = self._matcher.mappings(Event(occurrence.statements), asked, 1)
        return best[0].probability if best else 0.0

    def _made(self, found: Filter) -> Filter:
        """Have the matcher judge what a filter asks."""
        asked = found.predicates or _any_values(found.read)
        if not asked:
            self._all_passing.append(found)
            return found
        subscription = Subscription(Conjunction(asked), replace(found.options, top=None))
        judged = self._judged.get(subscription)
        if judged is None:
            self._matcher.add(subscription)
            judged = self._judged[subscription] = self._by_object[id(subscription)] = []
        found.subscription = judged[0].subscription if judged else subscription
        judged.append(found)
        return found


def matched_options(options: Options) -> Options:
    """The options of a subscription that hold for the filters in it."""
    return replace(options, expires=None, at_most_once_per=None, on_change=False)


def least_probability(options: Options) -> float:
    """The threshold, less what single precision may take from a score that is just on it.

    It is more than 0, which is never enough.
    """
    threshold = DEFAULT_THRESHOLD if options.threshold is None else options.threshold
    return max(math.ulp(0.0), threshold - ROUNDING)


def _any_values(read: tuple[AskedAttribute, ...]) -> tuple[Predicate, ...]:
    """That attributes have a value, whichever."""
    return tuple(Comparison(one, Operator.NOT_EQUAL, _NEVER_TOLD) for one in read)
