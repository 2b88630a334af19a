"""What an endpoint is asked and told, as texts of SPARQL that even old endpoints read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from pyoxigraph import Literal, NamedNode

from purport.model.rdf import XSD
from purport.sparql.change import Change
from purport.sparql.graph_store import text_of
from purport.sparql.terms import DEFAULT, Fact, Graph, Subject, Term

_PATTERN = "<pattern>"  # stands for three terms
_DECIMAL = NamedNode(f"{XSD}decimal")


def written(term: Term | Graph) -> str:
    """A term, spelled so that no endpoint takes it for another: decimals have a point.

    >>> written(Literal("1", datatype=_DECIMAL))
    '"1.0"^^<http://www.w3.org/2001/XMLSchema#decimal>'
    """
    if isinstance(term, Literal) and term.datatype == _DECIMAL and "." not in term.value:
        return f'"{term.value}.0"^^{_DECIMAL}'
    return str(term)


def matched(
    subject: Subject | None, predicate: NamedNode | None, value: Term | None, where: str
) -> str:
    """The query for facts with these terms: as ?s, ?p, ?o and ?g what is not given.

    `where` is one of the below.
    """
    spots = zip((subject, predicate, value), ("?s", "?p", "?o"), strict=True)
    pattern = " ".join(name if term is None else written(term) for term, name in spots)
    return f"SELECT * WHERE {{ {where.replace(_PATTERN, pattern)} }}"


def in_graph(graph: Graph) -> str:
    """Where to look for what is in one graph."""
    return _PATTERN if graph == DEFAULT else f"GRAPH {graph} {{ {_PATTERN} }}"


def in_named_graphs(hidden: Collection[Graph]) -> str:
    """Where to look for what is in any named graph but some."""
    names = ", ".join(map(str, hidden))
    return f"GRAPH ?g {{ {_PATTERN} }}" + (f" FILTER(?g NOT IN ({names}))" if names else "")


def in_all_graphs(hidden: Collection[Graph]) -> str:
    """Where to look for what is in the default graph, without ?g, or in a named one."""
    return f"{{ {_PATTERN} }} UNION {{ {in_named_graphs(hidden)} }}"


def held(facts: Sequence[Fact]) -> str:
    """The query for which of some facts are there: as ?n their places in the row."""
    named, unnamed = [], []
    for place, (subject, predicate, value, graph) in enumerate(facts):
        row = f"{place} {subject} {predicate} {written(value)}"
        if graph == DEFAULT:
            unnamed.append(f"({row})")
        else:
            named.append(f"({row} {graph})")
    parts = []
    if named:
        parts.append(f"VALUES (?n ?s ?p ?o ?g) {{ {' '.join(named)} }} GRAPH ?g {{ ?s ?p ?o }}")
    if unnamed:
        parts.append(f"VALUES (?n ?s ?p ?o) {{ {' '.join(unnamed)} }} ?s ?p ?o")
    return f"SELECT ?n WHERE {{ {{ {' } UNION { '.join(parts)} }} }}"


def update_texts(change: Change, most_facts: int | None) -> Iterator[str]:
    """A change as updates: one, or more if one may not have all of the facts."""
    return (text_of(part, written) for part in _parts(change, most_facts) if part)


def _parts(change: Change, most_facts: int | None) -> list[Change]:
    """Changes that are one together: graphs come with the first, and go with the last."""
    steps = [(fact, False) for fact in change.removed] + [(fact, True) for fact in change.added]
    remaining = iter(steps)
    parts = []
    while some := list(islice(remaining, most_facts)):
        added = frozenset(fact for fact, is_added in some if is_added)
        parts.append(Change(added, frozenset(fact for fact, is_added in some if not is_added)))
    parts = parts or [Change()]
    parts[0] = replace(parts[0], created=change.created)
    parts[-1] = replace(parts[-1], dropped=change.dropped)
    return parts
