"""What do many subscriptions cost, and many who subscribe to the same?"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from benchmarks import sps16_published
from benchmarks.city_lighting import quads
from benchmarks.finding import Finding, at_least, at_most
from benchmarks.larger_city import MANY, fine_subscriptions, larger_city
from benchmarks.lighting_profiles import (
    Experiment,
    Spelling,
    subscribe_lamp,
    subscribe_road,
    subscriptions,
    update_lamp,
    update_road,
    updates,
)
from benchmarks.lit_city import LitCity
from benchmarks.race import Contender, race
from purport.sparql import Engine, MemoryStore

ALIKE = 10_000
MOST_MS = 1.0
MOST_SLOWER = 1.3
MOST_BYTES = 2_048
CROWDS = (1, 10, 100, 1_000, 10_000)
LARGE_ROAD = 301  # section X.F says 300 and a hundred lamps; by Table 2 such roads start here
THREADS = 2
WATCHED_ROADS = (1, 100, 200, 300)  # of figure 7
CHANGED_ROADS = range(301, 311)


def findings() -> Iterator[Finding]:
    yield from _subscribing()
    yield from _many()
    yield from _memory()
    for experiment in Experiment:
        yield from _crowds(experiment)
    yield from _modes()


def _subscribing() -> Iterator[Finding]:
    engine = Engine(larger_city())
    started = time.perf_counter()
    for text in fine_subscriptions(range(1, ALIKE + 1)):
        engine.subscribe(text)
    taken = 1000 * (time.perf_counter() - started) / ALIKE
    yield Finding(
        f"subscribing, one of {ALIKE:,} alike, in ms",
        f"{taken:.3f}",
        f"<= {MOST_MS:.0f}",
        taken <= MOST_MS,
    )
    roads = range(1, 101)
    started = time.perf_counter()
    for road in roads:
        engine.subscribe(subscribe_road(road))
    taken = 1000 * (time.perf_counter() - started) / len(roads)
    yield Finding(f"subscribing, one of {len(roads)} coarse ones alike, in ms", f"{taken:.3f}")


def _many() -> Iterator[Finding]:
    """Few and many subscriptions on the same triples, which have a lamp for each of the many."""
    few, many = LitCity(Engine(larger_city())), LitCity(Engine(larger_city()))
    few.subscribe(subscriptions())
    many.subscribe(subscriptions())
    many.subscribe(fine_subscriptions(range(1, MANY + 1)))
    texts = partial(updates, Experiment.LAMP)
    with_few, with_many = Contender(texts, few.run), Contender(texts, many.run)
    race(with_few, with_many)
    rate = len(texts("")) / with_many.seconds
    yield at_least(f"LAMP: updates/s, {MANY:,} fine subscriptions to lamps that exist", rate)
    slower = with_many.seconds / with_few.seconds
    yield Finding(
        "LAMP: of the time with 1,000",
        f"{slower:.2f} x",
        f"<= {MOST_SLOWER} x",
        slower <= MOST_SLOWER,
    )


def _memory() -> Iterator[Finding]:
    command = [sys.executable, "-m", "benchmarks.subscription_memory"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    grown = float(found.stdout)
    yield at_most("resident bytes of a simple subscription, of 100,000", grown, MOST_BYTES)


def _crowds(experiment: Experiment) -> Iterator[Finding]:
    """Section X.F: all who subscribed are told of every update.

    Each crowd has a city of its own, because one that has been updated for long in the same place
    is slower there.
    """
    predicted = sps16_published.prediction(experiment)
    subscription, count = (
        (subscribe_lamp(1, 1), 100)
        if experiment is Experiment.LAMP
        else (subscribe_road(LARGE_ROAD, Spelling.PUSHED), 10)
    )
    for crowd in CROWDS:
        lit = LitCity.subscribed([subscription] * crowd)
        contender = Contender(partial(_same_place, experiment, count), lit.run)
        race(contender, budget_s=1)
        rate = count / contender.seconds
        yield replace(
            at_least(f"{experiment}: updates/s, {crowd:,} who subscribed to the same", rate),
            published=f"{predicted.updates_per_second(crowd):,.1f}",
        )
        yield replace(
            at_least(f"{experiment}: notifications/s", rate * crowd),
            published=f"{predicted.notifications_per_second:,} on 16 cores",
        )


def _same_place(experiment: Experiment, count: int, value: str) -> Sequence[str]:
    """Updates of one lamp or road, each to another value."""
    values = (f"{value}.{number}" for number in range(count))
    if experiment is Experiment.LAMP:
        return [update_lamp(1, 1, one) for one in values]
    return [update_road(LARGE_ROAD, one) for one in values]


def _modes() -> Iterator[Finding]:
    """Figure 7: four coarse subscriptions, whose queries every update touches.

    Queries that are kept up to date are done before a thread could start; threads are for those
    that are asked again, such as one with LIMIT.
    """
    for what, ending, published in (
        ("kept up to date", "", sps16_published.modes()),
        ("asked again", " ORDER BY ?lamp ?dimming LIMIT 5", (None, None)),
    ):
        queries = [subscribe_road(road) + ending for road in WATCHED_ROADS]
        with ThreadPoolExecutor(THREADS) as threads:
            alone, together = (
                LitCity(Engine(MemoryStore.filled(quads()), executor=executor))
                for executor in (None, threads)
            )
            sequential, parallel = _prepared(alone, queries), _prepared(together, queries)
            race(sequential, parallel, budget_s=2)
        shown = f"{len(CHANGED_ROADS)} updates of 100 triples, 4 coarse subscriptions {what}"
        for mode, contender, theirs in (
            ("sequential", sequential, published[0]),
            (f"{THREADS} threads", parallel, published[1]),
        ):
            yield Finding(
                f"{shown}, {mode}, in s",
                f"{contender.seconds:.4f}",
                published="" if theirs is None else f"{theirs}",
            )


def _prepared(lit: LitCity, queries: Sequence[str]) -> Contender:
    lit.subscribe(queries)
    return Contender(_large_roads, lit.run)


def _large_roads(value: str) -> Sequence[str]:
    return [update_road(road, value) for road in CHANGED_ROADS]
