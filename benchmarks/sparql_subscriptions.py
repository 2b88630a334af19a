"""How quick are SPARQL subscriptions, by the benchmark of SPS'16?

Its figures are of another machine and another store. What compares on one machine are the bare
store, which tells nobody, and the naive rival, which asks every query again after every update;
both are given the texts that are quickest there, with the road in the pattern and in no filter.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from benchmarks import sps16_published
from benchmarks.city_lighting import ROADS, city
from benchmarks.engine_parts import Part, no_lookup, times_of, unshared
from benchmarks.finding import Finding, at_least
from benchmarks.lighting_profiles import Experiment, Spelling, load_of, subscriptions, updates
from benchmarks.lit_city import LitCity, NaiveRival, run_bare
from benchmarks.race import WARM_ROUNDS, Contender, fresh_values, race

UPDATES = len(ROADS)
SUBSCRIPTIONS = 1_004
EVERY = 10
SOME = UPDATES // EVERY
LEAST_UPDATES = {Experiment.LAMP: 6_800, Experiment.ROAD: 950}
LEAST_AGAINST_NAIVE = {Experiment.LAMP: 300, Experiment.ROAD: 100}
MOST_IMPACT = {Experiment.LAMP: 0.8, Experiment.ROAD: 1.0}
GOAL_TIMES = {Experiment.LAMP: 200, Experiment.ROAD: 400}  # of the paper's updates/s
GOAL_IMPACT = {Experiment.LAMP: 0.5, Experiment.ROAD: 0.7}
WRAPPED_ROUNDS = 5
NAIVE_ROUNDS = 3


def findings() -> Iterator[Finding]:
    published = sps16_published.knowledge_base()["triples"]
    yield Finding("triples of the city", f"{len(city()):,}", published=f"{published:,}")
    for experiment in Experiment:
        yield from _load(experiment)
        lit = LitCity.subscribed(subscriptions())
        speed = _speed(experiment, lit)
        yield from _indicators(experiment, speed)
        yield from _against_naive(experiment, lit, speed)
        yield from _parts(experiment, lit)
        yield from _without_lookup(experiment, lit, speed)


@dataclass(frozen=True, slots=True)
class _Speed:
    """Seconds of an update, on average over a profile."""

    engine: float
    engine_average: float  # with all pauses: of the machine, of memory, of a store that is renewed
    bare: float
    bare_printed: float  # with the road in a filter
    rounds: int

    @property
    def impact(self) -> float:
        return (self.engine - self.bare) / self.bare


def _speed(experiment: Experiment, lit: LitCity) -> _Speed:
    bare, expected = city(), load_of(experiment).notifications
    ours = Contender(partial(updates, experiment), lit.run)
    pushed = partial(updates, experiment, spelling=Spelling.PUSHED)
    alone = Contender(pushed, partial(run_bare, bare))
    rounds = race(alone, ours)
    _require(lit, 0, (WARM_ROUNDS + rounds) * expected)
    printed = Contender(partial(_some, experiment), partial(run_bare, bare))
    race(printed, budget_s=1)
    return _Speed(
        ours.seconds / UPDATES,
        ours.average / UPDATES,
        alone.seconds / UPDATES,
        printed.seconds / SOME,
        rounds,
    )


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
    times, goal = rate / paper.updates_per_second, GOAL_TIMES[experiment]
    yield replace(
        at_least(f"{experiment}: of the paper's updates/s, in times", times),
        goal=_goal(f">= {goal}", times >= goal),
    )
    yield at_least(
        f"{experiment}: updates/s, average of {speed.rounds} rounds with all pauses",
        1 / speed.engine_average,
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
        f"{experiment}: engine's impact on it (E2E), {speed.rounds} rounds",
        f"{speed.impact:.2f}",
        f"<= {MOST_IMPACT[experiment]}",
        speed.impact <= MOST_IMPACT[experiment],
        published=f"{paper.impact}",
        goal=_goal(f"<= {GOAL_IMPACT[experiment]}", speed.impact <= GOAL_IMPACT[experiment]),
    )
    if experiment is Experiment.ROAD:
        yield Finding(
            f"{experiment}: engine's time, of the bare store's with the texts as printed",
            _times(speed.engine / speed.bare_printed),
        )


def _against_naive(experiment: Experiment, lit: LitCity, speed: _Speed) -> Iterator[Finding]:
    """Both run some of the updates, and have to tell the same."""
    naive = NaiveRival(subscriptions(Spelling.PUSHED))
    everywhere = updates(Experiment.ROAD, next(fresh_values()), Spelling.PUSHED)
    lit.run(everywhere)
    naive.news(*everywhere)  # from here on both have the same values
    differing, taken = 0, []
    for _ in range(NAIVE_ROUNDS):
        value = next(fresh_values())
        told = [lit.news(text) for text in _some(experiment, value)]
        texts = _some(experiment, value, Spelling.PUSHED)
        started = time.perf_counter()
        expected = [naive.news(text) for text in texts]
        taken.append((time.perf_counter() - started) / SOME)
        differing += sum(one != other for one, other in zip(told, expected, strict=True))
    yield Finding(
        f"{experiment}: updates of {NAIVE_ROUNDS * SOME} of which the naive rival tells otherwise",
        f"{differing}",
        "0",
        differing == 0,
    )
    yield Finding(f"{experiment}: updates/s of the naive rival", f"{1 / min(taken):,.1f}")
    yield at_least(
        f"{experiment}: updates/s against the naive rival's, in times",
        min(taken) / speed.engine,
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
        expected = asked.run(_some(experiment, next(fresh_values())))
        before = asked.told
        slow = Contender(partial(_some, experiment), asked.run)
        with no_lookup(asked):
            rounds = race(slow, budget_s=2)
        _require(asked, before, (WARM_ROUNDS + rounds) * expected)
        seconds = slow.seconds / SOME
        yield Finding(f"{experiment}: updates/s, {what}", f"{1 / seconds:,.1f}")
        yield Finding(
            f"{experiment}: updates/s with both, in times of that",
            _times(seconds / speed.engine),
            published=published,
        )


def _some(experiment: Experiment, value: str, spelling: Spelling = Spelling.PRINTED) -> list[str]:
    """A tenth of a profile, where a way is too slow for all: of the roads of each size."""
    return updates(experiment, value, spelling)[::EVERY]


def _require(lit: LitCity, before: int, expected: int) -> None:
    """Refuse the speed of an engine that told fewer than it should have."""
    if lit.told - before != expected:
        raise AssertionError(f"{lit.told - before} notifications, expected {expected}")


def _goal(bar: str, is_reached: bool) -> str:
    return f"{bar}, {'reached' if is_reached else 'not reached'}"


def _times(number: float) -> str:
    return f"{number:,.{0 if number >= 10 else 1 if number >= 1 else 3}f} x"
