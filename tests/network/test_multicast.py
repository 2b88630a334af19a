"""Trees that are grown to all who want an event."""

import math

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from purport.network.beginning import begun
from purport.network.multicast import Tree, arcs_of, grown_trees, weighing_of
from purport.network.network import Network
from purport.network.scenario import Field, Overhearing, Radio, Roles, Scenario, Wiring
from tests.oracles.plain_multicast import plain_tree
from tests.strategies.networks import radios

SEEDS = st.integers(0, 10_000)


def network_of(radio: Radio, seed: int, hop_limit: int | None = None) -> Network:
    field = Field(Wiring.GEOMETRIC, nodes=30, side_m=100.0, link_m=60.0)
    return begun(
        Scenario(field=field, radio=radio, roles=Roles(0.2, 0.6), hop_limit=hop_limit), seed
    )


def parents_of(tree: Tree) -> dict[int, int]:
    return {tree.publisher: tree.publisher} | {
        int(node): int(sender)
        for place, sender in enumerate(tree.senders)
        for node in tree.receivers[tree.first[place] : tree.first[place + 1]]
    }


@settings(max_examples=40)
@given(radios(), SEEDS, st.integers(3, 29))
def test_trees_are_grown_as_one_would_by_hand(radio: Radio, seed: int, nearest: int) -> None:
    assume(radio.overhearing is not Overhearing.ALL)  # then much costs nothing more: there are ties
    network = network_of(radio, seed)
    weights = np.random.default_rng(seed).uniform(1, 20, len(network))
    arcs = arcs_of(network, nearest)
    positions, bits = (
        network.positions,
        8 * (radio.header_bytes + radio.data_bytes + float(network.meaning.event_bytes.mean())),
    )
    heard = {Overhearing.NOTHING: 0.0, Overhearing.HEADER: 8 * radio.header_bytes / bits}
    electronics = radio.nj_per_bit * 1000
    overhearing = electronics * heard.get(radio.overhearing, 1.0)

    def sending(node: int, other: int) -> float:
        apart = math.dist(positions[node], positions[other]) ** 2
        own = (electronics + radio.amplifier_pj_per_bit_m2 * apart) * weights[node]
        near = ((positions - positions[node]) ** 2).sum(axis=1) <= apart * (1 + 1e-12)
        near[node] = False
        return float(own + overhearing * weights[near].sum())

    def receiving(node: int) -> float:
        return float((electronics - overhearing) * weights[node])

    publishers = network.publishers
    trees = grown_trees(network, weighing_of(network, weights), arcs, publishers)

    for tree in trees:
        wanted = np.flatnonzero(network.meaning.wanted[tree.kind]).tolist()
        allowed = {
            node: set(arcs.others[arcs.starts[node] : arcs.starts[node + 1]].tolist())
            for node in range(len(network))
        }
        allowed[tree.publisher] |= set(wanted)
        plain = plain_tree(
            tree.publisher,
            wanted,
            {node: sorted(others) for node, others in allowed.items()},
            sending,
            receiving,
        )
        assert parents_of(tree) == plain
        assert tree.wanted.tolist() == wanted and not len(tree.missing)


@given(radios(), SEEDS, st.integers(1, 4))
def test_no_tree_is_deeper_than_hops_are_allowed(radio: Radio, seed: int, limit: int) -> None:
    network = network_of(radio, seed, limit)
    arcs, weighing = arcs_of(network, 6), weighing_of(network, np.ones(len(network)))

    for tree in grown_trees(network, weighing, arcs, network.publishers):
        parents = parents_of(tree)
        for node in parents:
            hops = 0
            while node != tree.publisher:
                node, hops = parents[node], hops + 1
            assert hops <= limit
        assert not len(tree.missing)  # the publisher reaches everybody


def test_who_is_out_of_range_and_too_many_hops_away_is_missing() -> None:
    network = network_of(Radio(range_m=60.0), 2, 1)
    arcs, weighing = arcs_of(network, 6), weighing_of(network, np.ones(len(network)))

    trees = grown_trees(network, weighing, arcs, network.publishers)

    for tree in trees:
        apart = network.positions[tree.wanted] - network.positions[tree.publisher]
        is_far = np.hypot(*apart.T) > 60.0
        assert tree.missing.tolist() == tree.wanted[is_far].tolist()
    assert any(len(tree.missing) for tree in trees)


@given(radios(), SEEDS)
def test_trees_spare_who_has_little_left(radio: Radio, seed: int) -> None:
    network = network_of(radio, seed)
    arcs = arcs_of(network, 12)
    even = np.ones(len(network))

    for node in np.flatnonzero(network.published < 0)[:3].tolist():
        poor = even.copy()
        poor[node] = 1e6
        trees = [
            grown_trees(network, weighing_of(network, weights), arcs, network.publishers)
            for weights in (even, poor)
        ]
        sent = [sum(node in tree.senders for tree in some) for some in trees]
        assert sent[1] <= sent[0]
