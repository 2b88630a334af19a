"""Heads that elect themselves, and who joins them."""

import numpy as np
import pytest

from purport.network.beginning import begun
from purport.network.clustering import Clusters, Election
from purport.network.scenario import Field, Scenario

NODES = np.arange(400, dtype=np.int32)


@pytest.mark.parametrize(("share", "period"), [(0.05, 20), (0.3, 3), (0.5, 2)])
def test_everybody_is_a_head_once_in_a_period(share: float, period: int) -> None:
    election = Election(share, len(NODES), 7)

    for start in (0, period):
        heads = np.concatenate([election.heads(start + one, NODES) for one in range(period)])

        expected = 1 / share - period < 1e-9
        assert len(set(heads.tolist())) == len(heads)
        assert len(heads) == len(NODES) or not expected


def test_about_a_share_of_all_are_heads_in_each_cycle() -> None:
    election = Election(0.05, len(NODES), 1)

    counts = [len(election.heads(cycle, NODES)) for cycle in range(200)]

    assert 0.9 * 20 <= np.mean(counts) <= 1.1 * 20
    assert len(set(counts)) > 5  # it is by chance


def test_only_candidates_are_elected_and_the_same_seed_elects_the_same() -> None:
    some = NODES[::2]

    one, other, different = (Election(0.3, len(NODES), seed).heads(0, some) for seed in (1, 1, 2))

    assert not set(one.tolist()) - set(some.tolist())
    assert one.tolist() == other.tolist() != different.tolist()


def test_nodes_join_every_head_that_covers_one_of_their_subscriptions() -> None:
    network = begun(Scenario(field=Field(nodes=120)), 5)
    meaning, subscribers = network.meaning, network.subscribers
    heads = subscribers[::6]

    clusters = Clusters.of(heads, subscribers, meaning.asks, meaning.covers)

    for row, head in enumerate(heads.tolist()):
        for node in range(len(network)):
            covered = any(
                meaning.covers[wider, narrower]
                for wider in meaning.asked[head]
                for narrower in meaning.asked[node]
            )
            assert clusters.joined[row, node] == (covered and node not in heads)
    assert clusters.joined.any() and not clusters.joined.all()


def test_clusters_are_shown_as_pairs_of_who_is_there() -> None:
    asks = np.eye(4, dtype=np.bool_)
    covers = np.ones((4, 4), np.bool_)
    clusters = Clusters.of(np.array([0, 1], np.int32), np.arange(4, dtype=np.int32), asks, covers)

    up = np.array([True, False, True, False])

    assert clusters.pairs(up) == [(0, 0), (0, 2)]
