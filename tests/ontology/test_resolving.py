"""Class expressions with every name looked up."""

import pickle

import pytest

from purport.model import class_expression as owl
from purport.model.class_expression import Named
from purport.model.comparison import Operator
from purport.model.language.parse import parse_class
from purport.model.rdf import XSD
from purport.model.term import Text
from purport.model.units import Quantity
from purport.ontology.axioms import Axioms
from purport.ontology.errors import OntologyError, UnknownName
from purport.ontology.names import Names
from purport.ontology.resolving import resolved

X = "http://x.org/"
NAMES = Names(
    Axioms(
        (),
        classes=frozenset(X + name for name in ("Person", "Student", "Dog")),
        object_properties=frozenset([X + "owns"]),
        data_properties=frozenset(X + name for name in ("hasAge", "hasName")),
        individuals=frozenset([X + "Rex", X + "Tom"]),
        labels={X + "Person": ("human being",)},
        prefixes={"x": X},
    )
)
PERSON, STUDENT, DOG, REX, TOM = (
    Named(X + name) for name in ("Person", "Student", "Dog", "Rex", "Tom")
)
OWNS, AGE, NAME = (Named(X + name) for name in ("owns", "hasAge", "hasName"))
INTEGER = Named(XSD + "integer")
AT_MOST_25 = owl.Restricted(INTEGER, (owl.Facet(Operator.AT_MOST, Quantity(25)),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Student or Person that hasAge all xsd:integer[<= 25]",
            owl.Or((STUDENT, owl.And((PERSON, owl.Only(AGE, AT_MOST_25))))),
        ),
        ("x:Person and not 'human being'", owl.And((PERSON, owl.Not(PERSON)))),
        ("owns some dog", owl.Some(OWNS, DOG)),
        ("inverse owns some Person", owl.Some(owl.Inverse(OWNS), PERSON)),
        ("owns value Rex", owl.HasValue(OWNS, REX)),
        ("owns Self", owl.HasSelf(OWNS)),
        ("owns min 2", owl.Cardinality(OWNS, owl.Bound.MIN, 2)),
        ("owns max 2 Dog", owl.Cardinality(OWNS, owl.Bound.MAX, 2, DOG)),
        ("owns only {Rex, x:Tom}", owl.Only(OWNS, owl.OneOf((REX, TOM)))),
        ("hasName value Rex", owl.HasValue(NAME, Text("Rex"))),
        ('hasName some {"Rex", Tom}', owl.Some(NAME, owl.OneOf((Text("Rex"), Text("Tom"))))),
        ("hasAge some integer", owl.Some(AGE, INTEGER)),
        ("hasAge exactly 1 xsd:integer", owl.Cardinality(AGE, owl.Bound.EXACTLY, 1, INTEGER)),
        (
            "hasAge some (xsd:integer and not xsd:integer[<= 25])",
            owl.Some(AGE, owl.And((INTEGER, owl.Not(AT_MOST_25)))),
        ),
        ("owl:Thing", Named("http://www.w3.org/2002/07/owl#Thing")),
    ],
)
def test_every_name_becomes_a_full_iri(text: str, expected: owl.ClassExpression) -> None:
    expression = resolved(parse_class(text), NAMES)

    assert expression == expected
    assert resolved(expression, NAMES) == expected


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("Persn", "class", "Persn"),
        ("Person and (owns some Cat)", "class", "Cat"),
        ("own some Dog", "property", "own"),
        ("owns value Rexx", "individual", "Rexx"),
        ("{Tim}", "individual", "Tim"),
        ("hasAge some Dog", "datatype", "Dog"),
        ("hasAge some xsd:integr[< 5]", "datatype", "xsd:integr"),
        ("owns some xsd:integer", "class", "xsd:integer"),
    ],
)
def test_a_name_that_the_ontology_lacks_is_refused(text: str, kind: str, name: str) -> None:
    with pytest.raises(UnknownName) as unknown:
        resolved(parse_class(text), NAMES)

    assert (unknown.value.kind, unknown.value.name) == (kind, name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hasAge", "'hasAge' is a property, expected a class"),
        ("Person some Dog", "'Person' is a class, expected a property"),
        ("owns value Dog", "'Dog' is a class, expected an individual"),
    ],
)
def test_a_name_of_another_kind_is_told(text: str, message: str) -> None:
    with pytest.raises(UnknownName) as mistaken:
        resolved(parse_class(text), NAMES)

    assert str(mistaken.value) == message
    assert str(pickle.loads(pickle.dumps(mistaken.value))) == message


@pytest.mark.parametrize("limit", ["abc", "sixty", "5 km", "true", '"5"', "2016-04-11"])
@pytest.mark.parametrize("datatype", ["xsd:integer", "xsd:decimal", "xsd:byte", "double"])
def test_a_limit_on_numbers_is_a_number(datatype: str, limit: str) -> None:
    with pytest.raises(OntologyError, match=r"\[>= .*\]: expected a number without a unit, got"):
        resolved(parse_class(f"hasAge some {datatype}[>= {limit}]"), NAMES)


def test_a_limit_on_times_is_a_time() -> None:
    with pytest.raises(OntologyError, match="expected a time, got '5'"):
        resolved(parse_class("hasAge some xsd:dateTime[>= 5]"), NAMES)
