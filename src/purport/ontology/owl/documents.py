"""One file of an ontology: what it is called, what it imports, and what it says."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal
from xml.parsers import expat

import pyhornedowl
import pyhornedowl.model as model
import pyoxigraph

from purport.errors import UnusablePath
from purport.ontology.errors import OntologyError
from purport.ontology.owl.rdf_graph import RdfGraph
from purport.ontology.owl.syntaxes import OntologySyntax, head_of, syntax_of
from purport.ontology.owl.xml_prefixes import xml_prefixes
from purport.ontology.vocabulary import OWL, RDF

_RDF_FORMATS = {
    OntologySyntax.RDF_XML: pyoxigraph.RdfFormat.RDF_XML,
    OntologySyntax.TURTLE: pyoxigraph.RdfFormat.TURTLE,
    OntologySyntax.JSON_LD: pyoxigraph.RdfFormat.JSON_LD,
}
_HORNED_FORMATS: dict[OntologySyntax, Literal["owx", "ofn", "omn"]] = {
    OntologySyntax.OWL_XML: "owx",
    OntologySyntax.FUNCTIONAL: "ofn",
    OntologySyntax.MANCHESTER: "omn",
}
_HEADERS = {
    OntologySyntax.OWL_XML: re.compile(
        r'<(?:[\w.-]+:)?Ontology\s[^>]*?(?:ontologyIRI="([^"]*)"[^>]*?)'
        r'(?:(?<=\s)versionIRI="([^"]*)")?[^>]*>'
    ),
    OntologySyntax.FUNCTIONAL: re.compile(r"\bOntology\s*\(\s*<([^>]*)>\s*(?:<([^>]*)>)?"),
    OntologySyntax.MANCHESTER: re.compile(r"\bOntology:\s*<([^>]*)>\s*(?:<([^>]*)>)?"),
}
_HEADER_TRIPLES = 10_000
_PLACE = re.compile(r"line_col: (?:Pos|Span)\(\(+(\d+), (\d+)\)")
_BYTE = re.compile(r"BytePosition\((\d+)\)")
_FOUND = re.compile(r'(?:ValidityError\(|UnsupportedSyntax\(|InvalidIRI\()"([^"]+)"')


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read.

    `names` are the IRI of the ontology, that of its version, and the base of the file. The content
    is a graph, or what py-horned-owl read.
    """

    path: Path
    syntax: OntologySyntax
    names: tuple[str, ...]
    imports: tuple[str, ...]
    prefixes: Mapping[str, str]
    content: RdfGraph | list[Any]


def read_document(path: Path) -> Document:
    """The file, read; one that cannot be is an `OntologyError` that says where and why."""
    syntax = syntax_of(path)
    if syntax in _RDF_FORMATS:
        return _read_rdf(path, syntax)
    return _read_horned(path, syntax)


def names_in(path: Path) -> tuple[str, ...]:
    """What the ontology in a file is called, by a look at the beginning; none if it is unknown."""
    try:
        syntax = syntax_of(path)
        if syntax in _RDF_FORMATS:
            return _names_of_graph(RdfGraph.of(islice(_quads(path, syntax), _HEADER_TRIPLES)))
        found = _HEADERS[syntax].search(head_of(path))
        return tuple(name for name in found.groups() if name) if found else ()
    except (OntologyError, UnusablePath, SyntaxError, OSError):
        return ()


def _read_rdf(path: Path, syntax: OntologySyntax) -> Document:
    quads = _quads(path, syntax)
    try:
        graph = RdfGraph.of(quads)
    except SyntaxError as error:
        raise OntologyError(_rdf_message(path, syntax, error)) from None
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    if not _says_something(graph):
        raise OntologyError(
            f"{path}: found {syntax} with {graph.triples} triples, none of them about a class, a "
            "property or an ontology, expected OWL"
        )
    prefixes = quads.prefixes
    if syntax is OntologySyntax.RDF_XML:
        prefixes = xml_prefixes(head_of(path))
    base = quads.base_iri if quads.base_iri != _own_address(path) else None
    names = _names_of_graph(graph)
    imports = (given for _, given in graph.of_predicate(OWL + "imports") if isinstance(given, str))
    return Document(
        path=path,
        syntax=syntax,
        names=(*names, base) if base and base not in names else names,
        imports=tuple(dict.fromkeys(imports)),
        prefixes=prefixes,
        content=graph,
    )


def _quads(path: Path, syntax: OntologySyntax) -> pyoxigraph.QuadParser:
    with path.open("rb") as file:
        has_mark = file.read(len(BOM_UTF8)) == BOM_UTF8
        text = file.read() if has_mark else None
    return pyoxigraph.parse(
        text,
        path=path if text is None else None,
        format=_RDF_FORMATS[syntax],
        base_iri=_own_address(path),
        lenient=True,
    )


def _own_address(path: Path) -> str:
    return path.absolute().as_uri()


def _names_of_graph(graph: RdfGraph) -> tuple[str, ...]:
    """The IRI of the ontology and of its version: of the first that the file speaks about."""
    name = next((node for node in graph.typed(OWL + "Ontology") if node[:2] != "_:"), None)
    if name is None:
        return ()
    versions = [
        given
        for node, given in graph.of_predicate(OWL + "versionIRI")
        if node == name and isinstance(given, str)
    ]
    return (name, *versions)


def _says_something(graph: RdfGraph) -> bool:
    return bool(graph.stated.keys() - {OWL + "imports", OWL + "versionIRI", RDF + "type"}) or any(
        isinstance(given, str) for _, given in graph.of_predicate(RDF + "type")
    )


def _rdf_message(path: Path, syntax: OntologySyntax, error: SyntaxError) -> str:
    reason = re.sub(r"^Parser error at .*?: ", "", error.msg or str(error))
    if error.lineno is None:
        if syntax is OntologySyntax.RDF_XML:
            _check_xml(path, path.read_bytes(), syntax)
        return f"{path}: not valid {syntax}: {reason}"
    return f"{path}, line {error.lineno}, column {error.offset or 1}: not valid {syntax}: {reason}"


def _read_horned(path: Path, syntax: OntologySyntax) -> Document:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise OntologyError(f"{path}: not UTF-8 (byte {error.start})") from None
    if syntax is OntologySyntax.OWL_XML:
        _check_xml(path, text, syntax)
    try:
        ontology = pyhornedowl.open_ontology_from_string(text, _HORNED_FORMATS[syntax])
    except ValueError as error:
        raise OntologyError(_horned_message(path, syntax, str(error), text)) from None
    components = list(ontology.get_components())
    return Document(
        path=path,
        syntax=syntax,
        names=tuple(str(name) for name in (ontology.get_iri(), ontology.get_version_iri()) if name),
        imports=tuple(sorted(_imported(components))),
        prefixes=dict(ontology.prefix_mapping),
        content=components,
    )


def _check_xml(path: Path, text: str | bytes, syntax: OntologySyntax) -> None:
    """Refuse what is no XML: py-horned-owl, given an element that does not end, never stops."""
    try:
        expat.ParserCreate().Parse(text, True)
    except expat.ExpatError as error:
        place = f"{path}, line {error.lineno}, column {error.offset + 1}"
        reason = expat.ErrorString(error.code)
        raise OntologyError(f"{place}: not valid {syntax}: {reason}") from None


def _imported(components: list[Any]) -> Iterator[str]:
    for annotated in components:
        if isinstance(annotated.component, model.Import):
            yield str(annotated.component.first)


def _horned_message(path: Path, syntax: OntologySyntax, reason: str, text: str) -> str:
    """What the library says of a mistake, with the line and column as far as it knows them."""
    said = _FOUND.search(reason)
    because = f": {said[1]}" if said else ""
    if place := _PLACE.search(reason):
        line, column = int(place[1]), int(place[2])
    elif byte := _BYTE.search(reason):
        before = text.encode()[: int(byte[1])].decode(errors="ignore")
        line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
    else:
        return f"{path}: not valid {syntax}: {reason.removeprefix('Failed to open ontology: ')}"
    return f"{path}, line {line}, column {column}: not valid {syntax}{because}"
