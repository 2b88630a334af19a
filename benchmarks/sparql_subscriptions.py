"""How quick are SPARQL subscriptions, by the benchmark of SPS'16?

Its figures are of another machine and another store. What compares on one machine are the bare
store, which tells nobody, and the naive rival, which asks every query again after every update;
both are given the texts that are quickest there, with the road in the pattern and in no filter.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pyoxigraph import Store

from benchmarks import sps16_published
from benchmarks.city_lighting import ROADS, city
from benchmarks.engine_parts import Part, no_lookup, times_of, unshared
from benchmarks.lighting_profiles import Experiment, Spelling, load_of, subscriptions, updates
from benchmarks.lit_city import LitCity, NaiveRival, run_bare
from benchmarks.measure import Finding, at_least
from benchmarks.race import Contender, fresh_values, race

UPDATES = len(ROADS)
SUBSCRIPTIONS = 1_004
EVERY = 10  # of the updates, where a way is too slow for all: a tenth of the roads of each size
LEAST_UPDATES = {Experiment.LAMP: 6_800, Experiment.ROAD: 950}
LEAST_AGAINST_NAIVE = {Experiment.LAMP: 300, Experiment.ROAD: 100}
MOST_IMPACT = {Experiment.LAMP: 0.8, Experiment.ROAD: 1.0}
WRAPPED_ROUNDS = 5


def findings() -> Iterator[Finding]:
    lit, bare = LitCity.subscribed(subscriptions()), city()
    naive = NaiveRival(subscriptions(Spelling.PUSHED))
    triples = sps16_published.knowledge_base()["triples"]
    yield Finding("triples of the city", f"{len(bare):,}", published=f"{triples:,}")
    for experiment in Experiment:
        yield from _load(experiment)
        speed = _speed(experiment, lit, bare)
        yield from _indicators(experiment, speed)
        yield from _against_naive(experiment, lit, naive, speed)
        yield from _parts(experiment, lit)
        yield from _without_lookup(experiment, lit, speed)


@dataclass(frozen=True, slots=True)
class _Speed:
    """Seconds of an update, on average over a profile, in the quickest round."""

    engine: float
    bare: float
    bare_printed: float  # with the road in a filter
    rounds: int

    @property
    def impact(self) -> float:
        return (self.engine - self.bare) / self.bare

    @property
    def printed_impact(self) -> float:
        return (self.engine - self.bare_printed) / self.bare_printed


def _speed(experiment: Experiment, lit: LitCity, bare: Store) -> _Speed:
    ours = Contender(partial(updates, experiment), partial(_run, lit, experiment))
    pushed = partial(updates, experiment, spelling=Spelling.PUSHED)
    alone = Contender(pushed, partial(run_bare, bare))
    rounds = race(alone, ours)
    printed = Contender(lambda value: updates(experiment, value)[::EVERY], partial(run_bare, bare))
    race(printed, budget_s=1)
    some = len(printed.texts(""))
    return _Speed(ours.seconds / UPDATES, alone.seconds / UPDATES, printed.seconds / some, rounds)


def _run(lit: LitCity, experiment: Experiment, texts: Sequence[str]) -> None:
    told, expected = lit.run(texts), load_of(experiment).notifications
    if told != expected:
        raise AssertionError(f"{experiment}: {told} notifications, expected {expected}")


def _load(experiment: Experiment) -> Iterator[Finding]:
    """What a profile asks, which has to be what it asked in the paper."""
    load, paper = load_of(experiment), sps16_published.indicators(experiment)
    for what, ours, theirs in (
        ("triples of an update, on average", load.triples_per_update, paper.triples_per_update),
        ("hits of the look-up, in % (LHR)", load.hit_rate_percent, paper.hit_rate_percent),
        (f"notifications of {UPDATES} updates", load.notifications, paper.notifications),
    ):
        yield Finding(f"{experiment}: {what}", f"{ours:,.4g}", published=f"{theirs:,.4g}")


def _indicators(experiment: Experiment, speed: _Speed) -> Iterator[Finding]:
    paper, rate = sps16_published.indicators(experiment), 1 / speed.engine
    triples = load_of(experiment).triples_per_update
    updates_found = at_least(f"{experiment}: updates/s (Ups)", rate, LEAST_UPDATES[experiment])
    yield replace(updates_found, published=f"{paper.updates_per_second}")
    yield at_least(
        f"{experiment}: of the paper's updates/s, in times", rate / paper.updates_per_second
    )
    yield Finding(
        f"{experiment}: subscriptions/s (Sps)",
        f"{SUBSCRIPTIONS * rate:,.0f}",
        published=f"{paper.subscriptions_per_second:,.0f}",
    )
    yield Finding(
        f"{experiment}: triples/s (Tps)",
        f"{triples * rate:,.0f}",
        published=f"{paper.triples_per_second:,.1f}",
    )
    yield Finding(f"{experiment}: updates/s of the bare store", f"{1 / speed.bare:,.0f}")
    yield Finding(
        f"{experiment}: engine's impact on it (E2E), quickest of {speed.rounds} rounds",
        f"{speed.impact:.2f}",
        f"<= {MOST_IMPACT[experiment]}",
        speed.impact <= MOST_IMPACT[experiment],
        published=f"{paper.impact}",
    )
    if experiment is Experiment.ROAD:
        yield Finding(
            f"{experiment}: the same, if the bare store gets the texts as printed",
            f"{speed.printed_impact:.2f}",
        )


def _against_naive(
    experiment: Experiment, lit: LitCity, naive: NaiveRival, speed: _Speed
) -> Iterator[Finding]:
    """Both run some of the updates, and have to tell the same."""
    before, after = next(fresh_values()), next(fresh_values())
    lit.run(updates(Experiment.ROAD, before, Spelling.PUSHED))
    naive.news(*updates(Experiment.ROAD, before, Spelling.PUSHED))
    some = slice(None, None, EVERY)
    started = time.perf_counter()
    expected = [naive.news(text) for text in updates(experiment, after, Spelling.PUSHED)[some]]
    seconds = (time.perf_counter() - started) / len(expected)
    told = [lit.news(text) for text in updates(experiment, after)[some]]
    differing = sum(one != other for one, other in zip(told, expected, strict=True))
    yield Finding(
        f"{experiment}: updates of {len(told)} whose notifications differ from the naive rival's",
        f"{differing}",
        "0",
        differing == 0,
    )
    yield Finding(f"{experiment}: updates/s of the naive rival", f"{1 / seconds:,.1f}")
    yield at_least(
        f"{experiment}: updates/s against the naive rival's, in times",
        seconds / speed.engine,
        LEAST_AGAINST_NAIVE[experiment],
    )


def _parts(experiment: Experiment, lit: LitCity) -> Iterator[Finding]:
    """The timing split and the latencies, from rounds whose parts are timed."""
    paper = sps16_published.indicators(experiment)
    rounds = [
        times_of(lit, updates(experiment, next(fresh_values()))) for _ in range(WRAPPED_ROUNDS)
    ]
    quickest = [min(found, key=lambda one: one.total) for found in zip(*rounds, strict=True)]
    latencies = [1000 * found.latency for found in quickest if found.notifications]
    yield Finding(
        f"{experiment}: shortest latency of a notification, in ms (NLmin)",
        f"{min(latencies):.3f}",
        published=f"{paper.shortest_latency_ms}",
    )
    yield Finding(
        f"{experiment}: longest, in ms (NLmax)",
        f"{max(latencies):.3f}",
        published=f"{paper.longest_latency_ms}",
    )
    total = sum(found.total for found in quickest)
    for part in Part:
        share = sum(found.seconds[part] for found in quickest) / total
        yield Finding(
            f"{experiment}: of the time, {part}",
            f"{100 * share:.1f} %",
            published=f"{paper.share_percent[part]} %",
        )


def _without_lookup(experiment: Experiment, lit: LitCity, speed: _Speed) -> Iterator[Finding]:
    """What the index saves, and what plans save that queries alike share.

    With neither, every query looks at every change by itself, as in the paper's Table 9.
    """
    own = unshared(LitCity())
    own.subscribe(subscriptions())
    for what, asked, published in (
        ("no look-up index", lit, ""),
        ("neither index nor shared plans", own, _times(sps16_published.without_lookup(experiment))),
    ):
        slow = Contender(lambda value: updates(experiment, value)[::EVERY], asked.run)
        with no_lookup():
            race(slow, budget_s=2)
        seconds = slow.seconds / (UPDATES / EVERY)
        yield Finding(f"{experiment}: updates/s, {what}", f"{1 / seconds:,.1f}")
        yield Finding(
            f"{experiment}: updates/s with it, in times of that",
            _times(seconds / speed.engine),
            published=published,
        )


def _times(number: float) -> str:
    return f"{number:,.{1 if number < 10 else 0}f} x"
