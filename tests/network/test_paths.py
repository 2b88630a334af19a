"""Trees of cheapest paths, and how they are mended."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from purport.network.paths import Trees, graph_of


def random_pairs(rng: np.random.Generator, nodes: int, count: int) -> np.ndarray:
    pairs = np.sort(rng.integers(0, nodes, (count, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    return pairs.astype(np.int32)


def assert_cheapest(trees: Trees, nodes: int, pairs: np.ndarray, weights: np.ndarray) -> None:
    sources = np.arange(nodes)
    rows = trees.rows(sources)
    graph = coo_array((weights, (pairs[:, 0], pairs[:, 1])), shape=(nodes, nodes)).tocsr()
    costs = dijkstra(graph, directed=False)
    weight_of = {tuple(pair): weight for pair, weight in zip(pairs.tolist(), weights, strict=True)}
    assert np.allclose(trees.costs[rows], costs)
    for source, row in enumerate(rows):
        for node in range(nodes):
            parent = trees.parents[row, node]
            if not np.isfinite(costs[source, node]):
                assert parent == -1
            elif node == source:
                assert parent == source and trees.hops[row, node] == 0
            else:
                between = weight_of[min(node, parent), max(node, parent)]
                assert np.isclose(trees.costs[row, parent] + between, costs[source, node])
                assert trees.hops[row, node] == trees.hops[row, parent] + 1


@given(st.integers(2, 30), st.integers(1, 80), st.integers(0, 10_000))
def test_trees_have_the_cheapest_paths(nodes: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = random_pairs(rng, nodes, count)
    weights = rng.integers(1, 6, len(pairs)).astype(float)

    assert_cheapest(Trees(graph_of(nodes, pairs, weights)), nodes, pairs, weights)


@given(st.integers(2, 30), st.integers(1, 80), st.integers(0, 10_000), st.integers(1, 4))
def test_mended_trees_have_the_cheapest_paths_too(
    nodes: int, count: int, seed: int, times: int
) -> None:
    rng = np.random.default_rng(seed)
    pairs = random_pairs(rng, nodes, count)
    weights = rng.integers(1, 6, len(pairs)).astype(float)
    trees = Trees(graph_of(nodes, pairs, weights))
    trees.rows(rng.integers(0, nodes, 5))
    gone = np.zeros(nodes, np.bool_)

    for _ in range(times):
        gone |= rng.random(nodes) < 0.15
        is_left = ~gone[pairs].any(axis=1)
        pairs, weights = pairs[is_left], weights[is_left]
        new = random_pairs(rng, nodes, 4)
        new = new[~gone[new].any(axis=1)]
        is_new = ~(new[:, None] == pairs[None]).all(axis=2).any(axis=1)
        new = new[is_new]
        pairs = np.concatenate((pairs, new))
        weights = np.concatenate((weights, rng.integers(1, 6, len(new)).astype(float)))
        trees.mend(graph_of(nodes, pairs, weights), gone, new)

        assert_cheapest(trees, nodes, pairs, weights)
