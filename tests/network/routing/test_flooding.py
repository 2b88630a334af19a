"""Flooding."""

from collections import Counter

from purport.network.scenario import Air, Field, Wiring
from purport.network.simulate import simulate
from purport.network.watching import Watching
from tests.contracts.routing import RoutingContract


class TestFlooding(RoutingContract):
    name = "flooding"

    def test_everybody_sends_each_event_once(self) -> None:
        outcome = simulate(self.scenario(rounds=1), 1, Watching(steps_of=(1,)))

        sent = Counter((step.publisher, step.sender) for step in outcome.steps)
        assert set(sent.values()) == {1}
        assert len(sent) == 30 * outcome.delivery.published

    def test_it_needs_no_subscriptions_to_be_told(self) -> None:
        outcome = simulate(self.scenario(), 1)

        links = outcome.control.sent
        assert outcome.control.transmissions == links  # greetings of linked neighbours alone

    def test_an_event_that_is_lost_to_one_neighbour_may_come_from_another(self) -> None:
        scenario = self.scenario(
            field=Field(Wiring.GEOMETRIC, nodes=30, side_m=100.0, link_m=50.0),
            air=Air(loss=0.3),
            rounds=20,
        )

        delivery = simulate(scenario, 1).delivery

        assert delivery.recall > 0.97

    def test_events_end_where_their_hops_do(self) -> None:
        field = Field(Wiring.GRID, nodes=49)

        delivery = simulate(self.scenario(field=field, hop_limit=3), 2).delivery

        assert len(delivery.hops) == 4
        assert delivery.forbidden > 0
