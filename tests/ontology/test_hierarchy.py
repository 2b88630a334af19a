"""The order of names agrees with following the told superiors one by one."""

import pickle
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.ontology.errors import UnknownName
from purport.ontology.hierarchy import Hierarchy
from tests.oracles.graph_closure import GraphClosure

NAMES = st.sampled_from("ABCDEFGHIJ")
TOLD = st.dictionaries(NAMES, st.lists(NAMES, max_size=4), max_size=10)
PEOPLE = {
    "Student": ["Person"],
    "Professor": ["Person", "Employee"],
    "Human": ["Person"],
    "Person": ["Human", "Person"],
    "Tenured": ["Professor", "Person"],
}


@given(TOLD, st.sets(NAMES, max_size=2))
def test_it_agrees_with_the_graph(above: Mapping[str, list[str]], empty: set[str]) -> None:
    order, graph = Hierarchy.of(above, empty), GraphClosure(above, empty)

    assert set(order.names) == graph.names
    for name in order.names:
        assert {one for one in order.names if order.subsumes(one, name)} == graph.above(name)
        assert order.ancestors(name) == graph.above(name) - graph.below(name)
        assert order.descendants(name) == graph.below(name) - graph.above(name)
        assert order.equivalents(name) == graph.above(name) & graph.below(name)
        assert order.parents(name) == graph.parents(name)
        assert order.children(name) == {one for one in graph.names if name in graph.parents(one)}
    assert order.unsatisfiable == graph.unsatisfiable


@given(TOLD, st.sets(NAMES, max_size=2))
def test_many_pairs_are_as_each_alone(above: Mapping[str, list[str]], empty: set[str]) -> None:
    order = Hierarchy.of(above, empty)
    wider, narrower = (each.ravel() for each in np.indices((len(order), len(order))))

    answers = order.subsumes_pairs(wider, narrower)

    assert answers.tolist() == [
        order.subsumes(order.names[one], order.names[other])
        for one, other in zip(wider, narrower, strict=True)
    ]


@given(TOLD, st.randoms())
def test_superiors_come_first_whatever_the_order_of_what_is_told(
    above: Mapping[str, list[str]], random: st.DataObject
) -> None:
    order = Hierarchy.of(above)
    told = list(above.items())
    random.shuffle(told)  # type: ignore[attr-defined]

    assert Hierarchy.of(dict(told)) == order
    for name in order.names:
        assert order.names[order.index(name)] == name
        assert all(order.index(one) < order.index(name) for one in order.ancestors(name))


def test_many_groups_that_share_marks_are_told_apart() -> None:
    chain = {f"{number:03}": [f"{number - 1:03}"] for number in range(1, 200)}
    order = Hierarchy.of(chain | {f"x{name}": [name] for name in chain})
    wider, narrower = (each.ravel() for each in np.indices((len(order), len(order))))

    answers = order.subsumes_pairs(wider, narrower).reshape(len(order), -1)

    lineage = [len(order.ancestors(name)) + 1 for name in order.names]
    assert answers.sum(axis=0).tolist() == lineage
    assert answers[order.index("007"), order.index("x191")]
    assert not answers[order.index("192"), order.index("x191")]


def test_names_that_are_above_each_other_are_equivalent() -> None:
    order = Hierarchy.of(PEOPLE)

    assert order.equivalents("Person") == {"Person", "Human"}
    assert order.parents("Student") == {"Person", "Human"}
    assert order.parents("Tenured") == {"Professor"}
    assert order.children("Human") == {"Student", "Professor"}


def test_what_is_below_an_unsatisfiable_name_is_below_all() -> None:
    order = Hierarchy.of({**PEOPLE, "Round": ["Square"], "Square": []}, unsatisfiable=["Square"])

    assert order.unsatisfiable == {"Round", "Square"}
    assert order.equivalents("Round") == {"Round", "Square"}
    assert order.subsumes("Tenured", "Round")
    assert not order.subsumes("Round", "Tenured")


def test_it_can_be_pickled() -> None:
    order = Hierarchy.of(PEOPLE)

    restored = pickle.loads(pickle.dumps(order))

    assert restored == order
    assert restored.subsumes_pairs([0], [0]).tolist() == [True]


def test_an_unknown_name_is_an_error() -> None:
    order = Hierarchy.of(PEOPLE)

    for ask in (order.index, order.parents, lambda name: order.subsumes("Person", name)):
        with pytest.raises(UnknownName, match="Dean"):
            ask("Dean")
    assert "Dean" not in order


def test_indices_are_checked() -> None:
    order = Hierarchy.of(PEOPLE)

    with pytest.raises(ValueError, match="from 0 to 5"):
        order.subsumes_pairs([0], [6])
    with pytest.raises(ValueError, match="2 wider names, but 1"):
        order.subsumes_pairs([0, 1], [1])
