"""Sensor networks, simulated: how long a run takes, what it needs, and which routing lasts.

A run is the scenario as it is by default: 500 nodes on 200 by 200 m with 5 J each, electronics of
50 nJ/bit (as SemPS'12 states), until half of them are dead. Lifetimes are means over thirty seeds,
with Student's 95 % intervals; differences are taken seed by seed.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from operator import attrgetter
from typing import TypeVar

from benchmarks.finding import Finding, at_most
from purport.evaluation.semps.grid import Point, cells_of
from purport.evaluation.semps.running import run_cells
from purport.evaluation.semps.standings import Standing, standings
from purport.evaluation.semps.statements import Judgement, Verdict, judgements
from purport.network.beginning import begun
from purport.network.computing import mean_instructions
from purport.network.interests import Pool, pool_of
from purport.network.outcome import Outcome
from purport.network.routing.catalogue import ROUTINGS
from purport.network.scenario import (
    Battery,
    Computing,
    Electronics,
    Field,
    Interests,
    Radio,
    Scenario,
)
from purport.network.simulate import simulate

R = TypeVar("R")

SECONDS, GIGABYTES = 10.0, 4.0
SEEDS = range(1, 31)
COMPARED = ("unicast", "mte", "semps", "sparing")
LARGE = Field(nodes=10_000, side_m=200.0 * 20**0.5)  # as dense as the smaller one
LARGE_BATTERY = Battery(1e5)  # nobody dies: each death would take planning anew
LARGE_ROUNDS = 40  # two cycles
BARS = {
    "semps outlives mte: half dead later",
    "semps outlives unicast: half dead later",
    "semps: first death no earlier than mte",
    "semps: first death no earlier than unicast",
    "semps is more precise than mte",
    "ours: sparing outlives semps by a fifth",
    "ours: sparing recalls no less than semps",
}


def findings() -> Iterator[Finding]:
    """What a match and a run take."""
    yield from matching()
    for routing in ROUTINGS:
        for electronics in Electronics:
            seconds, rounds = _in_own_process(_timed, routing, electronics)
            what = f"{routing}, {electronics}: half of 500 dead in {rounds:,} rounds"
            yield at_most(f"{what}: a core's", seconds, SECONDS, " s")


def matching() -> Iterator[Finding]:
    """What tests take: between any two classes, as the paper counts, and in a network."""
    pool, meaning = pool_of(Interests()), begun(Scenario(), SEEDS[0]).meaning
    names = [pool.ontology.names.short(name) for name in pool.ontology.classes]
    plain = [text for text in meaning.subscriptions if " " not in text]
    others = [text for text in meaning.subscriptions if " " in text]
    yield from _tests("any two classes", pool, names, names, published=True)
    yield from _tests("500 nodes", pool, meaning.events, meaning.subscriptions)
    yield from _tests("  asking for one class", pool, meaning.events, plain)
    yield from _tests("  asking for more", pool, meaning.events, others)


def _tests(
    what: str, pool: Pool, events: Sequence[str], asked: Sequence[str], published: bool = False
) -> Iterator[Finding]:
    works = [one for row in pool.works(events, asked) for one in row]
    tests = sum(one.tests for one in works)
    divided = sum(one.divisions for one in works) / tests
    of_two = [one for one in works if not one.matches]
    refused = sum(one.divisions for one in of_two) / sum(one.tests for one in of_two)
    instructions = mean_instructions(works, Computing())
    yield Finding(f"{what}: tests in a match", f"{tests / len(works):.2f}")
    yield Finding(
        f"{what}: of them divided", f"{divided:.1%}", published="5-10 %" if published else ""
    )
    yield Finding(f"{what}: where there is no match", f"{refused:.1%}")
    yield Finding(
        f"{what}: instructions a test", f"{instructions:.1f}", published="50" if published else ""
    )


def large() -> Iterator[Finding]:
    """The most memory that a process needs for 10,000 nodes, from its beginning on."""
    for routing in ROUTINGS:
        gigabytes, seconds = _in_own_process(_measured, routing, Electronics.STATED)
        what = f"{routing}: {LARGE.nodes:,} nodes, {LARGE_ROUNDS} rounds"
        yield at_most(f"{what}: memory", gigabytes, GIGABYTES, " GB")
        yield Finding("  a core's time", f"{seconds:,.0f} s")


def lifetimes() -> Iterator[Finding]:
    """Who outlives whom, by default."""
    cells = cells_of({Point(): Scenario()}, COMPARED, SEEDS)
    runs = run_cells(cells, os.cpu_count() or 1, lambda done, total, said: None)
    standing = standings(runs)
    yield Finding("lifetimes: seeds, electronics", f"{len(SEEDS)}, stated")
    for one in standing:
        yield from _standing(one)
    for judged in judgements(standing):
        yield _judged(judged)


def _standing(one: Standing) -> Iterator[Finding]:
    for figure, digits in (("first_death", 0), ("half_dead", 0), ("precision", 3), ("recall", 3)):
        found = one.interval(attrgetter(figure))
        said = "not reached" if found is None else found.said(digits)
        yield Finding(f"  {one.routing}: {figure.replace('_', ' ')}", said)


def _judged(judged: Judgement) -> Finding:
    statement, difference = judged.statement, judged.difference
    digits = 0 if statement.figure in ("half_dead", "first_death") else 3
    said = "-" if difference is None else difference.said(digits)
    if statement.text not in BARS:
        return Finding(f"{statement.text}: {judged.verdict}", said)
    return Finding(statement.text, said, "> 0", judged.verdict is Verdict.HOLDS)


def _in_own_process(
    work: Callable[[str, Electronics], R], routing: str, electronics: Electronics
) -> R:
    """What some work gives in a new process, on one core."""
    with _on_one_core(), get_context("spawn").Pool(1) as pool:
        return pool.apply(work, (routing, electronics))


@contextmanager
def _on_one_core() -> Iterator[None]:
    """Processes that are begun here stay on one core, and so do their libraries' threads."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _timed(routing: str, electronics: Electronics) -> tuple[float, int]:
    """The seconds of a core for one run, with machine code at hand."""
    _small(routing)
    started = time.process_time()
    outcome = simulate(Scenario(routing, radio=Radio(electronics)), SEEDS[0])
    return time.process_time() - started, outcome.rounds


def _measured(routing: str, electronics: Electronics) -> tuple[float, float]:
    """The most memory of a process, in gigabytes, and the seconds of a core."""
    _small(routing)
    started = time.process_time()
    scenario = Scenario(
        routing,
        field=LARGE,
        radio=Radio(electronics),
        battery=LARGE_BATTERY,
        rounds=LARGE_ROUNDS,
    )
    simulate(scenario, SEEDS[0])
    seconds = time.process_time() - started
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, seconds


def _small(routing: str) -> Outcome:
    return simulate(Scenario(routing, field=Field(nodes=30), rounds=3), SEEDS[0])
