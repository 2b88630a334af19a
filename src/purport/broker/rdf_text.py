"""Terms, facts and bindings as texts that a journal keeps, in the syntax of N-Quads.

A blank node keeps its label, so that what is read is what was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pyoxigraph import (
    BlankNode,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    RdfFormat,
    Triple,
    parse,
)

from purport.broker.journal import JournalError
from purport.remembering import remembered
from purport.sparql.change import Change
from purport.sparql.terms import Fact, Term, fact_of

Binding = Mapping[str, Term]  # a variable that is not bound is absent
BindingText = dict[str, str]

_PLAIN_LITERAL = re.compile(r'"([^"\\\n\r]*)"(?:\^\^<([^<>"\\ ]+)>)?')


def term_text(term: Term) -> str:
    """A term as N-Quads have it.

    >>> term_text(Literal(5))
    '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'
    """
    if isinstance(term, Triple):
        return f"<<( {' '.join(map(term_text, (term.subject, term.predicate, term.object)))} )>>"
    return str(term)


@remembered(8_192, longest=512, length=len)
def term_of(text: str) -> Term:
    """The term of a text."""
    if text.startswith("<") and not text.startswith("<<"):
        return NamedNode(text[1:-1])
    if text.startswith("_:"):
        return BlankNode(text[2:])
    plain = _PLAIN_LITERAL.fullmatch(text)
    if plain is not None:
        value, kind = plain.groups()
        return Literal(value) if kind is None else Literal(value, datatype=NamedNode(kind))
    [quad] = _quads(f"<urn:s> <urn:p> {text} .")
    return quad.object


def fact_text(fact: Fact) -> str:
    """A fact as N-Quads have it, without the point at the end."""
    *triple, graph = fact
    terms = [term_text(one) for one in triple]
    return " ".join(terms if isinstance(graph, DefaultGraph) else [*terms, str(graph)])


def facts_of(texts: Iterable[str]) -> frozenset[Fact]:
    """The facts of such texts."""
    whole = "".join(f"{text} .\n" for text in texts)
    return frozenset(map(fact_of, _quads(whole)))


def fact_texts(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Facts as texts, in an order that depends on nothing else."""
    return tuple(sorted(map(fact_text, facts)))


def binding_texts(bindings: Iterable[Binding]) -> tuple[BindingText, ...]:
    """Bindings as a journal keeps them: the names of variables with the texts of terms."""
    return tuple({name: term_text(term) for name, term in one.items()} for one in bindings)


def bindings_of(texts: Iterable[Mapping[str, str]]) -> list[Binding]:
    """The bindings of such texts."""
    return [{name: term_of(text) for name, text in one.items()} for one in texts]


def change_from(
    added: Sequence[str],
    removed: Sequence[str],
    created: Sequence[str] = (),
    dropped: Sequence[str] = (),
) -> Change:
    """The change that texts of facts, and IRIs of graphs, say."""
    return Change(
        facts_of(added),
        facts_of(removed),
        frozenset(map(NamedNode, created)),
        frozenset(map(NamedNode, dropped)),
    )


def _quads(text: str) -> list[Quad]:
    try:
        return list(parse(text, format=RdfFormat.N_QUADS)) if text else []
    except (SyntaxError, ValueError) as error:
        raise JournalError(f"what should be N-Quads is none: {error}") from None
