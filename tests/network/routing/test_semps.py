"""SemPS'12: the polyhierarchy, cut into clusters."""

from dataclasses import replace

import numpy as np

from purport.network.network import Network
from purport.network.routing.routing import Routing
from purport.network.scenario import Clusters, Field, Scenario
from purport.network.simulate import simulate
from purport.network.traffic_kernel import Legs
from purport.network.watching import Watching
from tests.contracts.routing import RoutingContract, planned

MANY_HEADS = Clusters(share=0.3, cycle_rounds=5)


def ends_of(legs: Legs, leg: int) -> list[int]:
    """To whom a leg leads."""
    if legs.row[leg] >= 0:
        return [int(legs.target[leg])]
    return [int(one) for one in legs.receivers[legs.first[leg] : legs.first[leg + 1]]]


class TestSemPS(RoutingContract):
    name = "semps"

    def clustered(self, seed: int) -> tuple[Network, Routing, dict[int, set[int]]]:
        """A network with many heads, and the members of each."""
        scenario = self.scenario(field=Field(nodes=90), clusters=MANY_HEADS)
        network, routing = planned(scenario, seed)
        members: dict[int, set[int]] = {}
        for head, member in routing.clusters(network):
            members.setdefault(head, set()).add(member)
        return network, routing, members

    def test_each_who_is_due_an_event_is_led_to_once(self) -> None:
        for seed in range(10):
            network, routing, _ = self.clustered(seed)

            legs = routing.ways(network, network.publishers).legs

            ends = [
                (int(legs.event[leg]), end)
                for leg in range(len(legs.via))
                for end in ends_of(legs, leg)
            ]
            due = np.argwhere(network.wanted_by(network.publishers)).tolist()
            assert sorted(ends) == [tuple(one) for one in due]

    def test_an_event_goes_on_from_heads_to_members_or_down_the_polyhierarchy(self) -> None:
        passed_down = passed_to_members = 0
        for seed in range(10):
            network, routing, members = self.clustered(seed)
            publishers, meaning = network.publishers, network.meaning

            legs = routing.ways(network, publishers).legs

            for leg in np.flatnonzero(legs.via >= 0).tolist():
                kind = network.published[publishers[legs.event[leg]]]
                source = int(legs.source[leg])
                for end in ends_of(legs, leg):
                    covers = any(
                        meaning.covers[wider, narrower]
                        for wider in meaning.asked[source]
                        for narrower in meaning.asked[end]
                        if meaning.answers[kind, wider] and meaning.answers[kind, narrower]
                    )
                    is_member = end in members.get(source, set())
                    assert covers or is_member
                    passed_to_members += is_member
                    passed_down += not is_member
        assert passed_down > 20 and passed_to_members > 20

    def test_members_have_events_from_a_head_if_one_of_theirs_wants_them_too(self) -> None:
        network, routing, members = self.clustered(3)
        publishers = network.publishers

        legs = routing.ways(network, publishers).legs

        for event, publisher in enumerate(publishers.tolist()):
            wanted = network.meaning.wanted[network.published[publisher]]
            heads = [head for head in members if wanted[head]]
            served = {
                end
                for leg in np.flatnonzero((legs.event == event) & (legs.via >= 0)).tolist()
                for end in ends_of(legs, leg)
                if end in members.get(int(legs.source[leg]), set())
            }
            due = {
                node for head in heads for node in members[head] - members.keys() if wanted[node]
            }
            assert served == due

    def test_a_head_serves_the_nearest_of_its_members_at_once(self) -> None:
        network, routing, _ = self.clustered(5)

        legs = routing.ways(network, network.publishers).legs

        at_once = np.flatnonzero(legs.row < 0).tolist()
        assert any(len(ends_of(legs, leg)) > 1 for leg in at_once)
        for leg in at_once:
            source = network.positions[legs.source[leg]]
            reach = max(np.hypot(*(network.positions[end] - source)) for end in ends_of(legs, leg))
            by_links = np.flatnonzero(
                (legs.event == legs.event[leg])
                & (legs.source == legs.source[leg])
                & (legs.row >= 0)
                & (legs.via == legs.via[leg])
            )
            members = [int(legs.target[one]) for one in by_links if one > leg]
            for node in members:
                assert np.hypot(*(network.positions[node] - source)) >= reach

    def test_heads_rotate(self) -> None:
        scenario = self.scenario(field=Field(nodes=90), clusters=MANY_HEADS, rounds=15)

        outcome = simulate(scenario, 1, Watching(snapshots_every=5))

        heads = [set(snapshot.heads) for snapshot in outcome.snapshots[:3]]
        assert all(heads) and not (heads[0] & heads[1] | heads[1] & heads[2] | heads[0] & heads[2])
        subscribers = {n for n, role in enumerate(outcome.roles) if role == "subscriber"}
        assert not set.union(*heads) - subscribers

    def test_elections_are_paid_for_in_each_cycle(self) -> None:
        def control(cycle_rounds: int) -> int:
            clusters = replace(MANY_HEADS, cycle_rounds=cycle_rounds)
            scenario: Scenario = self.scenario(clusters=clusters, rounds=20)
            return simulate(scenario, 1).control.transmissions

        assert control(2) > control(5) > control(20)
