"""Plays generated cases to an engine and to pyoxigraph, and compares what is told.

As a program it does so many times, and writes a report:
`python -m tests.sparql.requery --cases 10000 -o docs/reports/sparql-requery.md`.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings
from pyoxigraph import BlankNode, DefaultGraph, NamedNode, Quad, QuerySolutions, Store

from purport.sparql import Engine, Notification
from tests.oracles.requery_engine import canonical, take_over
from tests.sparql.follower import Follower
from tests.strategies.sparql import Case, Comparison, cases

Update = Callable[[str], list[Notification]]


@dataclass(slots=True)
class Tally:
    """What became of cases."""

    cases: int = 0
    updates: int = 0
    subscriptions: int = 0
    notifications: int = 0
    cases_with_notifications: int = 0
    comparisons: Counter[Comparison] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)  # in how many queries
    telling: Counter[str] = field(default_factory=Counter)  # in how many that told something


def play(
    case: Case,
    tally: Tally,
    *,
    way: Callable[[Engine], Update] | None = None,
    engine: Engine | None = None,
) -> None:
    """Play a case; raises `AssertionError` where the engine tells anything but the truth."""
    engine, theirs = engine or Engine(), Store()
    update = engine.update if way is None else way(engine)
    assert run(case.graph, update, engine, theirs) == []
    followers: dict[int, Follower] = {}
    told: Counter[int] = Counter()
    for moment, text in enumerate(case.updates):
        for number, one in enumerate(case.subscribed):
            if one.since == moment:
                live = engine.subscribe(one.query.text, one.query.dataset)
                followers[number] = Follower(one.query, live, theirs)
            if one.until == moment:
                engine.unsubscribe(followers.pop(number).live.id)
        news = run(text, update, engine, theirs)
        assert {one.subscription_id for one in news} <= {one.live.id for one in followers.values()}
        for number, follower in followers.items():
            told[number] += follower.hear(news)
    _count(case, told, tally)


def run(text: str, update: Update, engine: Engine, theirs: Store) -> list[Notification]:
    """Run an update on both sides, which then hold the same, with the engine's blank nodes."""
    told = update(text)
    theirs.update(text)
    ours, graphs = quads_of(engine), named_graphs_of(engine)
    assert graphs == set(theirs.named_graphs())
    if ours != set(theirs):
        assert canonical(ours) == canonical(theirs)
        take_over(theirs, ours, graphs)
    return told


def quads_of(engine: Engine) -> set[Quad]:
    """All that an engine's store holds."""
    found = engine.query("SELECT * WHERE { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }")
    assert isinstance(found, QuerySolutions)
    return {Quad(one["s"], one["p"], one["o"], one["g"] or DefaultGraph()) for one in found}


def named_graphs_of(engine: Engine) -> set[NamedNode | BlankNode]:
    """Its named graphs, also those without quads."""
    found = engine.query("SELECT ?g WHERE { GRAPH ?g { } }")
    assert isinstance(found, QuerySolutions)
    return {one["g"] for one in found}


def _count(case: Case, told: Counter[int], tally: Tally) -> None:
    tally.cases += 1
    tally.updates += len(case.updates)
    tally.subscriptions += len(case.subscribed)
    tally.notifications += told.total()
    tally.cases_with_notifications += any(told.values())
    for number, one in enumerate(case.subscribed):
        tally.comparisons[one.query.comparison] += 1
        tally.features.update(one.query.features)
        if told[number]:
            tally.telling.update(one.query.features)


def played(count: int) -> Tally:
    """So many cases, all of which agreed."""
    tally = Tally()

    @seed(1)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(cases)
    def play_it(case: Case) -> None:
        play(case, tally)

    play_it()
    return tally


def report(tally: Tally, seconds: float) -> str:
    """What was tried, as a page."""
    rows = {
        "cases": tally.cases,
        "of them, told of something": tally.cases_with_notifications,
        "subscriptions": tally.subscriptions,
        "update requests": tally.updates,
        "notifications": tally.notifications,
        "disagreements": 0,
    }
    counted = "\n".join(f"| {what} | {count:,} |" for what, count in rows.items())
    compared = "\n".join(f"| {what} | {tally.comparisons[what]:,} |" for what in Comparison)
    features = "\n".join(
        f"| {_in_a_table(name)} | {count:,} | {tally.telling[name]:,} |"
        for name, count in sorted(tally.features.items(), key=lambda one: (-one[1], one[0]))
    )
    return f"""# Subscribed queries, against queries asked anew

Random graphs, random queries and random update requests over all of SPARQL 1.1. After every request
pyoxigraph, which has run the same request by itself, is asked every query in full; what the engine
told must be the difference to the answer before, and nothing where there is none. What is left out
because several answers are right, or pyoxigraph's is not, is listed in `tests/strategies/sparql`.

| | |
|---|---:|
{counted}

What must be the same:

| | subscriptions |
|---|---:|
{compared}

How many subscribed queries made use of what, and how many of these were told of something:

| | queries | told of something |
|---|---:|---:|
{features}

Python {platform.python_version()}, {os.cpu_count()} cores, {seconds:.0f} s: `make test-long`.
"""


def _in_a_table(name: str) -> str:
    return "`" + name.replace("|", "\\|") + "`"


def main() -> None:
    """Play cases, and write the report if all agreed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("-o", "--output", type=Path)
    given_arguments = parser.parse_args()
    began = time.monotonic()
    page = report(played(given_arguments.cases), time.monotonic() - began)
    sys.stdout.write(page)
    if given_arguments.output is not None:
        given_arguments.output.write_text(page)


if __name__ == "__main__":
    main()
