"""An index of expressions leaves out none that an individual is in, and most of the others."""

from hypothesis import given, settings
from hypothesis import strategies as st

from purport.model.class_expression import And, ClassExpression, Named, Not, OneOf, Or, Some
from purport.model.term import Text
from purport.ontology.axioms import NOTHING, THING, SubClass
from purport.ontology.description import Description
from purport.ontology.expression_index import ExpressionIndex, told_unions
from purport.ontology.ontology import Ontology
from tests.strategies.ontologies import (
    CLASSES,
    PROPERTIES,
    classes,
    descriptions,
    expressions,
    ontology,
)

HAS = Named(PROPERTIES[0])
axioms = st.lists(st.builds(SubClass, classes, expressions), max_size=4)


def ontology_of(told: list[SubClass]) -> Ontology:
    return Ontology.of_axioms(ontology(*told))


def index_of(ontology: Ontology, several: list[ClassExpression]) -> ExpressionIndex:
    index = ExpressionIndex(ontology.classes, told_unions(ontology.axioms))
    for number, expression in enumerate(several):
        index.add(expression, number)
    return index


@settings(deadline=None)
@given(axioms, st.lists(expressions, max_size=5), descriptions)
def test_whatever_an_individual_is_in_is_a_candidate(
    told: list[SubClass], several: list[ClassExpression], individual: Description
) -> None:
    ontology = ontology_of(told)
    types = ontology.types_of(individual)
    if ontology.is_member(individual, NOTHING):
        types |= {NOTHING.name}

    found = index_of(ontology, several).candidates(types)

    members = [number for number, one in enumerate(several) if ontology.is_member(individual, one)]
    assert set(members) <= set(found)
    assert found == sorted(set(found))


def test_what_is_filed_under_other_classes_is_left_out() -> None:
    a, b, c, *_ = map(Named, CLASSES)
    ontology = ontology_of([SubClass(a, b)])
    several: list[ClassExpression] = [
        a, b, c, And((b, a)), Or((a, c)), Not(a), Some(HAS, c), OneOf((Text("x"),)), THING,
    ]  # fmt: skip
    index = index_of(ontology, several)

    assert index.candidates(frozenset([b.name])) == [1, 5, 6, 7, 8]
    assert index.candidates(frozenset([a.name, b.name])) == [0, 1, 3, 4, 5, 6, 7, 8]
    assert index.candidates(frozenset([b.name]), first=6) == [6, 7, 8]
    assert index.candidates(frozenset([NOTHING.name]), first=7) == [7, 8]


def test_a_union_that_the_ontology_speaks_of_is_looked_at_always() -> None:
    a, b, c, *_ = map(Named, CLASSES)
    union = Or((a, b))

    ontology = ontology_of([SubClass(c, And((c, union)))])

    assert told_unions(ontology.axioms) == {union}
    assert index_of(ontology, [union]).classes_above(union) is None
    assert index_of(ontology, [Or((b, c))]).classes_above(Or((b, c))) == frozenset([b.name, c.name])
