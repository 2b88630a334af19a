"""The covering graph, against comparing each subscription with each other."""

from functools import lru_cache, partial
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport import Ontology, parse
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
from tests.strategies.covering_classes import class_subscriptions, simple_drinks, wider_classes
from tests.strategies.covering_in_time import wider_in_time
from tests.strategies.small_ontology import drinks

_with_classes = families(class_subscriptions, wider_classes)
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
        assert sorted(graph.below(name)) == sorted(naive.below(name))


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
    _check_changes(some, data, CoveringGraph(), NaiveCoveringGraph(lru_cache(maxsize=None)(covers)))


@pytest.mark.parametrize("ontology", [drinks(), simple_drinks()], ids=["drinks", "simple drinks"])
@given(_with_classes, st.data())
@settings(max_examples=60)
def test_the_graph_of_subscriptions_to_classes_is_that_of_all_pairs(
    ontology: Ontology, some: list[Subscription], data: st.DataObject
) -> None:
    known = lru_cache(maxsize=None)(partial(covers, ontology=ontology))
    _check_changes(some, data, CoveringGraph(ontology=ontology), NaiveCoveringGraph(known))


def _check_changes(
    some: list[Subscription],
    data: st.DataObject,
    graph: CoveringGraph,
    naive: NaiveCoveringGraph,
) -> None:
    """Whether both tell the same while some subscriptions come and go."""
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


@pytest.mark.parametrize(
    "text",
    [
        "{{a in [{0}, {0}.5]}}",
        "{{a >= {0}, a <= {0}}}",
        "{{a = {0}, b > 3}}",
        "{{a in (x{0}, y{0})}}",
        "{{tags within (x{0}, y{0})}}",
        "{{a{0} = 1}}",
        "{{room = {0}, start after(5 s) {{a > 1}}}}",
        "{{a isa {0}}}",
    ],
)
def test_what_has_nothing_to_do_with_others_is_not_compared_with_them(text: str) -> None:
    graph = CoveringGraph()
    for number in range(100):
        graph.add(str(number), parse(text.format(number)))

    assert len(graph.roots) == 100
    assert graph.compared == 0
