"""What a query looks at: triple patterns, as far as they can be told from its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple
from rdflib import BNode, URIRef, Variable
from rdflib import Literal as RdflibLiteral
from rdflib.paths import AlternativePath, InvPath, MulPath, OneOrMore, Path, SequencePath
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue

Term = NamedNode | BlankNode | Literal | Triple


@dataclass(frozen=True, slots=True)
class Pattern:
    """A triple with None in the place of what may be anything, in whatever graph."""

    subject: Term | None = None
    predicate: Term | None = None
    object: Term | None = None

    def covers(self, quad: Quad) -> bool:
        """Whether a quad is one of those."""
        return (
            self.subject in (None, quad.subject)
            and self.predicate in (None, quad.predicate)
            and self.object in (None, quad.object)
        )


ANYTHING = Pattern()


def patterns_of(text: str) -> frozenset[Pattern]:
    """Patterns one of which covers every quad that the answer to a query can depend on.

    `ANYTHING` is among them where that cannot be told: DESCRIBE, paths of no length, or syntax that
    rdflib does not read.
    """
    try:
        algebra = translateQuery(parseQuery(text)).algebra
    except Exception:  # noqa: BLE001 - rdflib raises whatever it likes; the store has read the text
        return frozenset({ANYTHING})
    if algebra.name == "DescribeQuery":
        return frozenset({ANYTHING})
    return frozenset(_in_tree(algebra))


def _in_tree(node: Any) -> Iterator[Pattern]:
    if isinstance(node, CompValue):
        for name, inner in node.items():
            if name == "triples" and node.name in ("BGP", "TriplesBlock"):
                for triple in _triples(inner):
                    yield from _in_triple(*triple)
            elif name == "template":
                continue
            else:
                yield from _in_tree(inner)
    elif isinstance(node, Mapping):
        for inner in node.values():
            yield from _in_tree(inner)
    elif isinstance(node, Iterable) and not isinstance(node, str | bytes):
        for inner in node:
            yield from _in_tree(inner)


def _triples(given: Iterable[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Triples, each by itself, or several in one row."""
    for row in given:
        terms = list(row)
        yield from zip(terms[::3], terms[1::3], terms[2::3], strict=True)


def _in_triple(subject: Any, predicate: Any, value: Any) -> Iterator[Pattern]:
    if not isinstance(predicate, Path):
        yield Pattern(_constant(subject), _constant(predicate), _constant(value))
        return
    steps = _steps(predicate)
    if steps is None:
        yield ANYTHING
        return
    for step in steps:
        yield Pattern(predicate=NamedNode(str(step)))


def _steps(path: Any) -> list[URIRef] | None:
    """The predicates on a path; None if it may have no length, or be of any others."""
    match path:
        case URIRef():
            return [path]
        case InvPath():
            return _steps(path.arg)
        case SequencePath() | AlternativePath():
            found = [_steps(one) for one in path.args]
            if any(one is None for one in found):
                return None
            return [step for steps in found for step in steps or ()]
        case MulPath():
            return _steps(path.path) if path.mod == OneOrMore else None
    return None


def _constant(term: Any) -> Term | None:
    """A term that is compared as it is; None for variables, and literals that have spellings."""
    match term:
        case Variable() | BNode():
            return None
        case RdflibLiteral():
            if term.datatype is None:
                return Literal(str(term), language=term.language)
            return None
        case URIRef():
            return NamedNode(str(term))
    return None
