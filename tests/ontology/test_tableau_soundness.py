"""Whatever a small world shows to be possible, the tableau must not rule out."""

from __future__ import annotations

from hypothesis import given, settings
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
from purport.model.comparison import Operator
from purport.model.units import Quantity
from purport.ontology.axioms import (
    NOTHING,
    THING,
    Axiom,
    Axioms,
    Characteristic,
    ClassAssertion,
    DifferentIndividuals,
    DisjointClasses,
    DisjointProperties,
    Domain,
    EquivalentClasses,
    InverseProperties,
    PropertyAssertion,
    PropertyChain,
    PropertyDenial,
    PropertyIs,
    Range,
    SameIndividuals,
    SubClass,
    SubProperty,
)
from purport.ontology.tableau import Tableau
from tests.oracles.interpretation import Interpretation

CLASSES, PROPERTIES, INDIVIDUALS = "ABCD", "rst", "xyz"
DATA = "p"
INTEGER = Named("http://www.w3.org/2001/XMLSchema#integer")

named = st.sampled_from([*map(Named, CLASSES), THING, NOTHING])
plain_properties = st.sampled_from(list(map(Named, PROPERTIES)))
properties = st.one_of(plain_properties, st.builds(Inverse, plain_properties))
people = st.sampled_from(list(map(Named, INDIVIDUALS)))
names = st.sampled_from(INDIVIDUALS)
bounds, small = st.sampled_from(Bound), st.integers(0, 2)
numbers = st.integers(0, 2).map(Quantity)
limits = st.builds(Facet, st.sampled_from(Operator), numbers)
ranges = st.builds(Restricted, st.just(INTEGER), st.tuples(limits))
data_classes: st.SearchStrategy[ClassExpression] = st.one_of(
    st.builds(Some, st.just(Named(DATA)), ranges),
    st.builds(Only, st.just(Named(DATA)), ranges),
    st.builds(HasValue, st.just(Named(DATA)), numbers),
    st.builds(Cardinality, st.just(Named(DATA)), bounds, small, st.none() | ranges),
)


def expressions(most_leaves: int) -> st.SearchStrategy[ClassExpression]:
    """Class expressions of every kind."""
    leaves: st.SearchStrategy[ClassExpression] = st.one_of(
        named,
        named,
        st.builds(HasSelf, properties),
        st.builds(HasValue, properties, people),
        st.builds(OneOf, st.lists(people, min_size=1, max_size=2).map(tuple)),
        data_classes,
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
            st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
            st.builds(Some, properties, inner),
            st.builds(Only, properties, inner),
            st.builds(Cardinality, properties, bounds, small, st.none() | inner),
        ),
        max_leaves=most_leaves,
    )


short = expressions(3)
axioms: st.SearchStrategy[Axiom] = st.one_of(
    st.builds(SubClass, short, short),
    st.builds(SubClass, named, short),
    st.builds(EquivalentClasses, st.tuples(named, short)),
    st.builds(DisjointClasses, st.lists(short, min_size=2, max_size=3).map(tuple)),
    st.builds(SubProperty, properties, properties),
    st.builds(PropertyChain, st.tuples(properties, properties), properties),
    st.builds(InverseProperties, properties, properties),
    st.builds(DisjointProperties, st.tuples(properties, properties)),
    st.builds(Domain, properties, short),
    st.builds(Range, properties, short),
    st.builds(PropertyIs, properties, st.sampled_from(Characteristic)),
    st.builds(ClassAssertion, names, short),
    st.builds(PropertyAssertion, names, st.sampled_from(PROPERTIES), people),
    st.builds(PropertyAssertion, names, st.just(DATA), numbers),
    st.builds(PropertyDenial, names, st.sampled_from(PROPERTIES), people),
    st.builds(SameIndividuals, st.tuples(names, names)),
    st.builds(DifferentIndividuals, st.lists(names, min_size=2, unique=True).map(tuple)),
)


@st.composite
def interpretations(draw: st.DrawFn) -> Interpretation:
    """Worlds of up to three things."""
    things = range(draw(st.integers(1, 3)))
    thing = st.sampled_from(things)
    members, pairs = st.frozensets(thing), st.frozensets(st.tuples(thing, thing))
    return Interpretation(
        things,
        {name: draw(members) for name in CLASSES},
        {name: draw(pairs) for name in PROPERTIES},
        {name: draw(thing) for name in INDIVIDUALS},
        {DATA: draw(st.frozensets(st.tuples(thing, numbers)))},
    )


def told(*said: Axiom) -> Axioms:
    """An ontology that says this."""
    return Axioms(
        said,
        frozenset(CLASSES),
        frozenset(PROPERTIES),
        frozenset({DATA}),
        frozenset(INDIVIDUALS),
    )


@settings(max_examples=400, deadline=None)
@given(interpretations(), st.lists(axioms, max_size=12), st.lists(expressions(5), max_size=4))
def test_what_a_small_world_shows_is_never_ruled_out(
    world: Interpretation, said: list[Axiom], asked: list[ClassExpression]
) -> None:
    tableau = Tableau(told(*filter(world.satisfies, said)), most_nodes=60, most_steps=3_000)

    assert tableau.is_consistent(), tableau.clash
    for expression in asked:
        assert not world.members(expression) or tableau.is_satisfiable(expression), tableau.clash


@settings(max_examples=200, deadline=None)
@given(interpretations(), st.lists(axioms, max_size=12))
def test_what_is_found_above_a_class_is_above_it_in_every_small_world(
    world: Interpretation, said: list[Axiom]
) -> None:
    tableau = Tableau(told(*filter(world.satisfies, said)), most_nodes=60, most_steps=3_000)

    above = tableau.classify_beyond({name: frozenset({name}) for name in CLASSES})

    for narrower, wider_ones in above.items():
        for wider in wider_ones:
            assert world.members(Named(narrower)) <= world.members(Named(wider))


@settings(max_examples=150, deadline=None)
@given(
    interpretations(),
    st.lists(axioms, max_size=8),
    st.lists(st.lists(short, min_size=2, max_size=3).map(tuple), min_size=5, max_size=12),
)
def test_all_that_is_true_of_one_thing_is_possible_together(
    world: Interpretation, said: list[Axiom], ways: list[tuple[ClassExpression, ...]]
) -> None:
    """Many choices at once, so that going back too far would be found out."""
    tableau = Tableau(told(*filter(world.satisfies, said)), most_nodes=60, most_steps=3_000)
    choices = [Or(one) for one in ways]

    facts = [one if 0 in world.members(one) else Not(one) for one in choices]

    assert tableau.is_satisfiable(And(tuple(facts))), tableau.clash
