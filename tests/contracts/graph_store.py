"""What every graph store promises."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryBoolean,
    QuerySolutions,
    QueryTriples,
)

from purport.sparql.change import Change
from purport.sparql.errors import NotAddressable, SparqlSyntaxError
from purport.sparql.graph_store import WHOLE, Dataset, GraphStore
from purport.sparql.terms import DEFAULT, Fact, Graph, Subject, Term

XSD = "http://www.w3.org/2001/XMLSchema#"
A, B, P, Q, G, H = (NamedNode(f"urn:{name}") for name in "abpqgh")


def typed(value: str, datatype: str) -> Literal:
    return Literal(value, datatype=NamedNode(f"{XSD}{datatype}"))


ONE, TWO = typed("1", "integer"), typed("2", "integer")
LITERALS = [
    Literal("plain"),
    Literal(""),
    Literal('two\nlines, "quotes", a \\ and a \t'),
    Literal("Küche ☂ 😀"),
    Literal("# { ?no <urn:comment> }"),
    Literal("x", language="en"),
    Literal("x", language="en-gb"),
    typed("-17", "integer"),
    typed("123456789012345678", "integer"),
    typed("3", "decimal"),
    typed("21.5", "decimal"),
    typed("0.001", "decimal"),
    typed("2.5", "double"),
    typed("1500", "double"),
    typed("true", "boolean"),
    typed("2026-11-18", "date"),
    typed("2026-11-18T12:00:00Z", "dateTime"),
    typed("2026-11-18T12:00:00.123456+02:00", "dateTime"),
    Literal("9 m", datatype=NamedNode("urn:length")),
]
_VALUES: list[Term] = [B, Literal("x"), Literal("x", language="en"), TWO, typed("true", "boolean")]
_FACTS: list[Fact] = [
    (subject, predicate, value, graph)
    for subject in (A, B)
    for predicate in (P, Q)
    for value in _VALUES
    for graph in (DEFAULT, G, H)
]
_facts = st.frozensets(st.sampled_from(_FACTS), max_size=8)
_patterns = st.tuples(
    st.sampled_from([None, A, B]),
    st.sampled_from([None, P, Q]),
    st.sampled_from([None, *_VALUES]),
    st.sampled_from([None, DEFAULT, G, H]),
)


def added(*facts: Fact) -> Change:
    return Change(added=frozenset(facts))


def removed(*facts: Fact) -> Change:
    return Change(removed=frozenset(facts))


def everything(store: GraphStore) -> set[Fact]:
    return set(store.matching(None, None, None, None))


def empty(store: GraphStore) -> None:
    """Make a store that tests share as it was at the beginning."""
    facts = everything(store)
    store.apply(Change(removed=frozenset(facts), dropped=frozenset(store.named_graphs())))


def solutions(store: GraphStore, text: str, dataset: Dataset = WHOLE) -> list[tuple[str, ...]]:
    """The values of an answer, sorted; an unbound variable is empty."""
    answer = store.query(text, dataset)
    assert isinstance(answer, QuerySolutions)
    names = [variable.value for variable in answer.variables]
    terms = ([row[name] for name in names] for row in answer)
    return sorted(tuple("" if term is None else term.value for term in row) for row in terms)


class GraphStoreContract:
    """A test class for a store inherits this, and gives an empty one as the fixture `store`."""

    keeps_empty_graphs = True
    addresses_blank_nodes = True
    examples = 0.5  # of what the profile says
    phases = tuple(Phase)

    @pytest.fixture
    def store(self) -> Iterable[GraphStore]:
        raise NotImplementedError

    def test_a_new_store_is_empty(self, store: GraphStore) -> None:
        assert everything(store) == set()
        assert store.holds([(A, P, B, DEFAULT)]) == set()
        assert list(store.named_graphs()) == []

    def test_what_was_added_is_there_until_it_is_removed(self, store: GraphStore) -> None:
        here, there = (A, P, B, DEFAULT), (A, P, ONE, G)

        store.apply(added(here, there))
        assert everything(store) == {here, there}
        assert store.holds([here, there, (A, Q, B, DEFAULT)]) == {here, there}

        store.apply(Change(frozenset({(A, P, TWO, G)}), frozenset({there})))
        assert everything(store) == {here, (A, P, TWO, G)}

    def test_a_change_that_is_made_twice_is_made_once(self, store: GraphStore) -> None:
        store.apply(added((A, P, ONE, DEFAULT)))
        change = Change(
            frozenset({(A, P, TWO, DEFAULT), (A, P, B, G)}),
            frozenset({(A, P, ONE, DEFAULT)}),
            frozenset({G}),
            frozenset({H}),
        )

        store.apply(change)
        store.apply(change)

        assert everything(store) == {(A, P, TWO, DEFAULT), (A, P, B, G)}
        assert list(store.named_graphs()) == [G]

    def test_a_change_that_is_undone_leaves_nothing(self, store: GraphStore) -> None:
        store.apply(added((A, P, ONE, DEFAULT)))
        change = Change(
            frozenset({(A, P, TWO, G)}), frozenset({(A, P, ONE, DEFAULT)}), frozenset({G})
        )

        store.apply(change)
        store.apply(change.undone())

        assert everything(store) == {(A, P, ONE, DEFAULT)}
        assert list(store.named_graphs()) == []

    def test_what_is_removed_and_added_at_once_is_there(self, store: GraphStore) -> None:
        some = frozenset[Fact]({(A, P, ONE, DEFAULT), (A, P, TWO, G)})

        for _ in range(2):
            store.apply(Change(some, some))
            assert everything(store) == some

    def test_a_change_of_nothing_is_harmless(self, store: GraphStore) -> None:
        store.apply(Change())

        assert everything(store) == set()

    def test_a_change_may_be_large(self, store: GraphStore) -> None:
        facts: list[Fact] = [
            (
                NamedNode(f"urn:s{number}"),
                P,
                typed(str(number), "integer"),
                (DEFAULT, G)[number % 2],
            )
            for number in range(1200)
        ]

        store.apply(added(*facts))

        assert everything(store) == set(facts)
        assert store.holds([*facts, (A, P, B, DEFAULT)]) == set(facts)

        store.apply(removed(*facts))

        assert everything(store) == set()

    def test_a_graph_with_facts_is_listed(self, store: GraphStore) -> None:
        store.apply(added((A, P, B, G), (A, P, B, DEFAULT)))

        assert list(store.named_graphs()) == [G]

    def test_graphs_are_created_and_dropped(self, store: GraphStore) -> None:
        store.apply(Change(created=frozenset({G, H})))
        assert set(store.named_graphs()) == ({G, H} if self.keeps_empty_graphs else set())

        store.apply(Change(dropped=frozenset({G})))
        assert set(store.named_graphs()) == ({H} if self.keeps_empty_graphs else set())

    def test_the_same_triple_in_two_graphs_is_two_facts(self, store: GraphStore) -> None:
        store.apply(added((A, P, B, DEFAULT), (A, P, B, G), (A, P, B, H)))
        store.apply(removed((A, P, B, G)))

        assert everything(store) == {(A, P, B, DEFAULT), (A, P, B, H)}
        assert set(store.matching(A, None, None, DEFAULT)) == {(A, P, B, DEFAULT)}
        assert set(store.matching(A, P, B, None)) == {(A, P, B, DEFAULT), (A, P, B, H)}

    @pytest.mark.parametrize("term", [ONE, Literal("x")], ids=str)
    def test_what_no_fact_can_be_is_not_found(self, store: GraphStore, term: Any) -> None:
        store.apply(added((A, P, term, DEFAULT), (A, P, term, G)))

        assert list(store.matching(term, None, None, None)) == []
        assert list(store.matching(None, term, None, None)) == []
        assert list(store.matching(None, BlankNode(), None, None)) == []  # type: ignore[arg-type]
        assert list(store.matching(None, None, None, term)) == []

    @pytest.mark.parametrize("value", LITERALS, ids=str)
    def test_a_literal_is_given_back_as_it_was(self, store: GraphStore, value: Literal) -> None:
        fact: Fact = (A, P, value, G)

        store.apply(added(fact))

        assert list(store.matching(A, P, None, G)) == [fact]
        assert list(store.matching(None, None, value, None)) == [fact]
        assert store.holds([fact]) == {fact}
        answer = store.query("SELECT ?value WHERE { GRAPH ?g { ?s ?p ?value } }")
        assert isinstance(answer, QuerySolutions)
        assert [row["value"] for row in answer] == [value]

        store.apply(removed(fact))
        assert everything(store) == set()

    def test_iris_of_all_sorts_are_given_back(self, store: GraphStore) -> None:
        iris = ["http://e/ä", "http://e/%C3%A4", "http://e/a'b;c,(d)#e?f=g&h", "mailto:a@b"]
        facts: set[Fact] = {(A, P, NamedNode(iri), NamedNode(iri)) for iri in iris}

        store.apply(added(*facts))

        assert everything(store) == facts
        assert set(store.named_graphs()) == {NamedNode(iri) for iri in iris}

    def test_finding_and_holding_agree_with_a_set(self, store: GraphStore) -> None:
        few = max(5, int(settings().max_examples * self.examples))

        @settings(max_examples=few, phases=self.phases, suppress_health_check=list(HealthCheck))
        @given(st.lists(st.tuples(_facts, _facts), max_size=3), st.lists(_patterns, max_size=4))
        def agree(
            changes: list[tuple[frozenset[Fact], frozenset[Fact]]],
            patterns: list[tuple[Subject | None, NamedNode | None, Term | None, Graph | None]],
        ) -> None:
            empty(store)
            naive: set[Fact] = set()
            for more, less in changes:
                store.apply(Change(more - less, less))
                naive = (naive - less) | (more - less)
                assert store.holds(more | less) == (more | less) & naive
            assert everything(store) == naive
            for pattern in patterns:
                fitting = {fact for fact in naive if _fits(fact, pattern)}
                assert set(store.matching(*pattern)) == fitting
            graphs = {fact[3] for fact in naive} - {DEFAULT}
            assert graphs <= set(store.named_graphs())

        agree()

    def test_queries_of_all_four_forms_are_answered(self, store: GraphStore) -> None:
        store.apply(added((A, P, ONE, DEFAULT), (A, P, TWO, DEFAULT)))

        assert solutions(store, "SELECT ?o WHERE { ?s <urn:p> ?o }") == [("1",), ("2",)]
        yes, no = (store.query(f"ASK {{ <urn:a> <urn:p> {n} }}") for n in (2, 3))
        assert isinstance(yes, QueryBoolean)
        assert (bool(yes), bool(no)) == (True, False)
        made = store.query("CONSTRUCT { ?o <urn:of> ?s } WHERE { ?s ?p ?x BIND(<urn:o> AS ?o) }")
        assert isinstance(made, QueryTriples)
        assert [str(triple.subject) for triple in made] == ["<urn:o>"]
        described = store.query("PREFIX u: <urn:> DESCRIBE u:a")
        assert isinstance(described, QueryTriples)
        assert {triple.object for triple in described} == {ONE, TWO}

    def test_what_is_not_bound_is_not_there(self, store: GraphStore) -> None:
        store.apply(added((A, P, ONE, DEFAULT)))

        found = solutions(store, "SELECT ?s ?x WHERE { ?s <urn:p> ?o OPTIONAL { ?s <urn:q> ?x } }")

        assert found == [("urn:a", "")]

    def test_a_solution_may_come_twice(self, store: GraphStore) -> None:
        store.apply(added((A, P, ONE, DEFAULT), (A, P, TWO, DEFAULT)))

        assert solutions(store, "SELECT ?s WHERE { ?s ?p ?o }") == [("urn:a",), ("urn:a",)]

    @pytest.mark.parametrize(
        ("dataset", "default", "named"),
        [
            (WHOLE, ["0"], ["1", "2"]),
            (Dataset(("urn:g",)), ["1"], ["1", "2"]),
            (Dataset(("urn:g",), ()), ["1"], []),
            (Dataset(("urn:g", "urn:h"), ("urn:h",)), ["1", "2"], ["2"]),
            (Dataset((), ("urn:g",)), [], ["1"]),
            (Dataset((), ()), [], []),
            (Dataset(("urn:nowhere-at-all",), ("urn:g",)), [], ["1"]),
        ],
        ids=str,
    )
    def test_a_query_sees_its_dataset(
        self, store: GraphStore, dataset: Dataset, default: list[str], named: list[str]
    ) -> None:
        store.apply(
            added(
                (A, P, typed("0", "integer"), DEFAULT),
                (A, P, ONE, G),
                (A, P, TWO, H),
            )
        )

        plain = solutions(store, "SELECT ?o WHERE { ?s ?p ?o }", dataset)
        in_graphs = solutions(store, "SELECT ?o WHERE { GRAPH ?g { ?s ?p ?o } }", dataset)

        assert [value for (value,) in plain] == default
        assert [value for (value,) in in_graphs] == named

    def test_a_query_may_name_its_dataset(self, store: GraphStore) -> None:
        store.apply(added((A, P, ONE, G), (A, P, TWO, H), (A, Q, ONE, DEFAULT)))

        assert solutions(store, "SELECT ?o FROM <urn:g> WHERE { ?s ?p ?o }") == [("1",)]
        text = "SELECT ?g ?o FROM NAMED <urn:h> WHERE { GRAPH ?g { ?s ?p ?o } }"
        assert solutions(store, text) == [("urn:h", "2")]

    def test_blank_nodes_are_kept_or_refused(self, store: GraphStore) -> None:
        node = BlankNode("n")
        fact: Fact = (node, P, ONE, G)
        if self.addresses_blank_nodes:
            store.apply(added(fact, (A, P, node, DEFAULT)))
            assert store.holds([fact]) == {fact}
            assert list(store.matching(node, None, None, None)) == [fact]
            store.apply(removed(fact))
            assert everything(store) == {(A, P, node, DEFAULT)}
            return

        for change in (added((A, P, B, G), fact), removed(fact)):
            with pytest.raises(NotAddressable, match="blank nodes cannot be changed"):
                store.apply(change)
        with pytest.raises(NotAddressable, match="blank nodes cannot be asked for"):
            store.holds([fact])
        with pytest.raises(NotAddressable, match="blank nodes cannot be asked for"):
            list(store.matching(node, None, None, None))
        assert everything(store) == set()

    def test_what_is_no_query_is_refused_with_its_place(self, store: GraphStore) -> None:
        with pytest.raises(SparqlSyntaxError) as wrong:
            store.query("SELECT ?s WHERE {\n  ?s ?p }")
        assert wrong.value.line == 2

        with pytest.raises(SparqlSyntaxError, match=r"[Pp]refix"):
            store.query("SELECT ?s WHERE { ?s no:such ?o }")
        assert everything(store) == set()


def _fits(fact: Fact, pattern: Iterable[object]) -> bool:
    return all(asked is None or asked == term for asked, term in zip(pattern, fact, strict=True))
