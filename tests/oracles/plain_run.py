"""A whole run, every round message by message, with everything planned anew before each."""

from __future__ import annotations

from collections import Counter

import numpy as np

from purport.network.beginning import begun
from purport.network.clocks import Clocks
from purport.network.dissemination import greeted
from purport.network.energy import For
from purport.network.motion import Wanderers
from purport.network.network import Network
from purport.network.routing.catalogue import routing_named
from purport.network.routing.routing import Routing
from purport.network.scenario import Scenario, Succession, Until
from purport.network.succession import bury, draw_publishers
from tests.oracles.plain_round import Books, PlainRound, mixed

_ROUNDS = 0x726F75
_POSITIVE = (1 << 63) - 1


class PlainRun:
    """Runs a scenario to its end; what was counted is in `counts`, `hops` and the network."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self.scenario = scenario
        self.network: Network = begun(scenario, seed)
        self.routing: Routing = routing_named(scenario.routing)
        self.counts: Counter[str] = Counter()
        self.hops: Counter[int] = Counter()
        self._wanderers = Wanderers(scenario.motion, self.network)
        self._clocks = Clocks(scenario.air, len(self.network), seed)
        self._key = mixed(seed, _ROUNDS) & _POSITIVE

    def run(self) -> None:
        network, routing = self.network, self.routing
        everybody = np.arange(len(network), dtype=np.int32)
        network.pay_control(routing.set_up(network, everybody[network.up]))
        if routing.uses_links:
            network.pay_control(greeted(network, network.pairs))
        self._prepare()
        while not self._is_over():
            self._one_round()
            self._prepare()

    def _is_over(self) -> bool:
        network, alive = self.network, self.network.batteries.alive
        dead = int((~alive).sum())
        limit = {Until.FIRST_DEATH: 1, Until.HALF_DEAD: len(alive) / 2, Until.ALL_DEAD: len(alive)}
        return (
            not (alive & (network.published >= 0)).any()
            or dead >= limit.get(self.scenario.until, len(alive) + 1)
            or network.round >= self.scenario.rounds
        )

    def _prepare(self) -> None:
        network, routing, scenario = self.network, self.routing, self.scenario
        nobody = np.zeros(len(network), np.bool_)
        bury(network)
        moved = self._wanderers.step(network) if self._wanderers.is_due(network.round) else nobody
        self._link(moved)
        cycle, rest = divmod(network.round, scenario.clusters.cycle_rounds)
        if not rest:
            if cycle and scenario.roles.succession is Succession.DRAWN:
                draw_publishers(network, cycle)
            if cycle % max(routing.cycles, 1) == 0:
                network.pay_control(routing.begin_cycle(network, cycle))
        if self._clocks.is_due(network.round):
            network.pay_control(self._clocks.set_all(network))
        while bury(network):
            self._link(nobody)
        network.pay_control(routing.plan(network))
        while bury(network):
            self._link(nobody)
            network.pay_control(routing.plan(network))

    def _link(self, moved: np.ndarray) -> None:
        network, routing = self.network, self.routing
        pairs = network.link(moved)
        if routing.uses_links:
            network.pay_control(greeted(network, pairs))
        newcomers = np.flatnonzero(moved & network.up).astype(np.int32)
        if len(newcomers):
            network.pay_control(routing.set_up(network, newcomers))

    def _one_round(self) -> None:
        network, scenario = self.network, self.scenario
        batteries, count = network.batteries, scenario.publishing.events_per_round
        self._clocks.go_on(network)
        self._plan()
        due = self._due()
        for number in range(count):
            key = mixed(self._key, network.round * count + number) & _POSITIVE
            spent = {one.name.lower(): batteries.spent_pj[one].tolist() for one in For}
            books = Books(batteries.left_pj.tolist(), spent, network.up.tolist())
            self._round(books).run(key)
            batteries.left_pj[:] = books.left
            for one in For:
                batteries.spent_pj[one] = books.spent[one.name.lower()]
            for node in books.fell:
                batteries.fell[node], batteries.alive[node] = True, False
            for event, (wanting, forbidden, unconnected) in enumerate(due):
                if books.counts[f"published {event}"]:
                    self.counts["due"] += wanting
                    self.counts["forbidden"] += forbidden
                    self.counts["unconnected"] += unconnected
            self.counts.update(books.counts)
            self.hops.update(books.hops)
        idle = scenario.battery.idle_uj_per_round * scenario.air.awake * 1e6
        batteries.pay(np.where(network.up, round(idle), 0), For.IDLE)
        network.round += 1

    def _due(self) -> list[tuple[int, int, int]]:
        """Of each event: to how many it is due, what is forbidden, and what is unconnected."""
        network, nodes = self.network, len(self.network)
        spent = {one.name.lower(): [0] * nodes for one in For}
        perfect = self._round(Books([1 << 60] * nodes, spent, network.up.tolist()))
        perfect.run(0, in_perfect_air=True)
        found = []
        for event, publisher in enumerate(self._publishers.tolist()):
            wanted = network.meaning.wanted[network.published[publisher]]
            unserved = self._ways.unserved[self._ways.unserved[:, 0] == event].tolist()
            missed = Counter(
                why for _, node, why in unserved if (event, node) not in perfect.received
            )
            found.append((int((wanted & network.up).sum()), missed[0], missed[1]))
        return found

    def _plan(self) -> None:
        """The ways of a round: who dies in it is missed before the next one."""
        network, radio = self.network, self.scenario.radio
        self._publishers = network.publishers
        self._ways = self.routing.ways(network, self._publishers)
        matching_pj = self.routing.matching_pj(network)
        self._events = []
        for publisher in self._publishers.tolist():
            kind = int(network.published[publisher])
            told = radio.header_bytes + radio.data_bytes + int(network.meaning.event_bytes[kind])
            self._events.append((publisher, kind, 8 * told, int(matching_pj[kind])))

    def _round(self, books: Books) -> PlainRound:
        return PlainRound(self.network, self._events, self._ways, books)
