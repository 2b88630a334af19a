"""Are updates and look-ups as quick after 100,000 updates of the same values as at the start?

pyoxigraph keeps the old versions of a value and looks through them; the bare store beside shows how
much that is. Start and end are far apart, and what else runs on a machine changes in between: so it
is the processor's time that is taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from benchmarks.city_lighting import ROADS, city
from benchmarks.finding import Finding
from benchmarks.lighting_profiles import (
    Spelling,
    subscribe_lamp,
    subscribe_road,
    subscriptions,
    update_lamp,
)
from benchmarks.lit_city import LitCity, run_bare
from benchmarks.race import fresh_values
from purport.sparql import Engine, MemoryStore

UPDATES = 100_000
BATCH = 500
EDGE = 10  # batches at the start, and at the end, of which the quickest counts
ROAD = 1
LOOKUPS = 50
MOST_SLOWER = 1.3
QUERIES = {
    "a lamp": subscribe_lamp(ROAD, 1),
    "a road": subscribe_road(ROAD, Spelling.PUSHED),
}

Ask = Callable[[str], object]
Given = TypeVar("Given")


def findings() -> Iterator[Finding]:
    lit = LitCity.subscribed(subscriptions())
    yield from _drift("engine", lit.run, lit.engine.query, MOST_SLOWER)
    store = city()
    yield from _drift("bare store", partial(run_bare, store), store.query)
    lit = LitCity(Engine(MemoryStore(city())))  # a store that is given is never renewed
    lit.subscribe(subscriptions())
    yield from _drift("engine, store not renewed", lit.run, lit.engine.query)


@dataclass(frozen=True, slots=True)
class _Edge:
    """How quick it is at one end: seconds of an update, and of each query."""

    update: float
    queries: dict[str, float]


def _drift(
    what: str, run: Callable[[Sequence[str]], object], ask: Ask, most: float | None = None
) -> Iterator[Finding]:
    run(_texts(BATCH))
    lookups = _lookups(ask)
    taken = [_seconds(run, [text]) for text in _texts(UPDATES)]
    batches = [sum(taken[place : place + BATCH]) / BATCH for place in range(0, UPDATES, BATCH)]
    start = _Edge(min(batches[:EDGE]), lookups)
    end = _Edge(min(batches[-EDGE:]), _lookups(ask))
    yield _slower(f"{what}: an update", start.update, end.update, most)
    for name, before in start.queries.items():
        yield _slower(f"{what}: a look at {name}", before, end.queries[name], most)
    yield Finding(f"{what}: the longest update of all", f"{1000 * max(taken):,.1f} ms")


def _slower(what: str, start: float, end: float, most: float | None) -> Finding:
    slower = end / start
    shown = f"{what}, {1e6 * start:,.0f} µs at the start; after {UPDATES:,}, of that"
    bar = "" if most is None else f"<= {most} x"
    return Finding(shown, f"{slower:.2f} x", bar, None if most is None else slower <= most)


def _lookups(ask: Ask) -> dict[str, float]:
    """The quickest of several answers to each query."""

    def answer(query: str) -> None:
        found = ask(query)
        assert isinstance(found, Iterable)
        list(found)

    return {
        name: min(_seconds(answer, query) for _ in range(LOOKUPS))
        for name, query in QUERIES.items()
    }


def _texts(count: int) -> list[str]:
    """Updates of a road's lamps in turn, each to a value that never was."""
    lamps = ROADS[ROAD]
    return [update_lamp(ROAD, place % lamps + 1, next(fresh_values())) for place in range(count)]


def _seconds(work: Callable[[Given], object], given: Given) -> float:
    started = time.thread_time()
    work(given)
    return time.thread_time() - started
