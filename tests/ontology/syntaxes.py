"""Ontologies written in other syntaxes than they came in."""

from pathlib import Path
from typing import Literal

import pyhornedowl
import pyoxigraph

HornedFormat = Literal["owl", "owx", "ofn", "omn"]
_HORNED: dict[str, HornedFormat] = {"owl": "owl", "owx": "owx", "ofn": "ofn", "omn": "omn"}
FORMATS = (*_HORNED, "ttl", "nt", "jsonld")
_RDF = {
    "ttl": pyoxigraph.RdfFormat.TURTLE,
    "nt": pyoxigraph.RdfFormat.N_TRIPLES,
    "jsonld": pyoxigraph.RdfFormat.JSON_LD,
}


def rewritten(text: str, syntax: HornedFormat, file: Path, format: str) -> Path:
    """An ontology, given as a text in some syntax, in a file in another format."""
    ontology = pyhornedowl.open_ontology_from_string(text, syntax)
    if format in _HORNED:
        ontology.save_to_file(str(file), _HORNED[format])
        return file
    ontology.save_to_file(str(file), "owl")
    quads = list(pyoxigraph.parse(path=file, format=pyoxigraph.RdfFormat.RDF_XML))
    pyoxigraph.serialize([quad.triple for quad in quads], output=file, format=_RDF[format])
    return file
