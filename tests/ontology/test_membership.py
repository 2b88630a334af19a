"""Who is a member: against a small world of what is told, and by example."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    Facet,
    HasSelf,
    HasValue,
    Inverse,
    Named,
    Not,
    OneOf,
    Only,
    Or,
    Restricted,
    Some,
)
from purport.model.comparison import Operator, told_quantity
from purport.model.rdf import XSD
from purport.model.term import Boolean, Term, Text
from purport.model.units import Quantity, find_unit
from purport.ontology.axioms import (
    NOTHING,
    THING,
    Axiom,
    Axioms,
    ClassAssertion,
    DisjointClasses,
    Domain,
    EquivalentClasses,
    InverseProperties,
    PropertyAssertion,
    Range,
    SameIndividuals,
    SubClass,
    SubProperty,
)
from purport.ontology.data.data_ranges import data_range
from purport.ontology.description import Description
from purport.ontology.errors import OntologyError
from purport.ontology.membership import Membership
from purport.ontology.reasoner import Reasoner
from tests.oracles.asserted_world import asserted_world
from tests.oracles.interpretation import Interpretation
from tests.strategies.ontologies import (
    CLASSES,
    INDIVIDUALS,
    INTEGER,
    MEASURE,
    PROPERTIES,
    asserted,
    descriptions,
    el_expressions,
    el_ontologies,
    expressions,
    ontology,
    said,
)


def world_of(description: Description) -> Interpretation:
    """The world that has in it what is told, and individuals that nothing is told of."""
    found: list[Description] = []
    edges: list[tuple[str, int, int]] = []

    def place(one: Description) -> int:
        here = len(found)
        found.append(one)
        for property, value in one.facts:
            assert isinstance(value, Description)
            edges.append((property, here, place(value)))
        return here

    place(description)
    return Interpretation(
        range(len(found) + len(INDIVIDUALS)),
        {
            name: frozenset(number for number, one in enumerate(found) if name in one.types)
            for name in CLASSES
        },
        {
            name: frozenset((one, other) for property, one, other in edges if property == name)
            for name in PROPERTIES
        },
        {name: len(found) + number for number, name in enumerate(INDIVIDUALS)},
        {MEASURE: frozenset()},
    )


def has_repeated_values(description: Description) -> bool:
    """Whether two unnamed values are told alike: they count as one, since nobody can tell."""
    values = [value for _, value in description.facts if isinstance(value, Description)]
    return len(set(values)) < len(values) or any(map(has_repeated_values, values))


@given(descriptions, expressions)
@settings(max_examples=500, deadline=None)
def test_without_axioms_what_is_told_is_all_there_is(
    description: Description, expression: ClassExpression
) -> None:
    assume(not has_repeated_values(description))
    told = world_of(description)
    is_member = Membership(Reasoner(ontology())).is_member(description, expression)
    assert is_member == (0 in told.members(expression))


@given(st.lists(asserted, max_size=7), st.sampled_from(INDIVIDUALS), expressions)
@settings(max_examples=500, deadline=None)
def test_what_is_asserted_of_individuals_is_all_there_is(
    axioms: list[Axiom], name: str, expression: ClassExpression
) -> None:
    told = ontology(*axioms)
    world = asserted_world(told)
    is_member = Membership(Reasoner(told)).is_member(Description(name), expression)
    assert is_member == (world.individuals[name] in world.members(expression))


@given(el_ontologies, descriptions, el_expressions, el_expressions)
@settings(max_examples=300, deadline=None)
def test_a_member_is_in_all_that_contains_its_class(
    axioms: Axioms, description: Description, wider: ClassExpression, narrower: ClassExpression
) -> None:
    try:
        reasoner = Reasoner(axioms)
    except OntologyError:
        return
    membership = Membership(reasoner)
    assume(not reasoner.subsumes(NOTHING, narrower))
    if reasoner.subsumes(wider, narrower) and membership.is_member(description, narrower):
        assert membership.is_member(description, wider)


ranges = st.recursive(
    st.one_of(
        st.sampled_from(
            [INTEGER, Named(XSD + "string"), Named(XSD + "decimal"), Named(XSD + "boolean")]
        ),
        st.builds(
            lambda operator, limit: Restricted(INTEGER, (Facet(operator, Quantity(limit)),)),
            st.sampled_from([Operator.AT_LEAST, Operator.LESS]),
            st.integers(1, 3),
        ),
        st.sampled_from([OneOf((Quantity(2),)), OneOf((Text("2"), Text("red")))]),
    ),
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.tuples(inner, inner)),
        st.builds(Or, st.tuples(inner, inner)),
    ),
    max_leaves=3,
)
told_values = st.sampled_from(
    [
        *map(Text, ("1", "2", "2.5", "2 km", "red", "true", "")),
        Quantity(2),
        Quantity(2.5),
        Quantity(2, find_unit("km")),
    ]
)
defining = st.builds(
    lambda kind, filler: kind(Named("urn:age"), filler), st.sampled_from([Some, Only]), ranges
)


@given(
    st.one_of(defining, st.builds(lambda one: And((Named("urn:A"), one)), defining)),
    st.one_of(st.none(), ranges),
    st.lists(told_values, max_size=2),
)
@settings(max_examples=300, deadline=None)
def test_a_class_and_its_definition_have_the_same_members(
    definition: ClassExpression, limits: ClassExpression | None, values: list[Term]
) -> None:
    axioms: list[Axiom] = [EquivalentClasses((Named("urn:B"), definition))]
    if limits is not None:
        axioms.append(Range(Named("urn:age"), limits))
    try:
        membership = Membership(Reasoner(said(*axioms)))
    except OntologyError:
        return
    told = Description(None, ("urn:A",), tuple(("urn:age", one) for one in values))
    is_defined = membership.is_member(told, definition)
    assert membership.is_member(told, Named("urn:B")) == is_defined
    assert ("urn:B" in membership.types_of(told)) == is_defined


@given(ranges, told_values)
def test_a_text_is_in_what_a_reading_of_it_is_in(filler: ClassExpression, value: Term) -> None:
    membership = Membership(
        Reasoner(Axioms((), frozenset(), frozenset(), frozenset(["urn:age"]), frozenset()))
    )
    told = Description(None, (), (("urn:age", value),))
    spelt = [value, *filter(None, [told_quantity(value)])]
    if value == Text("true"):
        spelt.append(Boolean(True))
    is_in = any(data_range(filler).contains(one) for one in spelt)
    assert membership.is_member(told, Some(Named("urn:age"), filler)) == is_in


def named(name: str) -> Named:
    return Named(f"urn:{name}")


def age(operator: Operator, number: int) -> Restricted:
    return Restricted(INTEGER, (Facet(operator, Quantity(number)),))


PEOPLE = said(
    SubClass(named("Student"), named("Person")),
    Range(named("hasAge"), INTEGER),
    Domain(named("hasAge"), named("Person")),
    EquivalentClasses(
        (
            named("Minor"),
            And((named("Person"), Some(named("hasAge"), age(Operator.LESS, 18)))),
        )
    ),
    EquivalentClasses((named("Aircraft"), And((named("Vehicle"), Some(named("hasWings"), THING))))),
    SubClass(named("Ham"), named("Meat")),
    EquivalentClasses((named("NonVeg"), And((named("Pizza"), Not(named("Veg")))))),  # rests on Veg
    EquivalentClasses(
        (named("Veg"), And((named("Pizza"), Not(Some(named("top"), named("Meat"))))))
    ),
    SubProperty(named("colour"), named("look")),
    InverseProperties(named("made"), named("maker")),
    ClassAssertion("urn:margaux", named("Wine")),
    PropertyAssertion("urn:margaux", "urn:colour", named("red")),
    PropertyAssertion("urn:chateau", "urn:made", named("margaux")),
    SameIndividuals(("urn:margaux", "urn:theMargaux")),
    EquivalentClasses((named("Red"), And((named("Wine"), HasValue(named("look"), named("red")))))),
    SubClass(named("Student"), Only(named("likes"), named("Pizza"))),
    SubClass(named("Pizza"), Only(named("top"), named("Food"))),
    SubClass(named("Ham"), Only(Inverse(named("top")), named("Pizza"))),
    SubClass(named("Vehicle"), Some(named("hasPart"), named("Wheel"))),
    SubClass(named("Wheel"), named("Round")),
)
MEMBERSHIP = Membership(Reasoner(PEOPLE))


def some(type_name: str, *facts: tuple[str, Description | Term]) -> Description:
    told = tuple((f"urn:{name}", value) for name, value in facts)
    return Description(None, (f"urn:{type_name}",), told)


def is_member(description: Description, expression: ClassExpression) -> bool:
    return MEMBERSHIP.is_member(description, expression)


def test_a_person_of_25_years_or_younger() -> None:
    young = And((named("Person"), Only(named("hasAge"), age(Operator.AT_MOST, 25))))
    assert is_member(some("Student", ("hasAge", Quantity(23))), young)
    assert is_member(some("Student", ("hasAge", Text("23"))), young)
    assert not is_member(some("Student", ("hasAge", Quantity(26))), young)
    assert not is_member(some("Vehicle"), young)


def test_definitions_are_met_by_what_is_told() -> None:
    assert is_member(some("Vehicle", ("hasWings", Description())), named("Aircraft"))
    assert not is_member(some("Vehicle"), named("Aircraft"))
    assert "urn:Minor" in MEMBERSHIP.types_of(some("Student", ("hasAge", Text("12"))))


def test_a_domain_tells_the_class() -> None:
    assert MEMBERSHIP.types_of(Description(None, (), (("urn:hasAge", Quantity(40)),))) == {
        "urn:Person"
    }


def test_what_is_not_told_is_not() -> None:
    ham, tomato = some("Pizza", ("top", some("Ham"))), some("Pizza", ("top", Description()))
    assert is_member(tomato, named("Veg"))
    assert not is_member(tomato, named("NonVeg"))
    assert is_member(ham, named("NonVeg"))
    assert not is_member(ham, named("Veg"))


def test_what_the_ontology_knows_of_an_individual() -> None:
    wine = Description("urn:theMargaux")
    assert is_member(wine, named("Red"))
    assert is_member(wine, HasValue(named("maker"), named("chateau")))
    assert is_member(wine, OneOf((named("margaux"),)))
    assert MEMBERSHIP.values_of(wine, "urn:look") == (Description("urn:red"),)
    assert is_member(wine, Cardinality(named("look"), Bound.EXACTLY, 1, THING))


def test_what_a_class_says_of_its_values() -> None:
    student = some("Student", ("likes", Description(None, (), (("urn:top", some("Ham")),))))
    assert is_member(student, Some(named("likes"), named("NonVeg")))


def test_what_is_said_of_values_goes_on_to_theirs() -> None:
    meal = Description(None, (), (("urn:top", some("Wheel")),))
    food = Some(named("likes"), Some(named("top"), named("Food")))
    assert is_member(some("Student", ("likes", meal)), food)
    assert not is_member(some("Person", ("likes", meal)), food)


def test_what_a_class_says_of_whoever_has_a_member_of_it() -> None:
    eaten = Description(None, (), (("urn:top", some("Ham")),))
    assert is_member(eaten, named("Pizza"))
    assert is_member(some("Wine", ("likes", eaten)), Some(named("likes"), named("Pizza")))


def test_where_no_value_is_known_those_count_that_must_exist() -> None:
    parts = named("hasPart")
    assert is_member(some("Vehicle"), Only(parts, named("Round")))
    assert not is_member(some("Vehicle"), Only(parts, named("Meat")))
    assert is_member(some("Vehicle", ("hasPart", some("Ham"))), Only(parts, named("Meat")))
    assert is_member(some("Vehicle"), Cardinality(parts, Bound.MIN, 1, named("Round")))


def test_a_value_that_is_told_and_known_counts_once() -> None:
    wine = Description("urn:margaux", (), (("urn:look", Description("urn:red")),))
    assert is_member(wine, Cardinality(named("look"), Bound.EXACTLY, 1))
    assert MEMBERSHIP.values_of(wine, "urn:look") == (Description("urn:red"),)


def test_counts() -> None:
    pizza = some("Pizza", ("top", some("Ham")), ("top", some("Meat")), ("top", Description()))
    for bound, count, filler, is_so in [
        (Bound.MIN, 2, named("Meat"), True),
        (Bound.MIN, 3, named("Meat"), False),
        (Bound.MAX, 2, None, False),
        (Bound.MAX, 1, named("Ham"), True),
        (Bound.EXACTLY, 3, None, True),
    ]:
        assert is_member(pizza, Cardinality(named("top"), bound, count, filler)) == is_so


def test_who_is_told_to_love_himself_is_in_the_class_of_such() -> None:
    loves, vain = named("loves"), named("Vain")
    axioms = (
        EquivalentClasses((vain, HasSelf(loves))),
        SubProperty(named("adores"), loves),
        PropertyAssertion("urn:ed", "urn:adores", named("ed")),
        PropertyAssertion("urn:al", "urn:adores", named("ed")),
    )
    membership = Membership(Reasoner(said(*axioms)))
    stranger = Description("urn:x", (), (("urn:adores", Description("urn:x")),))
    other = Description("urn:x", (), (("urn:adores", Description("urn:y")),))
    for one, is_so in [
        (Description("urn:ed"), True),
        (Description("urn:al"), False),
        (stranger, True),
        (other, False),
    ]:
        assert membership.is_member(one, vain) == is_so
        assert membership.is_member(one, HasSelf(loves)) == is_so


def test_itself_and_either() -> None:
    assert not is_member(some("Pizza", ("top", some("Ham"))), HasSelf(named("top")))
    assert is_member(some("Ham"), Or((named("Person"), named("Meat"))))


def test_what_contradicts_itself_is_in_no_more_than_it_is_told() -> None:
    apart = DisjointClasses((named("Person"), named("Pizza")))
    both = Description(None, ("urn:Student", "urn:Pizza"))
    membership = Membership(Reasoner(said(apart, *PEOPLE.axioms)))
    assert membership.types_of(both) >= {"urn:Student", "urn:Person", "urn:Pizza"}
    assert not membership.is_member(both, named("Vehicle"))
    assert not membership.is_member(both, NOTHING)
