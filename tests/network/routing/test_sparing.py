"""Trees that spare who has little left."""

from collections import Counter
from dataclasses import replace

import numpy as np

from purport.network.scenario import Battery, Computing, Field, Until
from purport.network.simulate import simulate
from purport.network.watching import Watching
from tests.contracts.routing import RoutingContract, planned


class TestSparing(RoutingContract):
    name = "sparing"

    def test_nobody_sends_an_event_more_than_once_or_receives_it_twice(self) -> None:
        outcome = simulate(self.scenario(rounds=1), 1, Watching(steps_of=(1,)))

        sent = Counter((step.publisher, step.sender) for step in outcome.steps)
        received = Counter((step.publisher, to) for step in outcome.steps for to in step.receivers)
        assert set(sent.values()) == set(received.values()) == {1}

    def test_whoever_ends_a_tree_has_asked_for_the_event(self) -> None:
        network, routing = planned(self.scenario(field=Field(nodes=90)), 2)
        publishers = network.publishers

        legs = routing.ways(network, publishers).legs

        wanted = network.wanted_by(publishers)
        sending = set(zip(legs.event.tolist(), legs.source.tolist(), strict=True))
        for leg, event in enumerate(legs.event.tolist()):
            for node in legs.receivers[legs.first[leg] : legs.first[leg + 1]].tolist():
                assert wanted[event, node] or (event, node) in sending

    def test_levels_are_told_and_trees_made_anew_as_batteries_fall(self) -> None:
        scenario = self.scenario(battery=Battery(0.1), until=Until.FIRST_DEATH, rounds=100_000)

        outcome, early = (simulate(replace(scenario, rounds=count), 1) for count in (100_000, 1))

        assert outcome.first_death is not None
        assert outcome.control.transmissions > 1.5 * early.control.transmissions

    def test_who_has_little_left_sends_less_once_batteries_are_looked_at(self) -> None:
        network, routing = planned(self.scenario(), 1)
        legs = routing.ways(network, network.publishers).legs
        busiest = Counter(
            node for node in legs.source.tolist() if network.published[node] < 0
        ).most_common(1)[0][0]
        before = int((legs.source == busiest).sum())

        network.batteries.left_pj[busiest] //= 1_000
        routing.begin_cycle(network, 4)
        routing.plan(network)

        after = int((routing.ways(network, network.publishers).legs.source == busiest).sum())
        assert after < before

    def test_what_trees_take_to_compute_is_paid_for(self) -> None:
        thinking, dull = (
            simulate(self.scenario(computing=Computing(nj_per_instruction=each)), 1).energy
            for each in (2.0, 0.0)
        )

        assert dull.computation_j == 0
        network, routing = planned(self.scenario(), 1)
        matching = sum(
            int(routing.matching_pj(network)[network.published[node]]) * 3
            for node in network.publishers.tolist()
        )
        assert thinking.computation_j > matching / 1e12
        assert np.isclose(thinking.data_j, dull.data_j)
