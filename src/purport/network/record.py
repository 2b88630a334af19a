"""What is written down of a run, and what comes of it."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from purport.network.energy import PER_JOULE, For
from purport.network.network import Network
from purport.network.outcome import Delivery, Energy, Messages, Outcome, Snapshot, Step
from purport.network.planned import Figures
from purport.network.round_kernel import (
    CONFIRMATIONS,
    DUE,
    FORBIDDEN,
    PUBLISHED,
    RECEPTIONS,
    RELEVANT,
    UNCONNECTED,
    Numbers,
)
from purport.network.routing.routing import Routing
from purport.network.traffic import Traffic
from purport.network.watching import Progress, Watching


class Record:
    """Figures, snapshots and steps of one run."""

    def __init__(self, network: Network, watching: Watching) -> None:
        self.figures = Figures.none(len(network))
        self._watching = watching
        self._first_left_pj = network.batteries.left_pj.copy()
        self._snapshots: list[Snapshot] = []
        self._steps: list[Step] = []
        self.silent: int | None = None

    def look(self, network: Network, routing: Routing, *, is_over: bool) -> None:
        """The network before its next round, or at the end."""
        watching = self._watching
        if watching.on_progress is not None:
            alive = int(network.batteries.alive.sum())
            watching.on_progress(Progress(network.round, alive, len(network)))
        is_last = is_over and (watching.snapshots_after or watching.snapshots_every)
        is_new = not self._snapshots or self._snapshots[-1].round != network.round
        if is_new and (is_last or watching.wants_snapshot(network.round)):
            self._snapshots.append(snapshot_of(network, routing))

    def wants_steps(self, round: int) -> bool:
        """Whether messages of a round are kept."""
        return round in self._watching.steps_of

    def add_steps(self, round: int, traffic: Traffic, notes: Numbers) -> None:
        """Messages as they were noted."""
        laid, events = traffic.laid, traffic.events
        for (slot, one, _), copies in groupby(notes.tolist(), key=lambda note: tuple(note[:3])):
            rows = list(copies)
            event = int(laid.event[one])
            self._steps.append(
                Step(
                    round,
                    slot,
                    int(events.publisher[event]),
                    int(events.kind[event]),
                    int(laid.sender[one]),
                    tuple(row[3] for row in rows),
                    tuple(bool(row[4]) for row in rows),
                    float(np.sqrt(traffic.reach_m2[one])),
                )
            )

    def outcome(self, network: Network) -> Outcome:
        """All that came of it."""
        tally = [int(number) for number in self.figures.tally]
        hops = np.trim_zeros(self.figures.hops, "b")
        joules = network.batteries.spent_pj.sum(axis=1, dtype=object) / PER_JOULE
        control, meaning = network.control, network.meaning
        return Outcome(
            network.scenario,
            network.seed,
            network.round,
            tuple(network.died.tolist()),
            self.silent,
            Energy(
                computation_j=float(joules[For.COMPUTATION]),
                control_j=float(joules[For.CONTROL]),
                data_j=float(joules[For.DATA]),
                idle_j=float(joules[For.IDLE]),
                left_j=float(network.batteries.left_pj.sum(dtype=object) / PER_JOULE),
            ),
            Messages(*tally[:CONFIRMATIONS]),
            Messages(
                tally[CONFIRMATIONS] + control.transmissions,
                tally[CONFIRMATIONS + 1] + control.copies,
                tally[CONFIRMATIONS + 2] + control.copies,
                tally[CONFIRMATIONS + 3],
            ),
            Delivery(
                tally[PUBLISHED],
                tally[DUE],
                tally[RELEVANT],
                tally[FORBIDDEN],
                tally[UNCONNECTED],
                tally[RECEPTIONS],
                tally[RELEVANT],
                tuple(hops.tolist()),
            ),
            tuple(((self._first_left_pj - network.batteries.left_pj) / PER_JOULE).tolist()),
            _roles(network),
            meaning.events,
            tuple(meaning.published.tolist()),
            tuple(tuple(meaning.subscriptions[one] for one in asked) for asked in meaning.asked),
            tuple(self._snapshots),
            tuple(self._steps),
        )


def snapshot_of(network: Network, routing: Routing) -> Snapshot:
    """The network as it is."""
    clusters = routing.clusters(network)
    return Snapshot(
        network.round,
        tuple((x, y) for x, y in network.positions.tolist()),
        tuple((network.batteries.left_pj / PER_JOULE).tolist()),
        tuple(network.batteries.alive.tolist()),
        tuple(network.publishers.tolist()),
        tuple(sorted({head for head, _ in clusters})),
        tuple((head, member) for head, member in clusters if head != member),
        tuple((one, other) for one, other in network.pairs.tolist()),
    )


def _roles(network: Network) -> tuple[str, ...]:
    meaning = network.meaning
    return tuple(
        "publisher" if published >= 0 else "subscriber" if asked else "relay"
        for published, asked in zip(meaning.published.tolist(), meaning.asked, strict=True)
    )
