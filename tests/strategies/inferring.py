"""Random update requests over the names of random ontologies, and what they do to facts."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode

from purport.sparql.inference_rules import SAME
from purport.sparql.terms import DEFAULT, TYPE, Fact, Graph
from tests.strategies.told_ontologies import CLASSES, INDIVIDUALS, MEASURE, PROPERTIES

GRAPHS: tuple[Graph, ...] = (DEFAULT, DEFAULT, DEFAULT, NamedNode("urn:g"))
OTHER = NamedNode("urn:other")  # a property that no ontology speaks of

_individuals = st.sampled_from([NamedNode(name) for name in INDIVIDUALS])
_graphs = st.sampled_from(GRAPHS)
_relations = st.sampled_from([*map(NamedNode, PROPERTIES), OTHER])
_classes = st.sampled_from([NamedNode(name) for name in CLASSES])
facts: st.SearchStrategy[Fact] = st.one_of(
    st.tuples(_individuals, st.just(TYPE), _classes, _graphs),
    st.tuples(_individuals, _relations, _individuals, _graphs),
    st.tuples(_individuals, _relations, _individuals, _graphs),
    st.tuples(_individuals, st.just(NamedNode(MEASURE)), st.integers(0, 3).map(Literal), _graphs),
    st.tuples(_individuals, _relations, st.just(Literal("x")), _graphs),
    st.tuples(_individuals, st.just(SAME), _individuals, _graphs),
)

Facts = set[Fact]


@dataclass(frozen=True)
class Operation:
    """An operation in SPARQL; what is asserted after it, by what is asserted and seen before."""

    text: str
    run: Callable[[Facts, Facts], Facts]


def _inserted(some: list[Fact]) -> Operation:
    return Operation(f"INSERT DATA {{ {_data(some)} }}", lambda told, _: told | set(some))


def _deleted(some: list[Fact]) -> Operation:
    return Operation(f"DELETE DATA {{ {_data(some)} }}", lambda told, _: told - set(some))


def _replaced(verb: NamedNode, fact: Fact) -> Operation:
    """What a subject has of a property becomes something else, seen and asserted."""
    subject, predicate, value, _ = fact
    text = (
        f"DELETE {{ {subject} {verb} ?old }} INSERT {{ {subject} {predicate} {value} }} "
        f"WHERE {{ {subject} {verb} ?old }}"
    )

    def run(told: Facts, seen: Facts) -> Facts:
        old = {one for one in seen if one[:2] == (subject, verb) and one[3] == DEFAULT}
        return (told - old) | {(subject, predicate, value, DEFAULT)} if old else told

    return Operation(text, run)


def _marked(kind: NamedNode, verb: NamedNode) -> Operation:
    """Whatever is seen to be in a class is related to itself, by a query."""
    text = f"INSERT {{ ?x {verb} ?x }} WHERE {{ ?x a {kind} FILTER(isIRI(?x)) }}"

    def run(told: Facts, seen: Facts) -> Facts:
        members = {one[0] for one in seen if one[1:] == (TYPE, kind, DEFAULT)}
        return told | {(member, verb, member, DEFAULT) for member in members}

    return Operation(text, run)


def _copied() -> Operation:
    graph = NamedNode("urn:g")

    def run(told: Facts, _: Facts) -> Facts:
        return told | {(*one[:3], graph) for one in told if one[3] == DEFAULT}

    return Operation(f"ADD DEFAULT TO {graph}", run)


def _cleared(graph: Graph) -> Operation:
    name = "DEFAULT" if graph == DEFAULT else f"SILENT GRAPH {graph}"
    return Operation(f"CLEAR {name}", lambda told, _: {one for one in told if one[3] != graph})


def _data(some: list[Fact]) -> str:
    return " ".join(
        f"{one} {verb} {other} ."
        if graph == DEFAULT
        else f"GRAPH {graph} {{ {one} {verb} {other} }}"
        for one, verb, other, graph in some
    )


_some = st.lists(facts, min_size=1, max_size=3)
operations = st.one_of(
    _some.map(_inserted),
    _some.map(_inserted),
    _some.map(_deleted),
    st.builds(_replaced, st.one_of(_relations, st.just(TYPE)), facts),
    st.builds(_marked, _classes, _relations),
    st.builds(_copied),
    _graphs.map(_cleared),
)
requests = st.lists(st.lists(operations, min_size=1, max_size=2), min_size=1, max_size=6)
