"""What is written as RDF is read back as the same."""

import re

from hypothesis import assume, given, settings
from pyoxigraph import RdfFormat, parse

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    Facet,
    Named,
    Not,
    OneOf,
    Only,
    Restricted,
    Some,
    TextFacet,
)
from purport.model.comparison import Operator
from purport.model.rdf import XSD
from purport.model.term import Text
from purport.model.units import Quantity
from purport.ontology.axioms import THING, Axiom, EquivalentClasses
from purport.ontology.owl.collection import Collection
from purport.ontology.owl.rdf_axioms import add_declarations, add_graph
from purport.ontology.owl.rdf_graph import RdfGraph
from purport.ontology.owl.rdf_writing import owl_text, triples_of_expression
from purport.ontology.vocabulary import OWL
from tests.strategies.ontologies import INTEGER, MEASURE, expressions

ASKED = "urn:asked"
STRING = Named(XSD + "string")
ENGLISH = Restricted(STRING, (Facet(TextFacet.LANGUAGE_RANGE, Text("en")),))


def read_back(expression: ClassExpression, form: RdfFormat) -> list[Axiom]:
    """The axioms in the text of an expression."""
    text = owl_text(triples_of_expression(ASKED, expression), form, {"owl": OWL})
    graph, collection = RdfGraph.of(parse(text, format=form)), Collection()
    add_declarations(graph, collection)
    add_graph(graph, collection, "")
    assert not +collection.ignored
    return list(collection.axioms)


def counting_all(axiom: Axiom) -> str:
    """An axiom as text, where to count what is in owl:Thing is to count everything."""
    return re.sub(rf"(count=\d+, filler=){re.escape(repr(THING))}", r"\1None", repr(axiom))


@given(expressions)
@settings(deadline=None)
def test_every_form_of_expression_is_read_back(expression: ClassExpression) -> None:
    assume("EQUAL:" not in repr(expression))  # in OWL that is a list
    for form in (RdfFormat.TURTLE, RdfFormat.RDF_XML):
        [read] = read_back(expression, form)
        assert counting_all(read) == counting_all(EquivalentClasses((Named(ASKED), expression)))


def test_what_has_no_facet_is_written_as_a_list() -> None:
    limits = (Facet(Operator.AT_LEAST, Quantity(1)), Facet(Operator.NOT_EQUAL, Quantity(5)))
    expression = Some(Named(MEASURE), Restricted(INTEGER, limits))

    [read] = read_back(expression, RdfFormat.TURTLE)

    others = And((Restricted(INTEGER, limits[:1]), Not(OneOf((Quantity(5),)))))
    assert read == EquivalentClasses((Named(ASKED), Some(Named(MEASURE), others)))


def test_ranges_of_data_are_written_as_such() -> None:
    measure = Named(MEASURE)
    expression = And(
        (
            Some(measure, ENGLISH),
            Only(measure, Not(OneOf((Text("x"),)))),
            Cardinality(measure, Bound.MAX, 1, STRING),
        )
    )

    text = owl_text(triples_of_expression(ASKED, expression), RdfFormat.TURTLE, {"owl": OWL})

    assert read_back(expression, RdfFormat.TURTLE) == [
        EquivalentClasses((Named(ASKED), expression))
    ]
    assert "owl:onDataRange" in text and "owl:onClass" not in text
    assert "owl:datatypeComplementOf" in text and "#langRange" in text
