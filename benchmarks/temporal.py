"""What does a publication cost with 50 temporal subscriptions, when much has happened already?

Events and subscriptions are those of the KBN paper's first test (its Table 3, with our own small
wine ontology), in the live engine, which holds everything in memory. The median of 2,000
publications counts. Table 3 has seven forms, so of 50 drawn from it most are equal; beside them are
50 of its forms with other limits and levels, of which none are. In the same run: the same questions
put to a history in memory, which looks through what happened from the latest on; and a scan that
matches all events anew, in one batch.
`temporal-long` does it with 5 million events.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice

from benchmarks.approximate_matching import resident_bytes
from benchmarks.finding import Finding, at_most, quickest_seconds, ratio
from purport import Event, Interval, parse
from purport.evaluation.kbn.workload import (
    EVERY_TEN_SECONDS,
    RED,
    SUBSCRIBERS,
    Cellar,
    happenings,
    table_3_subscriptions,
)
from purport.matching.matcher import Matcher
from purport.model.interval import time_of
from purport.model.subscription import Subscription
from purport.temporal.engine import TemporalEngine
from purport.temporal.history import MemoryHistory
from purport.temporal.occurrence import Occurrence
from purport.temporal.stored_answers import StoredAnswers

FEW, MANY = 50_000, 5_000_000
PUBLICATIONS = 2_000
SCANNED = 50
SHARING = 1_000
MOST_MS, MOST_GROWTH = 0.1, 4.0


def findings() -> Iterator[Finding]:
    live = _Live(table_3_subscriptions)
    live.fill(FEW)
    taken = live.median_ms()
    yield Finding("50 of Table 3: detections of a publication", f"{live.detections:.1f}")
    yield _milliseconds(f"a publication at {FEW:,} events", taken)
    yield ratio("the same by asking a history in memory", live.asked_ms(), taken)
    yield ratio("matching all that happened anew, without more", live.scanned_ms(), taken)
    del live
    different = _Live(_different)
    different.fill(FEW)
    at_all_different = different.median_ms()
    yield Finding("50 all different: detections of a publication", f"{different.detections:.1f}")
    yield _milliseconds(f"a publication at {FEW:,} events, 50 all different", at_all_different)
    yield from _shared_filters()


def long_run() -> Iterator[Finding]:
    """The same, and again when a hundred times as much has happened."""
    live = _Live(table_3_subscriptions)
    before = resident_bytes()
    live.fill(FEW)
    at_first = live.median_ms()
    yield _milliseconds(f"a publication at {FEW:,} events", at_first)
    seconds = live.fill(MANY - FEW)
    later = live.median_ms()
    yield Finding(f"a publication at {MANY:,} events", f"{later:.3f} ms")
    yield at_most("how many times longer that takes", later / at_first, MOST_GROWTH, " x")
    yield Finding("events taken a second on the way", f"{(MANY - FEW) / seconds:,.0f}")
    kept = (resident_bytes() - before) / (MANY + 2 * PUBLICATIONS)
    yield Finding("memory for each event", f"{kept:,.0f} bytes")


class _Live:
    """An engine with 50 subscriptions, and events without end to give it."""

    def __init__(self, asked: Callable[[random.Random], list[Subscription]]) -> None:
        self._cellar = Cellar.load()
        rng = random.Random(1)
        self._subscriptions = asked(rng)
        self._engine = TemporalEngine(self._matcher)
        for number, subscription in enumerate(self._subscriptions):
            self._engine.add(str(number), subscription)
        self._events = happenings(self._cellar, EVERY_TEN_SECONDS, rng)
        self.detections = 0.0

    def fill(self, count: int) -> float:
        """Let so much happen; the seconds that it took."""
        started = time.perf_counter()
        for one in islice(self._events, count):
            self._engine.take(*_publication(one))
        return time.perf_counter() - started

    def median_ms(self) -> float:
        """What one more publication takes."""
        published = [_publication(one) for one in islice(self._events, PUBLICATIONS)]
        taken, found = [], 0
        for event, at in published:
            started = time.perf_counter()
            detections = self._engine.take(event, at).detections
            taken.append(time.perf_counter() - started)
            found += len(detections)
        self.detections = found / PUBLICATIONS
        return 1000 * statistics.median(taken)

    def asked_ms(self) -> float:
        """The same by asking what happened, which is kept in memory in the order of time."""
        history = MemoryHistory()
        history.keep(list(self._engine.history.all()), self._engine.sequence)
        stored = StoredAnswers(history, self._matcher())
        taken = []
        for one in islice(self._events, SCANNED):
            started = time.perf_counter()
            history.keep([one], one.sequence)
            stored.answers(self._subscriptions, one)
            taken.append(time.perf_counter() - started)
        return 1000 * statistics.median(taken)

    def scanned_ms(self) -> float:
        """What a plain scan takes at the least: all events against the inner filters, at once."""
        matcher = self._matcher()
        for inner in ("{A < 8}", RED, "{C > 10}"):
            matcher.add(parse(inner))
        events = [Event(one.statements) for one in self._engine.history.all()]
        matcher.match_batch(events[:100])
        return 1000 * quickest_seconds(lambda: matcher.match_batch(events), 3)

    def _matcher(self) -> Matcher:
        return Matcher(measure="exact", ontology=self._cellar.ontology)


def _different(rng: random.Random) -> list[Subscription]:
    """Subscriptions of the forms of Table 3, no two of which are equal."""
    return [parse(_varied(place, rng.randint(3, 9))) for place in range(SUBSCRIBERS)]


def _varied(place: int, level: int) -> str:
    forms = (
        f"{{A < {level}, C < {100 + place}}}",
        f"{{B has wine:hasColor = wine:Red, C < {100 + place}}}",
        f"{{A filter(<, last {200 + place}) {RED}}}",
        f"{{end during {{A < {level}, C < {100 + place}}}}}",
        f"{{start after({500 + place} s) {{A < {level}}}}}",
        f"{{start after({125 + place} s) {{A < {level}}}}}",
        f"{{A filter(<, last {200 + place}) {{C > {level + 5}}}}}",
    )
    return forms[place % len(forms)]


def _shared_filters() -> Iterator[Finding]:
    """How often is a filter judged that all subscriptions ask for in their inner braces?"""
    matcher = Matcher(measure="exact")
    engine = TemporalEngine(lambda: matcher)
    for number in range(SHARING):
        engine.add(str(number), _after(number))
    events = happenings(Cellar.load(), EVERY_TEN_SECONDS, random.Random(2))
    before = matcher.visited
    for one in islice(events, 100):
        engine.take(*_publication(one))
    what = f"{SHARING:,} subscriptions with one inner filter"
    yield at_most(f"{what}: filters that are matched", len(matcher.subscriptions), 1)
    yield at_most(f"{what}: looked at, for each event", (matcher.visited - before) / 100, 1)


def _after(number: int) -> Subscription:
    return parse(f"{{start after({number + 1} s) {{A < 8}}}}")


def _publication(one: Occurrence) -> tuple[Event, datetime]:
    assert one.end is not None
    end = time_of(one.end)
    return Event(one.statements, one.id, Interval(time_of(one.start), end)), end


def _milliseconds(what: str, taken: float) -> Finding:
    return Finding(what, f"{taken:.3f} ms", f"<= {MOST_MS} ms", taken <= MOST_MS)
