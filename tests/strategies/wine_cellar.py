"""A small ontology as a file, for whatever reads one."""

import atexit
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from purport.ontology.ontology import Ontology

CELLAR = """\
@prefix : <http://example.org/cellar#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://example.org/cellar> a owl:Ontology .
:Wine a owl:Class .
:RedWine a owl:Class ; rdfs:subClassOf :Wine .
:Merlot a owl:Class ; rdfs:subClassOf :RedWine .
:Claret a owl:Class ; owl:equivalentClass :RedWine .
:Colour a owl:Class .
:hasColour a owl:ObjectProperty .
:hasAge a owl:DatatypeProperty ; rdfs:range xsd:integer .
:Red a owl:NamedIndividual , :Colour .
:Chateau a owl:NamedIndividual , :RedWine ; :hasColour :Red ; :hasAge 12 .
"""


def cellar_file(folder: Path) -> Path:
    """The ontology, in a folder."""
    path = folder / "cellar.ttl"
    path.write_text(CELLAR)
    return path


@cache
def lasting_cellar_file() -> Path:
    """The same in a folder that is there as long as the tests run."""
    folder = TemporaryDirectory(prefix="purport-cellar-")
    atexit.register(folder.cleanup)
    return cellar_file(Path(folder.name))


@cache
def cellar() -> Ontology:
    """The ontology itself."""
    return Ontology.load(lasting_cellar_file())
