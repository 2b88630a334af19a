"""The rounds of a network while nothing in it changes: one that is looked at, or many at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from purport.network.dissemination import message_bits
from purport.network.energy import For, Picojoules
from purport.network.network import Network
from purport.network.round_kernel import (
    DUE,
    EVERY,
    FORBIDDEN,
    NOTED,
    RELEVANT,
    TALLIES,
    UNCONNECTED,
    WINDOW,
    Desk,
    Due,
    Nodes,
    Numbers,
    Places,
    Rules,
    run_round,
)
from purport.network.routing.routing import Routing
from purport.network.scenario import Scenario
from purport.network.traffic import Events, Traffic, laid_out
from purport.network.ways import Why

_AT_ONCE = 1_000_000  # events times nodes that are laid out together, where they do not meet
_MORE_SLOTS = 2 * WINDOW
_ENDLESS = 1 << 60
_NO_NOTES = np.empty((0, 5), np.int32)


def rules_of(scenario: Scenario) -> Rules:
    """How messages fare in a scenario."""
    air, radio = scenario.air, scenario.radio
    return Rules(
        air.half_duplex,
        air.interference,
        air.loss,
        air.retransmissions,
        air.slots,
        max(1, round(air.awake * WINDOW)),
        air.guard_ms / 1000 if air.drift_ppm else np.inf,
        scenario.publishing.chance,
        8 * radio.header_bytes,
        radio.nj_per_bit * 1000,
        radio.amplifier_pj_per_bit_m2,
    )


@dataclass(frozen=True)
class Figures:
    """What is counted: the places of `tally` are in `round_kernel`."""

    tally: Places
    hops: Places

    @classmethod
    def none(cls, nodes: int) -> Figures:
        return cls(np.zeros(TALLIES, np.int64), np.zeros(nodes + 1, np.int64))

    def add(self, other: Figures, times: int) -> None:
        """Count the same so many times more."""
        self.tally[:] += other.tally * times
        self.hops[:] += other.hops * times


@dataclass(frozen=True)
class _Part:
    """Some events of a round, as they are laid out, with room to run them."""

    traffic: Traffic
    due: Due
    desk: Desk
    unserved: Numbers


class Planned:
    """What a routing has planned for the network as it is now.

    `bill_pj` is what publishing once takes each node, for what by rows, if nobody dies and all
    arrives, and `figures` what is counted then: in perfect air, all rounds are like this.
    """

    def __init__(self, network: Network, routing: Routing, rules: Rules) -> None:
        self._network, self._routing, self._rules = network, routing, rules
        publishers, nodes = network.publishers, len(network)
        is_alone = network.scenario.air.is_perfect
        at_once = max(1, _AT_ONCE // nodes if is_alone else len(publishers))
        starts = range(0, len(publishers), at_once)
        self._groups = [publishers[start : start + at_once] for start in starts]
        self._missed: list[tuple[Numbers, Numbers]] = []
        self._kept: _Part | None = None
        self.bill_pj: Picojoules = np.zeros((len(For), nodes), np.int64)
        self.figures = Figures.none(nodes)
        self._foresee()

    @property
    def is_silent(self) -> bool:
        """Whether nobody publishes."""
        return not self._groups

    def run(self, key: int, figures: Figures) -> None:
        """Publish once, message by message; who cannot pay falls."""
        nodes = self._nodes()
        for number in range(len(self._groups)):
            self._run(self._part(number), self._rules, nodes, figures, key, _NO_NOTES)
        self._network.batteries.alive &= ~self._network.batteries.fell

    def run_noted(self, key: int, figures: Figures) -> Iterator[tuple[Traffic, Numbers]]:
        """The same; what was sent, with a row of notes for each copy: see `run_round`."""
        nodes = self._nodes()
        for number in range(len(self._groups)):
            part = self._part(number)
            copies = len(part.traffic.laid.receiver) * (1 + self._rules.retransmissions)
            notes = np.empty((copies, 5), np.int32)
            self._run(part, self._rules, nodes, figures, key, notes)
            count, figures.tally[NOTED] = int(figures.tally[NOTED]), 0
            yield part.traffic, notes[:count]
        self._network.batteries.alive &= ~self._network.batteries.fell

    def _nodes(self) -> Nodes:
        network, batteries = self._network, self._network.batteries
        return Nodes(
            network.positions,
            batteries.left_pj,
            batteries.spent_pj,
            network.up,
            batteries.fell,
            network.near,
            network.clock_s,
        )

    def _foresee(self) -> None:
        """Publish once in perfect air, with batteries that never end."""
        network = self._network
        nodes = Nodes(
            network.positions,
            np.full(len(network), _ENDLESS, np.int64),
            self.bill_pj,
            network.up,
            np.zeros(len(network), np.bool_),
            network.near,
            np.zeros(len(network)),
        )
        rules = self._rules._replace(half_duplex=False, interference=False, loss=0.0, chance=1.0)
        for number, group in enumerate(self._groups):
            nothing = np.zeros(len(group), np.int32)
            self._missed.append((nothing, nothing))
            part = self._part(number)
            self._run(part, rules, nodes, self.figures, 0, _NO_NOTES)
            self._missed[number] = _missed(part)
            for place, missed in zip((FORBIDDEN, UNCONNECTED), self._missed[number], strict=True):
                self.figures.tally[place] += missed.sum()
            if len(self._groups) == 1:
                self._kept = _with_missed(part, self._missed[number])
        tally = self.figures.tally
        assert tally[DUE] == tally[RELEVANT] + tally[FORBIDDEN] + tally[UNCONNECTED], tally

    def _run(
        self,
        part: _Part,
        rules: Rules,
        nodes: Nodes,
        figures: Figures,
        key: int,
        notes: Numbers,
    ) -> None:
        run_round(
            part.traffic, rules, nodes, part.due, part.desk, figures.tally, figures.hops, notes, key
        )

    def _part(self, number: int) -> _Part:
        if self._kept is not None:
            return self._kept
        network, group = self._network, self._groups[number]
        scenario = network.scenario
        kinds = network.published[group]
        sizes = network.meaning.event_bytes[kinds] + scenario.radio.data_bytes
        events = Events(
            group, kinds, message_bits(network, sizes), self._routing.matching_pj(network)[kinds]
        )
        ways = self._routing.ways(network, group)
        is_shared = scenario.shared_paths
        traffic = laid_out(ways, events, network.positions, network.air, is_shared)
        due = Due(
            network.meaning.wanted,
            network.meaning.own_work_pj,
            network.wanted_by(group).sum(axis=1).astype(np.int32),
            *self._missed[number],
        )
        return _Part(traffic, due, _desk(traffic, self._rules, len(network)), ways.unserved)


def _desk(traffic: Traffic, rules: Rules, nodes: int) -> Desk:
    """Room for all that can be in the air at a time."""
    transmissions, copies = len(traffic.laid.sender), len(traffic.laid.receiver)
    events = len(traffic.events.publisher)
    most = int(np.bincount(traffic.laid.sender, minlength=1).max())
    slots = (rules.slots + EVERY * most + _MORE_SLOTS) * WINDOW // rules.awake + _MORE_SLOTS
    return Desk(
        np.empty(slots, np.int32),
        np.empty(events, np.int32),
        np.empty(slots, np.int32),
        np.empty(transmissions, np.int32),
        np.empty(min(transmissions, nodes), np.int32),
        np.empty(transmissions, np.int32),
        np.empty(copies, np.bool_),
        np.empty(copies, np.bool_),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty((events, nodes), np.bool_),
    )


def _missed(part: _Part) -> tuple[Numbers, Numbers]:
    """To how many no way leads, by events: what is forbidden, and what is unconnected.

    Who is led to by chance, as a relay, is not among them.
    """
    event, node, why = part.unserved.T
    is_missed = ~part.desk.received[event, node]
    events = len(part.traffic.events.publisher)
    forbidden, unconnected = (
        np.bincount(event[is_missed & (why == one)], minlength=events).astype(np.int32)
        for one in (Why.FORBIDDEN, Why.UNCONNECTED)
    )
    return forbidden, unconnected


def _with_missed(part: _Part, missed: tuple[Numbers, Numbers]) -> _Part:
    due = part.due._replace(forbidden=missed[0], unconnected=missed[1])
    return replace(part, due=due)
