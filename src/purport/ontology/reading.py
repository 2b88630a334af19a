"""Ontologies read from files, with all that they import."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from purport.ontology.axioms import Axioms
from purport.ontology.collection import Collection
from purport.ontology.documents import Document, read_document
from purport.ontology.horned import add_components
from purport.ontology.imports import Imports, checked_places
from purport.ontology.rdf_axioms import add_declarations, add_graph
from purport.ontology.rdf_graph import RdfGraph

_MISSING = "missing imports"


def read_ontology(
    paths: Sequence[Path | str],
    *,
    imports: Sequence[Path | str] = (),
    ignores_missing_imports: bool = False,
) -> Axioms:
    """What files say, and those they import; the syntax of each is told by its content.

    Imports are looked for in local files alone (see `imports`). One that is missing is an
    `OntologyError`, or is counted among what was ignored.
    """
    given = tuple(dict.fromkeys(map(Path, paths)))
    collection = Collection()
    documents = _all_documents(
        given,
        Imports(given, checked_places(imports)),
        collection if ignores_missing_imports else None,
    )
    for document in documents:
        if isinstance(document.content, RdfGraph):
            add_declarations(document.content, collection)
    for number, document in enumerate(documents, start=1):
        _add(document, collection, f"{number}.")
    for document in documents:
        collection.add_prefixes(document.prefixes)
    for document in documents:
        collection.add_prefixes(_own_prefix(document, collection))
    return collection.told(document.path for document in documents)


def _all_documents(
    given: Iterable[Path], imports: Imports, ignoring: Collection | None
) -> list[Document]:
    """The files given and all that they import, each once; without `ignoring`, none may miss."""
    documents: dict[Path, Document] = {}
    left = list(given)
    for path in left:
        if path.resolve() not in documents:
            documents[path.resolve()] = document = read_document(path)
            imports.remember(document)
    for document in (waiting := list(documents.values())):
        for iri in document.imports:
            found = imports.find(iri, document.path)
            if found is None and ignoring is None:
                raise imports.missing(iri, document.path)
            if found is None:
                assert ignoring is not None
                ignoring.ignored[f"{_MISSING} (<{iri}>)"] += 1
            elif found.resolve() not in documents:
                documents[found.resolve()] = imported = read_document(found)
                imports.remember(imported)
                waiting.append(imported)
    return list(documents.values())


def _add(document: Document, collection: Collection, blanks: str) -> None:
    match document.content:
        case RdfGraph():
            add_graph(document.content, collection, blanks)
        case components:
            add_components(components, collection, blanks)


def _own_prefix(document: Document, collection: Collection) -> dict[str, str]:
    """A prefix for the names that a file gives, called as the file is: `wine:` for wine.rdf.

    Their namespace is the one without a prefix, or the ontology's IRI and `#` or `/`, whichever
    some class or property is in.
    """
    name = document.path.stem
    if name in collection.prefixes or not name.replace("-", "").replace("_", "").isalnum():
        return {}
    iri = document.names[0] if document.names else ""
    ends = ("",) if iri.endswith(("#", "/")) else ("#", "/")
    possible = [document.prefixes.get("", ""), *(iri + end for end in ends if iri)]
    named = collection.classes | collection.object_properties | collection.data_properties
    for namespace in filter(None, possible):
        if any(one.startswith(namespace) for one in named):
            return {name: namespace}
    return {}
