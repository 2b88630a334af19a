"""The workload of the experiment: seed events, subscriptions, expanded events, ground truth.

Everything follows from a seed (sections 6.2.1 to 6.2.6 of TOIT'14). Of each event that is made from
a seed event, a share of its parts that is uniform in [0, 1] is replaced.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from purport.evaluation.toit14 import vocabulary as words
from purport.evaluation.toit14.thesaurus import Thesaurus

Tuples = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WorkloadSettings:
    """How large the workload is; the defaults are those of the paper, but for the events."""

    seed: int
    seed_events: int = 165
    events: int = 5000
    subscriptions: int = 100
    predicates: int = 3


@dataclass(frozen=True, slots=True)
class AskedPredicate:
    """A predicate of an approximate subscription: two terms, each relaxed or not."""

    attribute: str
    value: str
    attribute_is_relaxed: bool
    value_is_relaxed: bool


@dataclass(frozen=True, slots=True)
class ExpandedEvent:
    """An event in other words, and the seed event that it means."""

    statements: Tuples
    seed_event: int


@dataclass(frozen=True)
class Workload:
    """Expanded events and exact subscriptions, of which `relaxed` makes approximate ones."""

    settings: WorkloadSettings
    thesaurus: Thesaurus
    seed_events: tuple[Tuples, ...]
    events: tuple[ExpandedEvent, ...]
    subscriptions: tuple[Tuples, ...]

    @classmethod
    def generate(cls, settings: WorkloadSettings, thesaurus: Thesaurus) -> Workload:
        """The workload of a seed."""
        drawn = random.Random(settings.seed)
        seeds = _seed_events(drawn, settings.seed_events)
        subscriptions = _subscriptions(drawn, seeds, settings)
        events = tuple(
            ExpandedEvent(
                _expanded(drawn, seeds[number % len(seeds)], thesaurus), number % len(seeds)
            )
            for number in range(settings.events)
        )
        return cls(settings, thesaurus, seeds, events, subscriptions)

    def relaxed(self, degree: float) -> tuple[tuple[AskedPredicate, ...], ...]:
        """The subscriptions with a share of all their parts made approximate (6.2.5)."""
        drawn = random.Random(f"{self.settings.seed} {degree}")
        relaxed = []
        for subscription in self.subscriptions:
            parts = [(place, side) for place in range(len(subscription)) for side in (0, 1)]
            chosen = set(drawn.sample(parts, round(degree * len(parts))))
            relaxed.append(
                tuple(
                    AskedPredicate(attribute, value, (place, 0) in chosen, (place, 1) in chosen)
                    for place, (attribute, value) in enumerate(subscription)
                )
            )
        return tuple(relaxed)

    def relevance(self, subscription: Sequence[AskedPredicate]) -> NDArray[np.bool_]:
        """The ground truth of every event: each different statement is looked at once.

        An event is relevant (6.2.6) if the subscription holds, or does when relaxed parts are said
        otherwise.
        """
        relevant = np.ones(len(self.events), np.bool_)
        for asked in subscription:
            relevant &= self.events_with(partial(self._answers, asked))
        return relevant

    def events_with(self, holds: Callable[[str, str], bool]) -> NDArray[np.bool_]:
        """Which events have a statement for which something holds."""
        answers = np.array([holds(*one) for one in self.statements], np.bool_)
        places, starts = self._places
        return np.asarray(np.logical_or.reduceat(answers[places], starts), np.bool_)

    @cached_property
    def statements(self) -> tuple[tuple[str, str], ...]:
        """The different statements of all events."""
        return tuple(dict.fromkeys(one for event in self.events for one in event.statements))

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The statements of all events by number, and where each event begins."""
        numbers = {one: number for number, one in enumerate(self.statements)}
        places = [numbers[one] for event in self.events for one in event.statements]
        sizes = [0, *(len(event.statements) for event in self.events)]
        return np.array(places, np.int64), np.cumsum(sizes[:-1]).astype(np.int64)

    def _answers(self, asked: AskedPredicate, attribute: str, value: str) -> bool:
        return self._means(asked.attribute, attribute, asked.attribute_is_relaxed) and self._means(
            asked.value, value, asked.value_is_relaxed
        )

    def _means(self, asked: str, said: str, is_relaxed: bool) -> bool:
        return said == asked or (is_relaxed and said in self.thesaurus.versions(asked))


def _seed_events(drawn: random.Random, count: int) -> tuple[Tuples, ...]:
    """Different events that combine attributes and values of the vocabulary at random."""
    found: dict[Tuples, None] = {}
    while len(found) < count:
        found[_seed_event(drawn)] = None
    return tuple(found)


def _seed_event(drawn: random.Random) -> Tuples:
    capability = drawn.choice(words.CAPABILITIES)
    place = drawn.choice(capability.places)
    city, country = drawn.choice(words.CITIES)
    change = drawn.choice(words.CHANGES)
    event = [
        ("type", f"{change} {capability.name} event"),
        ("measurement unit", capability.unit),
    ]
    match place:
        case words.INDOORS:
            devices = words.COMPUTERS if "usage" in capability.name else words.APPLIANCES
            room = drawn.choice(words.ROOMS)
            event += [
                ("device", drawn.choice(devices)),
                ("desk", f"desk {drawn.randint(1, 9)}{drawn.choice('abc')}"),
                ("room", room),
                ("floor", drawn.choice(words.FLOORS)),
                ("zone", "building"),
            ]
        case words.MOBILE:
            vehicle = drawn.choice(words.VEHICLES)
            event += [
                ("vehicle", vehicle),
                ("make", drawn.choice(words.MAKES)),
                ("street", f"street {drawn.randint(1, 30)}"),
                ("zone", drawn.choice(words.DISTRICTS)),
            ]
        case _:
            event += [
                ("sensor", f"sensor {drawn.randint(1, 60)}"),
                ("street", f"street {drawn.randint(1, 30)}"),
                ("zone", drawn.choice(words.DISTRICTS)),
            ]
    event += [("city", city), ("country", country), ("continent", words.CONTINENT)]
    return tuple(event)


def _subscriptions(
    drawn: random.Random, seeds: Sequence[Tuples], settings: WorkloadSettings
) -> tuple[Tuples, ...]:
    """Different subscriptions, each of some tuples of one seed event (6.2.2)."""
    found: dict[Tuples, None] = {}
    while len(found) < settings.subscriptions:
        event = drawn.choice(seeds)
        places = sorted(drawn.sample(range(len(event)), settings.predicates))
        found[tuple(event[place] for place in places)] = None
    return tuple(found)


def _expanded(drawn: random.Random, event: Tuples, thesaurus: Thesaurus) -> Tuples:
    """An event in which a share of the parts that can be said otherwise is (6.2.4)."""
    share = drawn.random()
    statements = []
    for attribute, value in event:
        said = [
            " ".join(_said(drawn, part, share, thesaurus) for part in thesaurus.parts(term))
            for term in (attribute, value)
        ]
        statements.append((said[0], said[1]))
    return tuple(statements)


def _said(drawn: random.Random, part: str, share: float, thesaurus: Thesaurus) -> str:
    others = thesaurus.replacements.get(part)
    if others and drawn.random() < share:
        return drawn.choice(others).text
    return part
