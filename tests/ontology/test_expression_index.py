"""An index of expressions leaves out none that an individual is in, and most of the others."""

from hypothesis import given, settings
from hypothesis import strategies as st

from purport.model.class_expression import And, ClassExpression, Named, Not, OneOf, Or, Some
from purport.model.term import Text
from purport.ontology.axioms import NOTHING, THING, Axioms, SubClass
from purport.ontology.description import Description
from purport.ontology.expression_index import ExpressionIndex, told_unions
from purport.ontology.ontology import Ontology

NAMES = ["urn:x:A", "urn:x:B", "urn:x:C", "urn:x:D", "urn:x:E"]
HAS = Named("urn:x:has")

names = st.sampled_from(NAMES).map(Named)
expressions: st.SearchStrategy[ClassExpression] = st.recursive(
    st.one_of(names, st.just(THING)),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(And),
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(Or),
        inner.map(Not),
        inner.map(lambda filler: Some(HAS, filler)),
    ),
    max_leaves=6,
)
descriptions = st.builds(
    Description,
    types=st.lists(st.sampled_from(NAMES), max_size=2).map(tuple),
    facts=st.lists(
        st.sampled_from(NAMES).map(lambda one: (HAS.name, Description(types=(one,)))), max_size=2
    ).map(tuple),
)
axioms = st.lists(st.builds(SubClass, names, expressions), max_size=4)


def ontology_of(told: list[SubClass]) -> Ontology:
    return Ontology.of_axioms(
        Axioms(tuple(told), frozenset(NAMES), frozenset([HAS.name]), frozenset(), frozenset())
    )


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
    a, b, c, *_ = map(Named, NAMES)
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
    a, b, c, *_ = map(Named, NAMES)
    union = Or((a, b))

    ontology = ontology_of([SubClass(c, And((c, union)))])

    assert told_unions(ontology.axioms) == {union}
    assert index_of(ontology, [union]).classes_above(union) is None
    assert index_of(ontology, [Or((b, c))]).classes_above(Or((b, c))) == frozenset([b.name, c.name])
