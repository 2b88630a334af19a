"""Direct unicast."""

from dataclasses import replace

from purport.network.outcome import Outcome
from purport.network.scenario import Radio
from purport.network.simulate import simulate
from tests.contracts.routing import RoutingContract


class TestUnicast(RoutingContract):
    name = "unicast"

    def test_each_subscriber_has_a_transmission_of_its_own_over_one_hop(self) -> None:
        outcome = simulate(self.scenario(), 1)

        delivery = outcome.delivery
        assert outcome.data.transmissions == outcome.data.sent == delivery.delivered
        assert delivery.hops == (0, delivery.delivered)
        assert delivery.precision == 1.0

    def test_who_is_out_of_range_is_forbidden(self) -> None:
        scenario = self.scenario(radio=Radio(range_m=60.0))

        near, everywhere = (simulate(one, 1).delivery for one in (scenario, self.scenario()))

        assert near.due == everywhere.due
        assert 0 < near.forbidden == near.due - near.delivered
        assert near.recall_where_allowed == 1.0 > near.recall

    def test_what_it_knows_costs_one_loud_message_for_each_subscription(self) -> None:
        outcome: Outcome = simulate(replace(self.scenario(), rounds=1), 1)

        told = sum(map(len, outcome.subscriptions))
        assert (outcome.control.transmissions, outcome.control.sent) == (told, told * 29)
