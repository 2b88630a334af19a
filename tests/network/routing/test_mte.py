"""Minimum transmission energy."""

from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from purport.network.scenario import Field
from purport.network.simulate import simulate
from tests.contracts.routing import RoutingContract, planned


class TestMinimumTransmissionEnergy(RoutingContract):
    name = "mte"

    def test_events_go_where_amplifiers_take_least(self) -> None:
        network, routing = planned(self.scenario(field=Field(nodes=60)), 4)
        one, other = network.pairs.T
        squares = ((network.positions[one] - network.positions[other]) ** 2).sum(axis=1)
        graph = coo_array((squares, (one, other)), shape=(60, 60)).tocsr()
        least = dijkstra(graph, directed=False)

        ways = routing.ways(network, network.publishers)

        for row, source, target in zip(
            ways.legs.row, ways.legs.source, ways.legs.target, strict=True
        ):
            spent, node = 0.0, int(target)
            while node != source:
                before = int(ways.parents[row, node])
                spent += ((network.positions[node] - network.positions[before]) ** 2).sum()
                node = before
            assert np.isclose(spent, least[source, target])

    def test_each_subscriber_is_sent_a_message_of_its_own(self) -> None:
        network, routing = planned(self.scenario(), 4)

        legs = routing.ways(network, network.publishers).legs

        due = network.wanted_by(network.publishers)
        assert sorted(zip(legs.event.tolist(), legs.target.tolist(), strict=True)) == [
            tuple(pair) for pair in np.argwhere(due).tolist()
        ]

    def test_shared_paths_send_the_same_over_a_link_once(self) -> None:
        apart, shared = (
            simulate(replace(self.scenario(), shared_paths=is_shared), 1)
            for is_shared in (False, True)
        )

        assert shared.delivery == apart.delivery
        assert shared.data.transmissions < apart.data.transmissions
        assert shared.data.transmissions == shared.delivery.receptions

    def test_relays_that_have_not_asked_lower_precision(self) -> None:
        delivery = simulate(self.scenario(), 1).delivery

        assert delivery.receptions > delivery.relevant
        assert delivery.precision == delivery.relevant / delivery.receptions

    def test_a_hop_limit_lowers_recall_and_the_outcome_says_so(self) -> None:
        scenario = self.scenario(field=Field(nodes=60), hop_limit=4)

        delivery = simulate(scenario, 1).delivery

        assert 0 < delivery.forbidden == delivery.due - delivery.delivered
        assert delivery.recall < delivery.recall_where_allowed == 1.0
