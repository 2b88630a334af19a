"""The covering graph, against comparing each subscription with each other."""

from functools import lru_cache
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from purport.covering.covers import covers
from purport.covering.graph import CoveringGraph
from purport.model.subscription import Subscription
from tests.oracles.naive_covering_graph import NaiveCoveringGraph
from tests.strategies import temporal
from tests.strategies.covering import (
    TIDY,
    exact_subscriptions,
    families,
    near_subscriptions,
    wider,
    wider_nearly,
)
from tests.strategies.covering_in_time import wider_in_time

_some = st.one_of(
    families(exact_subscriptions(), wider),
    families(exact_subscriptions(TIDY), lambda one: wider(one, TIDY)),
    families(near_subscriptions(), wider_nearly),
    families(temporal.exact_subscriptions, wider_in_time),
)


def _check(graph: CoveringGraph, naive: NaiveCoveringGraph) -> None:
    assert sorted(graph.roots) == sorted(naive.roots)
    for name in naive.here:
        assert sorted(graph.parents(name)) == sorted(naive.parents(name))
        assert sorted(graph.children(name)) == sorted(naive.children(name))
        assert sorted(graph.equivalents(name)) == sorted(naive.equivalents(name))


@given(_some)
def test_covering_is_an_order(some: list[Subscription]) -> None:
    known = lru_cache(maxsize=None)(covers)
    for one in some:
        assert known(one, one)
    for first, second, third in product(some, repeat=3):
        if known(first, second) and known(second, third):
            assert known(first, third)


@given(_some, st.data())
@settings(max_examples=60)
def test_the_graph_is_that_of_all_pairs(some: list[Subscription], data: st.DataObject) -> None:
    graph, naive = CoveringGraph(), NaiveCoveringGraph(lru_cache(maxsize=None)(covers))
    for number in range(data.draw(st.integers(1, 16))):
        here = sorted(naive.here)
        if here and data.draw(st.integers(0, 2)) == 0:
            name = data.draw(st.sampled_from(here))
            graph.remove(name)
            del naive.here[name]
        else:
            name, one = str(number), data.draw(st.sampled_from(some))
            graph.add(name, one)
            naive.here[name] = one
        _check(graph, naive)
    for one in some:
        assert sorted(graph.covers_of(one)) == sorted(naive.covers_of(one))
        assert sorted(graph.covered_by(one)) == sorted(naive.covered_by(one))
