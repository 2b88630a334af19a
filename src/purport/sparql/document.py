"""Local files of RDF, as facts."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from pyoxigraph import NamedNode, RdfFormat, parse

from purport.sparql.terms import Fact, Graph, as_kept, fact_of


def facts_of(document: NamedNode, graph: Graph) -> set[Fact]:
    """The triples of a local file, in the syntax that its name says."""
    parts = urlsplit(document.value)
    if parts.scheme != "file":
        raise ValueError("only local files (file:...) are loaded")
    path = Path(unquote(parts.path))
    syntax = RdfFormat.from_extension(path.suffix.removeprefix("."))
    if syntax is None:
        raise ValueError(f"the name {path.name!r} says no syntax of RDF")
    with path.open("rb") as file:
        facts = map(fact_of, parse(file, format=syntax, base_iri=document.value))
        return {(subject, verb, as_kept(value), graph) for subject, verb, value, _ in facts}
