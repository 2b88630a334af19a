"""Terms, facts and bindings as texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Triple

from purport.broker.journal import JournalError
from purport.broker.rdf_text import (
    binding_texts,
    bindings_of,
    fact_texts,
    facts_of,
    term_of,
    term_text,
)
from purport.sparql.terms import Term

texts = st.text(st.characters(codec="utf-8"), max_size=20)
nodes = st.sampled_from(["urn:a", "http://example.org/ä?x=1#y", "urn:x:%20"]).map(NamedNode)
blanks = st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True).map(BlankNode)
literals = st.one_of(
    texts.map(Literal),
    st.integers().map(lambda one: Literal(str(one), datatype=NamedNode("http://xsd#integer"))),
    st.builds(
        lambda text, tag: Literal(text, language=tag), texts, st.sampled_from(["de", "en-gb"])
    ),
    st.booleans().map(Literal),
)
simple = st.one_of(nodes, blanks, literals)
terms = st.one_of(simple, st.builds(Triple, nodes | blanks, nodes, simple))
facts = st.tuples(nodes | blanks, nodes, terms, nodes | st.just(DefaultGraph()))


@given(terms)
def test_a_term_is_read_as_it_was_written(term: Term) -> None:
    assert term_of(term_text(term)) == term


@given(st.frozensets(facts, max_size=5))
def test_facts_are_read_as_they_were_written_and_blank_nodes_keep_their_labels(
    some: frozenset[tuple[NamedNode, NamedNode, Term, NamedNode]],
) -> None:
    assert facts_of(fact_texts(some)) == some


@given(st.lists(st.dictionaries(st.sampled_from("xyz"), terms), max_size=4))
def test_bindings_are_read_as_they_were_written(some: list[dict[str, Term]]) -> None:
    assert bindings_of(binding_texts(some)) == some


def test_what_is_no_fact_is_damage() -> None:
    with pytest.raises(JournalError, match="what should be N-Quads is none"):
        facts_of(["<urn:a> <urn:b>"])
    with pytest.raises(JournalError, match="what should be N-Quads is none"):
        term_of("5")
