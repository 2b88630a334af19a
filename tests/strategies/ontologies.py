"""Small ontologies, with every kind of expression and axiom, and small worlds."""

from __future__ import annotations

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
    Property,
    Restricted,
    Some,
)
from purport.model.comparison import Operator
from purport.model.rdf import XSD
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
from purport.ontology.description import Description
from purport.ontology.owl.collection import Collection
from tests.oracles.interpretation import Interpretation

CLASSES = ("urn:A", "urn:B", "urn:C", "urn:D")
PROPERTIES = ("urn:r", "urn:s", "urn:t")
MEASURE = "urn:p"  # a property with numbers
INDIVIDUALS = ("urn:i", "urn:j", "urn:k")
INTEGER = Named(XSD + "integer")

classes = st.sampled_from(CLASSES).map(Named)
_types = st.lists(st.sampled_from(CLASSES), max_size=2, unique=True).map(tuple)
properties = st.sampled_from(PROPERTIES).map(Named)
any_property: st.SearchStrategy[Property] = st.one_of(properties, st.builds(Inverse, properties))
_names = st.sampled_from(INDIVIDUALS)
_individuals = _names.map(Named)
_counts = st.integers(0, 2)
_numbers = st.integers(0, 2).map(Quantity)
_limits = st.builds(Facet, st.sampled_from(Operator), _numbers)
_ranges = st.builds(Restricted, st.just(INTEGER), st.tuples(_limits))
_of_numbers: st.SearchStrategy[ClassExpression] = st.one_of(
    st.builds(Some, st.just(Named(MEASURE)), _ranges),
    st.builds(Only, st.just(Named(MEASURE)), _ranges),
    st.builds(HasValue, st.just(Named(MEASURE)), _numbers),
    st.builds(
        Cardinality, st.just(Named(MEASURE)), st.sampled_from(Bound), _counts, st.none() | _ranges
    ),
)
_leaves: st.SearchStrategy[ClassExpression] = st.one_of(
    classes,
    classes,
    st.sampled_from([THING, NOTHING]),
    st.builds(HasSelf, any_property),
    st.builds(HasValue, any_property, _individuals),
    st.lists(_individuals, min_size=1, max_size=2, unique=True).map(tuple).map(OneOf),
    _of_numbers,
)


def _of_el(inner: st.SearchStrategy[ClassExpression]) -> st.SearchStrategy[ClassExpression]:
    return st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(And),
        st.builds(Some, properties, inner),
    )


def _larger(inner: st.SearchStrategy[ClassExpression]) -> st.SearchStrategy[ClassExpression]:
    return st.one_of(
        _of_el(inner),
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(Or),
        st.builds(Not, inner),
        st.builds(Some, any_property, inner),
        st.builds(Only, any_property, inner),
        st.builds(Cardinality, any_property, st.sampled_from(Bound), _counts, st.none() | inner),
    )


descriptions = st.recursive(
    st.builds(Description, st.none(), _types),
    lambda inner: st.builds(
        Description,
        st.none(),
        _types,
        st.lists(st.tuples(st.sampled_from(PROPERTIES), inner), max_size=3).map(tuple),
    ),
    max_leaves=5,
)
el_expressions = st.recursive(
    st.one_of(classes, st.just(THING), st.builds(HasValue, properties, _individuals)),
    _of_el,
    max_leaves=4,
)
expressions = st.recursive(_leaves, _larger, max_leaves=5)
short_expressions = st.recursive(_leaves, _larger, max_leaves=3)


def _axioms_over(inner: st.SearchStrategy[ClassExpression]) -> st.SearchStrategy[Axiom]:
    return st.one_of(
        st.builds(SubClass, inner, inner),
        st.builds(SubClass, classes, inner),
        st.tuples(classes, inner).map(EquivalentClasses),
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(DisjointClasses),
        st.builds(SubProperty, properties, properties),
        st.builds(PropertyChain, st.tuples(properties, properties), properties),
        st.builds(PropertyIs, properties, st.just(Characteristic.TRANSITIVE)),
        st.builds(Domain, properties, inner),
    )


_relations = st.builds(PropertyAssertion, _names, st.sampled_from(PROPERTIES), _individuals)
_el_axioms = st.one_of(
    _axioms_over(st.recursive(st.one_of(classes, st.just(THING)), _of_el, max_leaves=3)),
    st.builds(Range, properties, classes),
)
axioms: st.SearchStrategy[Axiom] = st.one_of(
    _axioms_over(short_expressions),
    st.builds(SubProperty, any_property, any_property),
    st.builds(PropertyChain, st.tuples(any_property, any_property), any_property),
    st.builds(InverseProperties, any_property, any_property),
    st.tuples(any_property, any_property).map(DisjointProperties),
    st.builds(Domain, any_property, short_expressions),
    st.builds(Range, any_property, short_expressions),
    st.builds(PropertyIs, any_property, st.sampled_from(Characteristic)),
    st.builds(ClassAssertion, _names, short_expressions),
    _relations,
    st.builds(PropertyAssertion, _names, st.just(MEASURE), _numbers),
    st.builds(PropertyDenial, _names, st.sampled_from(PROPERTIES), _individuals),
    st.tuples(_names, _names).map(SameIndividuals),
    st.lists(_names, min_size=2, unique=True).map(tuple).map(DifferentIndividuals),
)
asserted: st.SearchStrategy[Axiom] = st.one_of(
    st.builds(ClassAssertion, _names, classes),
    _relations,
    _relations,
    _relations,
    st.builds(PropertyAssertion, _names, st.just(MEASURE), _numbers),
    st.builds(SubProperty, any_property, any_property),
    st.builds(InverseProperties, properties, properties),
    st.builds(PropertyChain, st.tuples(any_property, any_property), any_property),
    st.builds(
        PropertyIs,
        properties,
        st.sampled_from([Characteristic.TRANSITIVE, Characteristic.SYMMETRIC]),
    ),
)


def ontology(*axioms: Axiom) -> Axioms:
    """An ontology over all the names above that says this."""
    return Axioms(
        axioms,
        frozenset(CLASSES),
        frozenset(PROPERTIES),
        frozenset([MEASURE]),
        frozenset(INDIVIDUALS),
    )


def said(*axioms: Axiom) -> Axioms:
    """An ontology that says this, in which names are what they are used as."""
    collection = Collection()
    collection.add(*axioms)
    return collection.told([])


el_ontologies = st.lists(_el_axioms, max_size=6).map(lambda several: ontology(*several))
ontologies = st.lists(axioms, max_size=6).map(lambda several: ontology(*several))


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
        {MEASURE: draw(st.frozensets(st.tuples(thing, _numbers)))},
    )
