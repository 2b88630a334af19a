"""What it costs to keep subscriptions ordered by covering, and what the order saves."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from math import inf
from random import Random
from statistics import median
from time import perf_counter

from benchmarks.class_subscriptions import SPEED, balanced_ontology
from benchmarks.finding import RUNS, Finding, at_most, quickest_seconds, ratio
from purport import Event, Matcher, Ontology, Subscription, parse
from purport.broker.matching_engine import MatchingEngine
from purport.covering.graph import CoveringGraph

SUBSCRIPTIONS = 10_000
NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)
LAST = 100  # insertions of which the median is taken
TIMES = 3
MOST_MILLISECONDS = 5.0
EVENTS = 200
TAGS = [f"tag {number}" for number in range(40)]


def findings() -> Iterator[Finding]:
    yield from _insertions()
    yield from _sharing()
    yield from _kernel()


# ---- the cost of the order ----


def _insertions() -> Iterator[Finding]:
    ontology = balanced_ontology()
    workloads: dict[str, tuple[Callable[[Random], str], Ontology | None]] = {
        "interests: kind, room, value, floor": (_interest, None),
        "interests in time": (_in_time, None),
        "one chain: {a > x}": (_chain, None),
        "boxes: {a > x, b < y, c in [z, w]}": (_box, None),
        "bags: {tags within (...)}": (_bag, None),
        "classes of 11,111": (partial(_of_class, sorted(ontology.axioms.classes)), ontology),
    }
    for what, (text, known) in workloads.items():
        random = Random(1)
        subscriptions = [parse(text(random)) for _ in range(SUBSCRIPTIONS)]
        graph = CoveringGraph(ontology=known)
        for number, one in enumerate(subscriptions[:-LAST]):
            graph.add(str(number), one)
        added, removed = _last_ones(graph, subscriptions[-LAST:])
        name = f"{what}: the {SUBSCRIPTIONS:,}th insertion"
        yield at_most(name, 1e3 * median(added), MOST_MILLISECONDS, " ms")
        slowest = f"{what}: the slowest of the last {LAST} insertions"
        yield at_most(slowest, 1e3 * max(added), MOST_MILLISECONDS, " ms")
        yield Finding(f"{what}: a removal, and the slowest", _milliseconds(removed))
        share = 100 * len(graph.roots) / SUBSCRIPTIONS
        yield Finding(f"{what}: covered by no other", f"{share:.1f} %")


def _last_ones(
    graph: CoveringGraph, subscriptions: Sequence[Subscription]
) -> tuple[list[float], list[float]]:
    """Seconds to insert and to remove each of the last ones, the quickest of several times."""
    added, removed = [], []
    for number, one in enumerate(subscriptions):
        name = f"last {number}"
        into, out_of = [], []
        for _ in range(TIMES):
            started = perf_counter()
            graph.add(name, one)
            into.append(perf_counter() - started)
            started = perf_counter()
            graph.remove(name)
            out_of.append(perf_counter() - started)
        graph.add(name, one)
        added.append(min(into))
        removed.append(min(out_of))
    return added, removed


def _milliseconds(seconds: Sequence[float]) -> str:
    return f"{1e3 * median(seconds):.1f} ms, {1e3 * max(seconds):.1f} ms"


def _interest(random: Random) -> str:
    asked = [f"kind = kind {random.randrange(100)}"]
    if random.random() < 0.6:
        asked.append(f"room = room {random.randrange(200)}")
    if random.random() < 0.7:
        asked.append(f"value > {random.randrange(100)}")
    if random.random() < 0.3:
        asked.append(f"floor in ({random.randrange(5)}, {random.randrange(5, 10)})")
    return "{" + ", ".join(asked) + "}"


def _in_time(random: Random) -> str:
    before = f"start after({random.randrange(1, 100)} s)"
    witness = f"kind = kind {random.randrange(10)}, level > {random.randrange(50)}"
    return f"{{kind = kind {random.randrange(100)}, {before} {{{witness}}}}}"


def _chain(random: Random) -> str:
    return f"{{a > {random.randrange(10**9)}}}"


def _box(random: Random) -> str:
    a, b = random.randrange(10**6), random.randrange(10**6)
    return f"{{a > {a}, b < {b}, c in [{random.randrange(100)}, {random.randrange(100, 200)}]}}"


def _bag(random: Random) -> str:
    count = random.choice([2, 3, 4, 6, 8, 12, 16, 24, 32])
    kind = random.randrange(20)
    return f"{{kind = kind {kind}, tags within ({', '.join(random.sample(TAGS, count))})}}"


def _of_class(names: Sequence[str], random: Random) -> str:
    expression = f"<{random.choice(names)}>"
    if random.random() < 0.5:
        limit = f"<http://www.w3.org/2001/XMLSchema#integer>[> {random.randrange(100)}]"
        expression = f"({expression} and (<{SPEED.name}> some {limit}))"
    return f"{{type isa {expression}, room = room {random.randrange(20)}}}"


# ---- what the order saves ----


def _sharing() -> Iterator[Finding]:
    ontology = balanced_ontology()
    names = sorted(one for one in ontology.axioms.classes if one.count(".") <= 2)
    leaves = [one for one in ontology.axioms.classes if one.count(".") == 4]
    random = Random(2)

    def tagged() -> Event:
        tags = random.sample(TAGS, random.randrange(1, 5))
        return Event.from_json({"kind": f"kind {random.randrange(20)}", "tags": tags})

    def described() -> Event:
        said = {"type": random.choice(leaves), SPEED.name: random.randrange(100)}
        return Event.from_json(said | {"room": f"room {random.randrange(20)}"})

    workloads: dict[str, tuple[Callable[[], str], Callable[[], Event], Ontology | None]] = {
        "neighbouring tags": (lambda: _row_of_tags(random), tagged, None),
        "any tags": (lambda: _bag(random), tagged, None),
        "described classes": (lambda: _of_class(names, random), described, ontology),
    }
    for what, (text, event, known) in workloads.items():
        subscriptions = list(dict.fromkeys(parse(text()) for _ in range(3000)))
        events = [event() for _ in range(EVENTS)]
        yield from _shared(what, subscriptions, events, known)


def _row_of_tags(random: Random) -> str:
    count = random.choice([2, 3, 4, 6, 8, 12, 16, 24, 32])
    first = random.randrange(len(TAGS) - count + 1)
    return f"{{tags within ({', '.join(TAGS[first : first + count])})}}"


def _shared(
    what: str,
    subscriptions: Sequence[Subscription],
    events: Sequence[Event],
    ontology: Ontology | None,
) -> Iterator[Finding]:
    """Subscriptions looked at by their plans, and the time of an event, with the order and not."""
    matchers = [Matcher(measure="exact", ontology=ontology) for _ in range(2)]
    engines = [
        MatchingEngine(partial(_same, matcher), uses_covering=uses_covering)
        for matcher, uses_covering in zip(matchers, (False, True), strict=True)
    ]
    for number, one in enumerate(subscriptions):
        for engine in engines:
            engine.add(str(number), one)
    told = [[engine.answers([event], NOON) for event in events] for engine in engines]
    assert told[0] == told[1]
    looked_at = [matcher.plans_run / len(events) for matcher in matchers]
    seconds = [inf, inf]
    for _ in range(RUNS):  # one beside the other, as a machine is busy now and then
        for place, engine in enumerate(engines):
            taken = quickest_seconds(partial(_answer_all, engine, events), 1)
            seconds[place] = min(seconds[place], taken)
    name = f"{what}: {len(subscriptions):,} subscriptions"
    yield Finding(f"{name}, looked at by their plans", f"{looked_at[0]:.1f}")
    yield Finding(f"{name}, under what covers them", f"{looked_at[1]:.1f}")
    yield ratio(f"{name}, an event takes without the order", seconds[0], seconds[1])


def _answer_all(engine: MatchingEngine, events: Sequence[Event]) -> None:
    for event in events:
        engine.answers([event], NOON)


def _same(matcher: Matcher) -> Matcher:
    return matcher


def _kernel() -> Iterator[Finding]:
    """Would the order save anything where a kernel matches?"""
    random = Random(3)
    subscriptions = list(dict.fromkeys(parse(_interest(random)) for _ in range(SUBSCRIPTIONS)))
    graph = CoveringGraph()
    for number, one in enumerate(subscriptions):
        graph.add(str(number), one)
    roots = {int(name) for name in graph.roots}
    events = [Event.from_json(_reading(random)) for _ in range(20 * EVENTS)]
    everything, general, others = Matcher(subscriptions), Matcher(), Matcher()
    for number, one in enumerate(subscriptions):
        (general if number in roots else others).add(one)

    def in_two_steps() -> None:
        for event in events:
            if general.match_rows([event]):
                others.match_rows([event])

    def at_once() -> None:
        for event in events:
            everything.match_rows([event])

    for work in (at_once, in_two_steps):
        work()
    before = everything.visited
    at_once()
    visited = (everything.visited - before) / len(events)
    yield Finding("interests: the kernel looks at, of 10,000, for an event", f"{visited:.1f}")
    alone = quickest_seconds(at_once, 3)
    yield ratio(
        "interests: the general ones first, the others if one matches",
        quickest_seconds(in_two_steps, 3),
        alone,
    )


def _reading(random: Random) -> dict[str, object]:
    return {
        "kind": f"kind {random.randrange(200)}",
        "room": f"room {random.randrange(200)}",
        "value": random.randrange(100),
        "floor": random.randrange(10),
    }
