"""Numbers are far smaller than names."""

from purport.model.class_expression import (
    And,
    Named,
    Some,
)
from purport.model.units import Quantity
from purport.ontology.codes.encodings import Encodings
from purport.ontology.codes.message_sizes import event_sizes, hierarchy_sizes, subscription_sizes
from purport.ontology.description import Description
from purport.ontology.hierarchy import Hierarchy

PEOPLE = "http://www.example.org/ontologies/people.owl#"
PREFIXES = {"p": PEOPLE}


def _full(*names: str) -> list[str]:
    return [PEOPLE + name for name in names]


PERSON, STUDENT, PROFESSOR, PARENT, FATHER, AGE = _full(
    "Person", "Student", "TenuredProfessor", "isParentOf", "isFatherOf", "hasAge"
)
CLASSES = Hierarchy.of({STUDENT: [PERSON], PROFESSOR: [PERSON]})
PROPERTIES = Hierarchy.of({FATHER: [PARENT], AGE: []})
ENCODINGS = Encodings.of(CLASSES, PROPERTIES, {PEOPLE + "leo": [PROFESSOR]})
GRANDFATHER = And(
    (
        Named(PROFESSOR),
        Some(Named(FATHER), And((Named(PERSON), Some(Named(PARENT), Named(STUDENT))))),
    )
)


def test_a_subscription_is_fifty_times_smaller_than_in_owl() -> None:
    sizes = subscription_sizes(GRANDFATHER, ENCODINGS, PREFIXES)

    assert sizes.encoded == 8
    assert sizes.ratio > 50
    assert sizes.rdf_xml > sizes.turtle > sizes.text > 10 * sizes.encoded


def test_an_event_is_fifty_times_smaller_than_in_owl() -> None:
    student = Description(types=(STUDENT,), facts=((AGE, Quantity(21)),))
    event = Description(PEOPLE + "leo", (PROFESSOR,), ((FATHER, student),))

    sizes = event_sizes(event, ENCODINGS, PREFIXES)

    assert sizes.encoded < 16
    assert sizes.ratio > 40
    assert sizes.text > 10 * sizes.encoded


def test_the_hierarchy_of_figure_3() -> None:
    a, b, c, d, e = _full(*"ABCDE")
    order = Hierarchy.of({b: [a], c: [b], e: [a, d]})

    sizes = hierarchy_sizes(order, Encodings.of(order, Hierarchy.of({})), PREFIXES)

    assert sizes.encoded < 100 < 8 * sizes.encoded < sizes.rdf_xml
