"""A run, from a scenario and a seed to what came of it."""

from __future__ import annotations

import numpy as np

from purport.network.beginning import begun
from purport.network.chance import mixed
from purport.network.clocks import Clocks
from purport.network.dissemination import greeted
from purport.network.energy import PER_NANOJOULE, For, Picojoules
from purport.network.motion import Wanderers
from purport.network.network import Flags
from purport.network.outcome import Outcome
from purport.network.planned import Planned, rules_of
from purport.network.record import Record
from purport.network.routing.catalogue import routing_named
from purport.network.scenario import Scenario, Succession, Until
from purport.network.succession import bury, draw_publishers
from purport.network.watching import Progress, Watching

__all__ = ["Progress", "Watching", "simulate"]

_ROUNDS = 0x726F75  # what the chances of rounds are drawn for
_POSITIVE = (1 << 63) - 1
_PJ_PER_UJ = 1000 * PER_NANOJOULE


def simulate(scenario: Scenario, seed: int, watching: Watching | None = None) -> Outcome:
    """Run a scenario; `ScenarioError` if it cannot be."""
    return _Run(scenario, seed, watching or Watching()).run()


class _Run:
    """A run in its course."""

    def __init__(self, scenario: Scenario, seed: int, watching: Watching) -> None:
        self._scenario, self._watching = scenario, watching
        self._routing = routing_named(scenario.routing)
        self._network = begun(scenario, seed)
        self._rules = rules_of(scenario)
        self._wanderers = Wanderers(scenario.motion, self._network)
        self._clocks = Clocks(scenario.air, len(self._network), seed)
        self._record = Record(self._network, watching)
        self._key = int(mixed(seed, _ROUNDS)) & _POSITIVE
        idle = scenario.battery.idle_uj_per_round * scenario.air.awake
        self._idle_pj = round(idle * _PJ_PER_UJ)
        self._events = scenario.publishing.events_per_round
        self._planned: Planned | None = None

    def run(self) -> Outcome:
        """From the beginning to the end."""
        network, routing = self._network, self._routing
        network.pay_control(routing.set_up(network, np.flatnonzero(network.up).astype(np.int32)))
        if routing.uses_links:
            network.pay_control(greeted(network, network.pairs))
        while True:
            planned = self._changed()
            is_over = self._is_over()
            self._record.look(network, routing, is_over=is_over)
            if is_over:
                return self._record.outcome(network)
            self._go_on(planned)

    def _is_over(self) -> bool:
        network, scenario = self._network, self._scenario
        publishing = network.batteries.alive & (network.published >= 0)
        if not publishing.any():
            self._record.silent = network.round + 1
            return True
        dead = len(network) - int(network.batteries.alive.sum())
        match scenario.until:
            case Until.FIRST_DEATH if dead:
                return True
            case Until.HALF_DEAD if 2 * dead >= len(network):
                return True
            case Until.ALL_DEAD if dead == len(network):
                return True
        return network.round >= scenario.rounds

    def _changed(self) -> Planned:
        """Have happen what is due before the next round, and plan, if anything is new."""
        network, routing = self._network, self._routing
        moved = np.zeros(len(network), np.bool_)
        is_other = bury(network)
        if self._wanderers.is_due(network.round):
            before = network.up
            moved = self._wanderers.step(network)
            is_other = is_other or bool((moved | (before != network.up)).any())
        if is_other:
            self._relink(moved)
        if self._begin_cycle() or is_other:
            self._planned = None
        if self._clocks.is_due(network.round):
            network.pay_control(self._clocks.set_all(network))
        while bury(network):
            self._planned = None
            self._relink(np.zeros(len(network), np.bool_))
        if self._planned is None:
            network.pay_control(routing.plan(network))
            while bury(network):
                self._relink(np.zeros(len(network), np.bool_))
                network.pay_control(routing.plan(network))
            self._planned = Planned(network, routing, self._rules)
        return self._planned

    def _begin_cycle(self) -> bool:
        """A cycle, if one begins; whether it changes anything."""
        network, routing = self._network, self._routing
        cycle, rest = divmod(network.round, self._scenario.clusters.cycle_rounds)
        if rest:
            return False
        is_drawn = cycle > 0 and self._scenario.roles.succession is Succession.DRAWN
        if is_drawn:
            draw_publishers(network, cycle)
        is_planned = routing.cycles > 0 and cycle % routing.cycles == 0
        if is_planned:
            network.pay_control(routing.begin_cycle(network, cycle))
        return is_drawn or is_planned

    def _relink(self, moved: Flags) -> None:
        """Links as they are now; who moved or came back says again what it asks for."""
        network, routing = self._network, self._routing
        pairs = network.link(moved)
        if routing.uses_links:
            network.pay_control(greeted(network, pairs))
        newcomers = np.flatnonzero(moved & network.up).astype(np.int32)
        if len(newcomers):
            network.pay_control(routing.set_up(network, newcomers))

    def _go_on(self, planned: Planned) -> None:
        """Rounds until something may change: at once as many as are all alike, or else one."""
        rounds = self._rounds_ahead()
        if self._is_calm():
            alike = min(rounds, self._rounds_without_death(planned))
            if alike:
                self._repeat(planned, alike)
            rounds -= alike
        if rounds:
            self._one_round(planned)

    def _is_calm(self) -> bool:
        """Whether the next round is like any other, if nobody dies in it."""
        scenario = self._scenario
        is_certain = scenario.air.is_perfect and scenario.publishing.chance == 1
        return is_certain and not self._record.wants_steps(self._network.round + 1)

    def _rounds_ahead(self) -> int:
        network, scenario = self._network, self._scenario
        ahead = [scenario.rounds, self._watching.next_round(network.round)]
        ahead += [self._wanderers.next_round(network.round), self._clocks.next_round(network.round)]
        is_drawn = scenario.roles.succession is Succession.DRAWN
        every = scenario.clusters.cycle_rounds * (1 if is_drawn else self._routing.cycles)
        if every:
            ahead.append((network.round // every + 1) * every)
        return min(one for one in ahead if one is not None) - network.round

    def _bill(self, planned: Planned) -> Picojoules:
        bill = planned.bill_pj * self._events
        bill[For.IDLE, self._network.up] += self._idle_pj
        return bill

    def _rounds_without_death(self, planned: Planned) -> int:
        each = self._bill(planned).sum(axis=0)
        paying = self._network.up & (each > 0)
        if not paying.any():
            return self._scenario.rounds
        left = self._network.batteries.left_pj
        return int((left[paying] // each[paying]).min())

    def _repeat(self, planned: Planned, rounds: int) -> None:
        """So many rounds, all alike, in which nobody dies."""
        batteries = self._network.batteries
        spent = self._bill(planned) * rounds
        batteries.spent_pj += spent
        batteries.left_pj -= spent.sum(axis=0)
        self._record.figures.add(planned.figures, rounds * self._events)
        self._network.round += rounds

    def _one_round(self, planned: Planned) -> None:
        """A round, message by message."""
        network, record = self._network, self._record
        self._clocks.go_on(network)
        for number in range(self._events):
            key = int(mixed(self._key, network.round * self._events + number)) & _POSITIVE
            if record.wants_steps(network.round + 1):
                for traffic, notes in planned.run_noted(key, record.figures):
                    record.add_steps(network.round + 1, traffic, notes)
            else:
                planned.run(key, record.figures)
        idle = np.where(network.up, self._idle_pj, 0)
        network.batteries.pay(idle, For.IDLE)
        network.round += 1
