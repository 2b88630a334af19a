"""The two tests of KBN's section VII, in simulated time: what one publication takes."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from statistics import fmean, stdev

from purport.evaluation.kbn.stores import Store
from purport.evaluation.kbn.workload import (
    EVERY_TEN_SECONDS,
    EVERY_THREE_SECONDS,
    TABLE_3,
    Cellar,
    Pace,
    happenings,
    publications,
    table_3_subscriptions,
    table_4_subscriptions,
)
from purport.model.event import Event
from purport.model.language.parse import parse
from purport.model.subscription import Subscription


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is done; the paper's own numbers, if nothing else is said."""

    seed: int = 1
    events: int = 250
    stored: int = 50_000
    limits: tuple[int, ...] = (200, 500, 1_000, 2_000, 5_000)
    events_for_each_limit: int = 50

    @classmethod
    def quick(cls, seed: int = 1) -> Settings:
        """Enough to see that it works."""
        return cls(seed, 50, 2_000, (200, 1_000), 10)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What publications took with one store: in milliseconds, one after the other."""

    test: str
    store: str
    stored: int  # events at the beginning
    limit: int | None
    answered: float  # subscribers, by each publication
    milliseconds: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over publications."""
        return fmean(self.milliseconds)

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return stdev(self.milliseconds) / math.sqrt(len(self.milliseconds))


GROWTH, LIMITS, OPERATORS = "test 1", "test 2", "operator"
_OVERLAPPING = 3


def run(store: Store, cellar: Cellar, settings: Settings) -> Iterator[Outcome]:
    """Both tests with one store, and the temporal operators one by one."""
    _growth(store, cellar, replace(settings, events=2))  # what is loaded once is not measured
    store.clear()
    yield _growth(store, cellar, settings)
    store.clear()
    source = _Source(cellar, store, EVERY_THREE_SECONDS, settings.seed)
    store.fill(source.occurrences, settings.stored)
    for limit in settings.limits:
        asked = table_4_subscriptions(Random(settings.seed), limit)
        yield _measured(LIMITS, store, source, asked, settings, limit)
    for name in "DEF":
        asked = [parse(TABLE_3[name])]
        yield _measured(f"{OPERATORS} {name}", store, source, asked, settings, None)
    store.clear()


def _growth(store: Store, cellar: Cellar, settings: Settings) -> Outcome:
    rng = Random(settings.seed)
    store.subscribe(table_3_subscriptions(rng))
    source = _Source(cellar, store, EVERY_TEN_SECONDS, settings.seed)
    return _outcome(GROWTH, store, 0, None, source.reports(settings.events))


def _measured(
    test: str,
    store: Store,
    source: _Source,
    asked: Sequence[Subscription],
    settings: Settings,
    limit: int | None,
) -> Outcome:
    store.subscribe(asked)
    reports = source.reports(settings.events_for_each_limit)
    return _outcome(test, store, settings.stored, limit, reports)


def _outcome(
    test: str, store: Store, stored: int, limit: int | None, reports: Sequence[Event]
) -> Outcome:
    taken, answered = [], 0
    for report in reports:
        started = time.perf_counter()
        answered += store.publish(report)
        taken.append(1000 * (time.perf_counter() - started))
    return Outcome(test, store.label, stored, limit, answered / len(reports), tuple(taken))


class _Source:
    """Events without end, numbered on from where a store is."""

    def __init__(self, cellar: Cellar, store: Store, pace: Pace, seed: int) -> None:
        self.occurrences = happenings(cellar, pace, Random(seed), store.sequence)

    def reports(self, count: int) -> list[Event]:
        """The beginnings and ends of the next so many, in the order of time.

        Those that would begin before the last ones have ended are left out.
        """
        for _ in islice(self.occurrences, _OVERLAPPING):
            pass
        both = [one for two in map(publications, islice(self.occurrences, count)) for one in two]
        return sorted(both, key=_time)


def _time(report: Event) -> float:
    assert report.interval is not None
    bound = report.interval.end or report.interval.start
    assert bound is not None
    return bound.timestamp()
