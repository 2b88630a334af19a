"""The subscription polyhierarchy, built by messages."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from purport.network.beginning import begun
from purport.network.polyhierarchy import told
from purport.network.scenario import Field, Interests, Overhearing, Radio, Roles, Scenario, Wiring
from tests.oracles.plain_polyhierarchy import PlainPolyhierarchy
from tests.strategies.networks import QUESTIONS, fields

QUIET = Radio(overhearing=Overhearing.NOTHING)


@given(
    fields(),
    st.sampled_from([None, 1, 2, 3]),
    st.sampled_from([Interests(), Interests(subscriptions=QUESTIONS)]),
    st.integers(0, 10_000),
)
def test_it_is_told_as_in_algorithm_1(
    field: Field, limit: int | None, interests: Interests, seed: int
) -> None:
    scenario = Scenario(
        field=field, hop_limit=limit, interests=interests, radio=QUIET, roles=Roles(0.2, 0.6)
    )
    network = begun(scenario, seed)
    plain = PlainPolyhierarchy(network)

    plain.build()
    found = told(network, network.subscribers)

    told_by = list(zip(found.nodes.tolist(), found.subscriptions.tolist(), strict=True))
    for node, peer in enumerate(plain.peers):
        known = {one for place, one in enumerate(told_by) if found.known[place, node]}
        assert known == peer.received
    control = found.control
    assert (control.transmissions, control.copies) == (
        plain.sent["transmissions"],
        plain.sent["copies"],
    )
    assert np.allclose(control.cost_pj, plain.cost_pj, rtol=1e-12, atol=plain.sent["copies"])


def test_without_a_hop_limit_all_who_publish_or_relay_know_all_subscriptions() -> None:
    network = begun(Scenario(field=Field(nodes=80)), 3)

    found = told(network, network.subscribers)

    others = ~network.meaning.asks.any(axis=1)
    assert found.known[:, others].all()


def test_who_is_at_an_end_and_has_no_interest_is_told_no_more() -> None:
    """A row of nodes, all of which subscribe but one: the last of them is an end."""
    interests = Interests(subscriptions=("Power", "Hazard"))
    field = Field(Wiring.GEOMETRIC, nodes=25, side_m=60.0, link_m=30.0)
    scenario = Scenario(field=field, roles=Roles(0.1, 0.8), interests=interests, radio=QUIET)

    pruned = [told(begun(scenario, seed), begun(scenario, seed).subscribers) for seed in range(30)]

    assert any(not one.known.all() for one in pruned)
    assert all(one.known.mean() > 0.5 for one in pruned)


def test_hops_limit_how_far_a_subscription_goes() -> None:
    scenario = Scenario(field=Field(Wiring.GRID, nodes=100), radio=QUIET, hop_limit=2)
    network = begun(scenario, 1)

    found = told(network, network.subscribers)

    rows = network.hop_trees.rows(found.nodes)
    hops = network.hop_trees.hops[rows]
    assert hops[found.known].max() == 2
    farther = told(begun(replace(scenario, hop_limit=4), 1), network.subscribers)
    assert farther.known.sum() > found.known.sum()
