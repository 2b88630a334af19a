"""What every routing promises."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from purport.network.beginning import begun
from purport.network.network import Network
from purport.network.routing.catalogue import routing_named
from purport.network.routing.routing import Routing
from purport.network.scenario import Battery, Field, Radio, Scenario, Until
from purport.network.simulate import simulate
from purport.network.traffic_kernel import ANYHOW
from purport.network.watching import Watching
from purport.network.ways import Ways
from tests.strategies.networks import airs, fields, radios, scenarios

_SEEDS = st.integers(0, 10_000)
_ENDLESS = Battery(1_000.0)


def planned(scenario: Scenario, seed: int) -> tuple[Network, Routing]:
    """A network at its beginning, with everything told."""
    network, routing = begun(scenario, seed), routing_named(scenario.routing)
    routing.set_up(network, np.arange(len(network), dtype=np.int32))
    routing.begin_cycle(network, 0)
    routing.plan(network)
    return network, routing


class RoutingContract:
    """A test class for a routing inherits this and gives its name."""

    name: str
    examples = 0.25  # of those that a property usually has

    def scenario(self, **parts: Any) -> Scenario:
        """A small one with this routing, in which nobody dies."""
        small = Scenario(self.name, field=Field(nodes=30, side_m=100.0), battery=_ENDLESS, rounds=3)
        return replace(small, **parts)

    def test_in_perfect_air_all_that_is_due_is_delivered(self) -> None:
        @self._few
        @given(fields(), radios(), _SEEDS)
        def check(field: Field, radio: Radio, seed: int) -> None:
            delivery = simulate(self.scenario(field=field, radio=radio), seed).delivery

            assert delivery.published
            assert delivery.delivered == delivery.due == delivery.relevant
            assert (delivery.recall, delivery.forbidden, delivery.unconnected) == (1.0, 0, 0)

        check()

    def test_only_what_no_way_leads_to_is_missed(self) -> None:
        @self._few
        @given(st.integers(1, 5), st.sampled_from([120.0, 145.0, None]), _SEEDS)
        def check(limit: int, range_m: float | None, seed: int) -> None:
            scenario = self.scenario(hop_limit=limit, radio=Radio(range_m=range_m))

            outcome = simulate(scenario, seed, Watching(steps_of=(1,)))

            delivery = outcome.delivery
            assert delivery.due == delivery.delivered + delivery.forbidden
            assert delivery.unconnected == 0  # all are linked
            assert len(delivery.hops) <= limit + 1
            assert all(step.reach_m <= (range_m or math.inf) for step in outcome.steps)

        check()

    def test_energy_never_rises_and_what_is_sent_is_received_or_lost(self) -> None:
        @self._few
        @given(scenarios(airs()), _SEEDS)
        def check(scenario: Scenario, seed: int) -> None:
            outcome = simulate(
                replace(scenario, routing=self.name), seed, Watching(snapshots_every=1)
            )

            left = np.array([snapshot.energies_j for snapshot in outcome.snapshots])
            assert (np.diff(left, axis=0) <= 0).all()
            for messages in (outcome.data, outcome.control):
                assert messages.sent == messages.received + messages.lost

        check()

    def test_the_same_seed_gives_the_same_trace(self) -> None:
        @self._few
        @given(scenarios(airs()), _SEEDS)
        def check(scenario: Scenario, seed: int) -> None:
            chosen, watching = replace(scenario, routing=self.name), Watching(steps_of=(1, 2))

            assert simulate(chosen, seed, watching) == simulate(chosen, seed, watching)

        check()

    def test_ways_begin_where_an_event_is(self) -> None:
        @self._few
        @given(scenarios(), _SEEDS)
        def check(scenario: Scenario, seed: int) -> None:
            network, routing = planned(replace(scenario, routing=self.name), seed)
            publishers = network.publishers

            legs = routing.ways(network, publishers).legs

            assert (np.diff(legs.event) >= 0).all()
            for leg, (via, source) in enumerate(zip(legs.via, legs.source, strict=True)):
                if via >= 0:
                    receivers = legs.receivers[legs.first[via] : legs.first[via + 1]]
                    assert via < leg and legs.event[via] == legs.event[leg]
                    assert source == legs.target[via] or source in receivers
                elif via != ANYHOW:
                    assert source == publishers[legs.event[leg]]

        check()

    def test_planning_again_changes_nothing_and_costs_nothing(self) -> None:
        @self._few
        @given(scenarios(), _SEEDS)
        def check(scenario: Scenario, seed: int) -> None:
            network, routing = planned(replace(scenario, routing=self.name), seed)
            before = routing.ways(network, network.publishers)

            control = routing.plan(network)

            again = routing.ways(network, network.publishers)
            assert not (control.transmissions or control.cost_pj.any() or control.work_pj.any())
            assert _numbers(before) == _numbers(again)

        check()

    def test_nobody_is_to_do_anything_who_is_dead(self) -> None:
        @self._few
        @given(_SEEDS)
        def check(seed: int) -> None:
            network, routing = planned(self.scenario(), seed)
            candidates = np.flatnonzero(network.published < 0)
            dead = np.random.default_rng(seed).choice(candidates, 8, replace=False)
            network.batteries.alive[dead] = False
            network.link(np.zeros(len(network), np.bool_))
            routing.plan(network)

            ways = routing.ways(network, network.publishers)

            assert not _nodes_of(ways) & set(dead.tolist())

        check()

    def test_whoever_lives_is_led_to_until_all_are_dead(self) -> None:
        @self._few
        @given(_SEEDS)
        def check(seed: int) -> None:
            scenario = self.scenario(battery=Battery(0.02), until=Until.ALL_DEAD, rounds=2_000)

            delivery = simulate(scenario, seed).delivery

            assert (delivery.unconnected, delivery.forbidden) == (0, 0)
            assert delivery.recall > 0.5  # the rest was lost in rounds in which somebody died

        check()

    @property
    def _few(self) -> settings:
        return settings(max_examples=int(settings().max_examples * self.examples))


def _nodes_of(ways: Ways) -> set[int]:
    """Everybody who has something to do with some ways."""
    legs = ways.legs
    found = {*legs.source.tolist(), *legs.receivers.tolist()}
    for row, source, target in zip(legs.row, legs.source, legs.target, strict=True):
        node = int(target)
        while row >= 0 and node != source:
            found.add(node)
            node = int(ways.parents[row, node])
    return found


def _numbers(ways: Ways) -> list[list[int]]:
    """What ways are made of."""
    legs = ways.legs
    parts = (legs.event, legs.source, legs.row, legs.target, legs.first, legs.receivers)
    return [[int(one) for one in part] for part in parts]
