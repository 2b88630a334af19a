"""A run to be looked at: the network from time to time, and the ways of some events.

It is what the page of a report plays, as small as it can be: a battery is one letter of `LEVELS`,
links are those that have come and gone since the picture before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from purport.evaluation.semps.grid import Cell
from purport.evaluation.semps.processes import Tell, done_in_processes
from purport.evaluation.semps.running import watched
from purport.evaluation.semps.topics import Topics
from purport.network.interests import Pool, pool_of
from purport.network.outcome import Outcome, Snapshot, Step
from purport.network.watching import Watching

LEVELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # of batteries
DEAD = "-"
_LIMIT = re.compile(r"some [^\s\[]+\[([^\]]+)\]")
_PREFIX = re.compile(r"\b[\w.-]*:(?=\w)")
_STILLS = 24
_WAYS = 5  # at the beginning, and as many later
_MOST_NODES_WITH_WAYS = 1_000  # beyond, the messages of a round would fill the memory

Links = tuple[int, ...]  # pairs of nodes, one after the other


@dataclass(frozen=True, slots=True)
class Still:
    """The network after a round; `positions` in decimetres, where they have changed."""

    round: int
    alive: int
    levels: str  # of each node, DEAD if it is
    publishers: tuple[int, ...]
    heads: tuple[int, ...]
    clusters: Links
    linked: Links
    unlinked: Links
    positions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Hop:
    """A message: when, by whom, to whom, and who of these has not got it."""

    slot: int
    sender: int
    receivers: tuple[int, ...]
    lost: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """What became of an event, and who was due it."""

    round: int
    publisher: int
    event: str
    due: tuple[int, ...]
    hops: tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class Film:
    """A run as it is shown."""

    routing: str
    seed: int
    side_m: float
    roles: tuple[str, ...]
    topics: tuple[str, ...]  # of what each node publishes or asks for; empty: of nothing
    says: tuple[str, ...]  # and what that is, in words
    stills: tuple[Still, ...]
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Showing:
    """A run that is to be shown, and how many rounds it is known to take."""

    cell: Cell
    rounds: int


def films_of(showings: Sequence[Showing], processes: int, tell: Tell) -> list[Film]:
    """Each run once more, looked at."""
    return done_in_processes(film_of, showings, processes, tell)


def film_of(showing: Showing, said: Callable[[str], None]) -> Film:
    """Run once more: the same happens, since only seed and scenario decide."""
    cell, rounds = showing.cell, showing.rounds
    said(f"{cell.scenario.routing}: pictures")
    steps = max(1, min(_STILLS, rounds))
    after = sorted({rounds * step // steps for step in range(steps + 1)})
    middle = after[len(after) // 2]
    has_ways = cell.scenario.field.nodes <= _MOST_NODES_WITH_WAYS
    rounds_shown = tuple(sorted({1, middle + 1})) if has_ways else ()
    outcome = watched(cell, Watching(snapshots_after=tuple(after), steps_of=rounds_shown))
    pool, battery = pool_of(cell.scenario.interests), cell.scenario.battery
    return Film(
        cell.scenario.routing,
        cell.seed,
        _side(outcome),
        outcome.roles,
        tuple(_topics(outcome, Topics(pool))),
        tuple(_says(outcome)),
        tuple(_stills(outcome.snapshots, battery.joules * (1 + battery.spread))),
        tuple(_ways(outcome, pool)),
    )


def _side(outcome: Outcome) -> float:
    return max(chain.from_iterable(outcome.snapshots[0].positions_m), default=1.0) or 1.0


def _topics(outcome: Outcome, topics: Topics) -> Iterable[str]:
    for published, asked in zip(outcome.published, outcome.subscriptions, strict=True):
        if published >= 0:
            yield topics.of(outcome.events[published])
        else:
            yield topics.of(asked[0]) if asked else ""


def _says(outcome: Outcome) -> Iterable[str]:
    for published, asked in zip(outcome.published, outcome.subscriptions, strict=True):
        if published >= 0:
            yield f"publishes {_plain(outcome.events[published])}"
        else:
            yield f"asks for {'; '.join(map(_plain, asked))}" if asked else "relays"


def _plain(text: str) -> str:
    """An event or a subscription as people say it: `Smoke, level 3` and `Smoke, level >= 3`."""
    said = _LIMIT.sub(r"\1", text).replace(" that ", ", ").replace(" value ", " ")
    return _PREFIX.sub("", said)


def _stills(snapshots: Sequence[Snapshot], full_j: float) -> Iterable[Still]:
    before: frozenset[tuple[int, int]] = frozenset()
    places: tuple[tuple[float, float], ...] = ()
    for one in snapshots:
        links = frozenset(one.links)
        moved = one.positions_m != places
        yield Still(
            one.round,
            sum(one.alive),
            "".join(_level(energy / full_j, alive) for energy, alive in
                    zip(one.energies_j, one.alive, strict=True)),
            one.publishers,
            one.heads,
            tuple(chain.from_iterable(one.clusters)),
            tuple(chain.from_iterable(sorted(links - before))),
            tuple(chain.from_iterable(sorted(before - links))),
            tuple(round(10 * place) for place in chain.from_iterable(one.positions_m))
            if moved
            else (),
        )  # fmt: skip
        before, places = links, one.positions_m


def _level(share: float, alive: bool) -> str:
    return LEVELS[min(int(share * len(LEVELS)), len(LEVELS) - 1)] if alive else DEAD


def _ways(outcome: Outcome, pool: Pool) -> Iterable[Way]:
    """Of some events in each round that was looked at: from those few want to those many want."""
    told: dict[tuple[int, int, int], list[Step]] = {}
    for step in outcome.steps:
        told.setdefault((step.round, step.publisher, step.event), []).append(step)
    for round in sorted({round for round, _, _ in told}):
        due = {key: _due(outcome, pool, key[1], key[2]) for key in told if key[0] == round}
        ranked = sorted((key for key in due if due[key]), key=lambda key: (len(due[key]), key))
        for key in _spread(ranked):
            yield Way(round, key[1], _plain(outcome.events[key[2]]), due[key], _hops(told[key]))


def _spread(ranked: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Some of them, from the last to the first."""
    count = min(_WAYS, len(ranked))
    places = {len(ranked) - 1 - place * (len(ranked) - 1) // max(count - 1, 1)
              for place in range(count)}  # fmt: skip
    return [ranked[place] for place in sorted(places, reverse=True)]


def _due(outcome: Outcome, pool: Pool, publisher: int, event: int) -> tuple[int, ...]:
    """Who has a subscription that an event matches."""
    different = list(dict.fromkeys(chain.from_iterable(outcome.subscriptions)))
    [works] = pool.works([outcome.events[event]], different)
    answers = {text for text, work in zip(different, works, strict=True) if work.matches}
    return tuple(
        node
        for node, asked in enumerate(outcome.subscriptions)
        if node != publisher and not answers.isdisjoint(asked)
    )


def _hops(steps: Sequence[Step]) -> tuple[Hop, ...]:
    ordered = sorted(enumerate(steps), key=lambda step: (step[1].slot, step[0]))
    return tuple(
        Hop(
            step.slot,
            step.sender,
            step.receivers,
            tuple(
                node
                for node, arrived in zip(step.receivers, step.arrived, strict=True)
                if not arrived
            ),
        )
        for _, step in ordered
    )
