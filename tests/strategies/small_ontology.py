"""A small ontology of drinks, and subscriptions and events about it."""

from purport.model.class_expression import (
    And,
    Facet,
    Named,
    Not,
    Restricted,
    Some,
)
from purport.model.comparison import Operator
from purport.model.term import Text
from purport.model.units import Quantity
from purport.ontology.axioms import (
    Axiom,
    Axioms,
    ClassAssertion,
    EquivalentClasses,
    PropertyAssertion,
    Range,
    SameIndividuals,
    SubClass,
    SubProperty,
)
from purport.ontology.ontology import Ontology

DRINKS = "http://example.org/drinks#"
XSD = "http://www.w3.org/2001/XMLSchema#"


def iri(name: str) -> str:
    return DRINKS + name


def named(name: str) -> Named:
    return Named(iri(name))


def _at_least(age: int) -> Restricted:
    return Restricted(Named(XSD + "integer"), (Facet(Operator.AT_LEAST, Quantity(age)),))


def drinks() -> Ontology:
    """Wines below drinks, two of which are known, with colours and ages."""
    axioms: list[Axiom] = [
        SubClass(named("Wine"), named("Drink")),
        SubClass(named("RedWine"), named("Wine")),
        SubClass(named("Merlot"), named("RedWine")),
        SubClass(named("WhiteWine"), named("Wine")),
        EquivalentClasses((named("Claret"), named("RedWine"))),
        EquivalentClasses(
            (named("OldWine"), And((named("Wine"), Some(named("hasAge"), _at_least(20)))))
        ),
        SubClass(named("Juice"), And((named("Drink"), Not(named("Wine"))))),
        SubProperty(named("hasMainColour"), named("hasColour")),
        Range(named("hasAge"), Named(XSD + "integer")),
        ClassAssertion(iri("Red"), named("Colour")),
        ClassAssertion(iri("White"), named("Colour")),
        SameIndividuals((iri("Scarlet"), iri("Red"))),
        ClassAssertion(iri("Chateau"), named("RedWine")),
        PropertyAssertion(iri("Chateau"), iri("hasMainColour"), named("Red")),
        PropertyAssertion(iri("Chateau"), iri("hasAge"), Quantity(12)),
        ClassAssertion(iri("Riesling"), named("WhiteWine")),
        PropertyAssertion(iri("Riesling"), iri("hasColour"), named("White")),
        PropertyAssertion(iri("Riesling"), iri("hasNote"), Text("dry")),
    ]
    classes = "Drink Wine RedWine Merlot WhiteWine Claret OldWine Juice Colour Maker"
    return Ontology.of_axioms(
        Axioms(
            tuple(axioms),
            frozenset(map(iri, classes.split())),
            frozenset(map(iri, ("hasColour", "hasMainColour", "hasMaker"))),
            frozenset(map(iri, ("hasAge", "hasNote"))),
            frozenset(map(iri, ("Red", "White", "Scarlet", "Chateau", "Riesling"))),
            prefixes={"drinks": DRINKS, "xsd": XSD},
        )
    )
