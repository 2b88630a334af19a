"""Small ontologies and small worlds."""

from __future__ import annotations

from hypothesis import strategies as st

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    HasSelf,
    HasValue,
    Inverse,
    Named,
    Not,
    OneOf,
    Only,
    Or,
    Some,
)
from purport.ontology.axioms import (
    NOTHING,
    THING,
    Axiom,
    Axioms,
    Characteristic,
    ClassAssertion,
    DifferentIndividuals,
    DisjointClasses,
    Domain,
    EquivalentClasses,
    InverseProperties,
    PropertyAssertion,
    PropertyChain,
    PropertyIs,
    Range,
    SameIndividuals,
    SubClass,
    SubProperty,
)
from tests.oracles.interpretation import Interpretation

CLASSES = ("urn:A", "urn:B", "urn:C", "urn:D")
PROPERTIES = ("urn:r", "urn:s", "urn:t")
INDIVIDUALS = ("urn:i", "urn:j")

classes = st.sampled_from(CLASSES).map(Named)
properties = st.sampled_from(PROPERTIES).map(Named)
any_property = st.one_of(properties, st.builds(Inverse, properties))
individuals = st.sampled_from(INDIVIDUALS)


def _el_compounds(
    inner: st.SearchStrategy[ClassExpression],
) -> st.SearchStrategy[ClassExpression]:
    return st.one_of(
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Some, properties, inner),
    )


def _compounds(inner: st.SearchStrategy[ClassExpression]) -> st.SearchStrategy[ClassExpression]:
    return st.one_of(
        _el_compounds(inner),
        st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Not, inner),
        st.builds(Some, any_property, inner),
        st.builds(Only, any_property, inner),
        st.builds(
            Cardinality,
            any_property,
            st.sampled_from(Bound),
            st.integers(0, 2),
            st.one_of(st.none(), inner),
        ),
    )


_el_atoms = st.one_of(
    classes,
    st.just(THING),
    st.builds(HasValue, properties, individuals.map(Named)),
)
el_expressions = st.recursive(_el_atoms, _el_compounds, max_leaves=4)
_atoms = st.one_of(
    _el_atoms,
    st.just(NOTHING),
    st.builds(HasSelf, any_property),
    st.builds(HasValue, any_property, individuals.map(Named)),
    st.lists(individuals, min_size=1, max_size=2, unique=True).map(
        lambda names: OneOf(tuple(map(Named, names)))
    ),
)
expressions = st.recursive(_atoms, _compounds, max_leaves=5)


def _axioms_over(
    inner: st.SearchStrategy[ClassExpression], *more: st.SearchStrategy[Axiom]
) -> st.SearchStrategy[Axioms]:
    pairs = st.tuples(inner, inner)
    one: st.SearchStrategy[Axiom] = st.one_of(
        st.builds(SubClass, inner, inner),
        st.builds(SubClass, classes, inner),
        st.builds(EquivalentClasses, st.tuples(classes, inner)),
        st.builds(DisjointClasses, pairs),
        st.builds(SubProperty, properties, properties),
        st.builds(PropertyChain, st.tuples(properties, properties), properties),
        st.builds(PropertyIs, properties, st.just(Characteristic.TRANSITIVE)),
        st.builds(Domain, properties, inner),
        *more,
    )
    return st.lists(one, max_size=6).map(ontology)


def ontology(axioms: list[Axiom]) -> Axioms:
    return Axioms(
        tuple(axioms),
        frozenset(CLASSES),
        frozenset(PROPERTIES),
        frozenset(),
        frozenset(INDIVIDUALS),
    )


_assertions: tuple[st.SearchStrategy[Axiom], ...] = (
    st.builds(PropertyAssertion, individuals, st.sampled_from(PROPERTIES), individuals.map(Named)),
    st.just(SameIndividuals(INDIVIDUALS)),
    st.just(DifferentIndividuals(INDIVIDUALS)),
)
el_ontologies = _axioms_over(
    st.recursive(st.one_of(classes, st.just(THING)), _el_compounds, max_leaves=3),
    st.builds(Range, properties, classes),
)
ontologies = _axioms_over(
    expressions,
    st.builds(Range, properties, expressions),
    st.builds(InverseProperties, properties, properties),
    st.builds(PropertyIs, properties, st.sampled_from(Characteristic)),
    st.builds(ClassAssertion, individuals, expressions),
    *_assertions,
)

facts = st.lists(
    st.one_of(
        st.builds(ClassAssertion, individuals, classes),
        _assertions[0],
        _assertions[0],
        _assertions[0],
        st.builds(SubProperty, any_property, any_property),
        st.builds(InverseProperties, properties, properties),
        st.builds(PropertyChain, st.tuples(any_property, any_property), any_property),
        st.builds(
            PropertyIs,
            properties,
            st.sampled_from([Characteristic.TRANSITIVE, Characteristic.SYMMETRIC]),
        ),
    ),
    max_size=7,
)


@st.composite
def interpretations(draw: st.DrawFn, most: int = 3) -> Interpretation:
    """A world of up to three elements."""
    size = draw(st.integers(1, most))
    elements = st.integers(0, size - 1)
    pairs = st.frozensets(st.tuples(elements, elements), max_size=size * size)
    return Interpretation(
        range(size),
        {name: draw(st.frozensets(elements)) for name in CLASSES},
        {name: draw(pairs) for name in PROPERTIES},
        {name: draw(elements) for name in INDIVIDUALS},
    )
