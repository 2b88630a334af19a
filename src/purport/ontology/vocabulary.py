"""The names that OWL, RDF and RDF Schema themselves give, and those of the datatypes of XSD."""

from __future__ import annotations

from purport.model.class_expression import TextFacet
from purport.model.comparison import Operator
from purport.model.rdf import XSD

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"

SKOS = "http://www.w3.org/2004/02/skos/core#"
SWRL = "http://www.w3.org/2003/11/swrl#"

BUILT_IN_PREFIXES = {"owl": OWL, "rdf": RDF, "rdfs": RDFS, "xsd": XSD}

_XSD_DATATYPES = (
    "string normalizedString token language Name NCName NMTOKEN boolean decimal integer "
    "nonNegativeInteger nonPositiveInteger positiveInteger negativeInteger long int short byte "
    "unsignedLong unsignedInt unsignedShort unsignedByte float double hexBinary base64Binary "
    "anyURI dateTime dateTimeStamp date time gYear gYearMonth gMonth gMonthDay gDay duration "
    "dayTimeDuration yearMonthDuration anySimpleType anyAtomicType"
).split()
DATATYPES = frozenset(
    [
        *(XSD + name for name in _XSD_DATATYPES),
        *(RDF + name for name in ("PlainLiteral", "XMLLiteral", "langString")),
        *(OWL + name for name in ("real", "rational")),
        RDFS + "Literal",
    ]
)

FACETS: dict[str, Operator | TextFacet] = {
    XSD + "minInclusive": Operator.AT_LEAST,
    XSD + "minExclusive": Operator.GREATER,
    XSD + "maxInclusive": Operator.AT_MOST,
    XSD + "maxExclusive": Operator.LESS,
    **{XSD + facet: facet for facet in TextFacet if facet is not TextFacet.LANGUAGE_RANGE},
    RDF + "langRange": TextFacet.LANGUAGE_RANGE,
}

LABELS = frozenset((RDFS + "label", SKOS + "prefLabel"))
BUILT_IN_CLASSES = frozenset((OWL + "Thing", OWL + "Nothing"))
BUILT_IN_OBJECT_PROPERTIES = frozenset((OWL + "topObjectProperty", OWL + "bottomObjectProperty"))
BUILT_IN_DATA_PROPERTIES = frozenset((OWL + "topDataProperty", OWL + "bottomDataProperty"))

# Vocabularies that speak about documents and words: a property of theirs that nobody declares
# annotates.
ANNOTATING = (
    RDFS,
    SKOS,
    "http://purl.org/dc/",
    "http://purl.org/vocab/vann/",
    "http://purl.org/vocommons/voaf#",
    "http://www.geneontology.org/formats/oboInOwl#",
    "http://creativecommons.org/ns#",
    "http://www.w3.org/2003/06/sw-vocab-status/ns#",
)


def is_built_in(iri: str) -> bool:
    """Whether a name belongs to OWL, RDF or RDF Schema."""
    return iri.startswith((OWL, RDF, RDFS))
