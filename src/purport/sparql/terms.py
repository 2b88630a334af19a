"""RDF's terms, as pyoxigraph has them, and how a store keeps them."""

from __future__ import annotations

from functools import lru_cache

from pyoxigraph import (
    BlankNode,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    QuerySolutions,
    Store,
    Triple,
)

from purport.model.rdf import XSD
from purport.sparql.errors import SparqlSyntaxError

Term = NamedNode | BlankNode | Literal | Triple
Subject = NamedNode | BlankNode
Graph = NamedNode | BlankNode | DefaultGraph
Fact = tuple[Subject, NamedNode, Term, Graph]  # subject, predicate, object, graph

DEFAULT = DefaultGraph()
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TYPE = NamedNode(f"{RDF}type")
_TEXT = f"{XSD}string"
_UNNAMED = (BlankNode, Triple)
_NO_SUBJECT, _NO_PREDICATE = (Literal, Triple), (Literal, Triple, BlankNode)
FIRST, REST, NIL = (NamedNode(f"{RDF}{name}") for name in ("first", "rest", "nil"))


def fact_of(quad: Quad) -> Fact:
    """A quad as a tuple, which is quicker to make, take apart and compare."""
    subject, predicate, value, graph = quad
    return subject, predicate, value, graph


def quad_of(fact: Fact) -> Quad:
    """A tuple as a quad."""
    return Quad(*fact)


@lru_cache(maxsize=65_536)
def term_of(prologue: str, text: str) -> Term:
    """The term that a text such as `ex:a`, `<urn:a>`, `1` or `"x"@EN` means, as a store keeps it.

    >>> str(term_of("", '"x"@EN')), str(term_of("", "01"))
    ('"x"@en', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>')
    """
    try:
        found = Store().query(f"{prologue}SELECT ?term WHERE {{ VALUES ?term {{ {text} }} }}")
    except SyntaxError:
        raise SparqlSyntaxError(f"{text} is no term that is known here") from None
    assert isinstance(found, QuerySolutions)
    [solution] = found
    term = solution["term"]
    assert term is not None
    return as_kept(term)


def as_kept(term: Term) -> Term:
    """A term as a store keeps it: numbers, times and languages have one spelling there."""
    if not isinstance(term, Literal) or (term.language is None and _is_text(term)):
        return term
    return _round_trip(term)


def node_of(prologue: str, text: str) -> NamedNode:
    """The node that an IRI, or a name with a prefix, means under a prologue."""
    if text[0] == "<" and "\\" not in text and not has_base(prologue):
        return absolute_node(text)
    node = term_of(prologue, text)
    if not isinstance(node, NamedNode):
        raise SparqlSyntaxError(f"expected an IRI, found {text}")
    return node


def absolute_node(text: str) -> NamedNode:
    """The node of an IRI in its brackets."""
    try:
        return NamedNode(text[1:-1])
    except ValueError as error:
        raise SparqlSyntaxError(f"{text} is no IRI: {error}") from None


def has_base(prologue: str) -> bool:
    """Whether a prologue may say with what an IRI is to be joined."""
    return "BASE" in prologue.upper()


def can_be_said(subject: object, predicate: object, graph: object) -> bool:
    """Whether a fact may have these terms in these places, of which None is any.

    Joins ask for what they have found elsewhere, such as a literal as a subject.
    """
    return not (
        isinstance(subject, _NO_SUBJECT)
        or isinstance(predicate, _NO_PREDICATE)
        or isinstance(graph, _NO_SUBJECT)
    )


def has_blank_node(fact: Fact) -> bool:
    """Whether a fact cannot be written down, because it has a node without a name."""
    return type(fact[0]) is BlankNode or type(fact[2]) in _UNNAMED or type(fact[3]) is BlankNode


def _is_text(literal: Literal) -> bool:
    return literal.datatype.value == _TEXT


@lru_cache(maxsize=65_536)
def _round_trip(literal: Literal) -> Term:
    store = Store()
    store.add(Quad(TYPE, TYPE, literal))
    [quad] = store
    kept: Term = quad.object
    return kept
