<<<<<<< HEAD
"""Random small ontologies, as axioms, with the order of names that they tell."""

from dataclasses import dataclass
=======
"""Small ontologies and small worlds."""

from __future__ import annotations
>>>>>>> main

from hypothesis import strategies as st

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
<<<<<<< HEAD
    Facet,
    HasSelf,
=======
>>>>>>> main
    HasValue,
    Inverse,
    Named,
    Not,
    OneOf,
    Only,
    Or,
<<<<<<< HEAD
    Property,
    Restricted,
    Some,
)
from purport.model.comparison import Operator
from purport.model.units import Quantity
from purport.ontology.axioms import (
=======
    Some,
)
from purport.ontology.axioms import (
    NOTHING,
>>>>>>> main
    THING,
    Axiom,
    Axioms,
    Characteristic,
    ClassAssertion,
<<<<<<< HEAD
=======
    DifferentIndividuals,
>>>>>>> main
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
<<<<<<< HEAD
from purport.ontology.hierarchy import Hierarchy

CLASSES = tuple(f"urn:{letter}" for letter in "ABCDE")
PROPERTIES = tuple(f"urn:{letter}" for letter in "pqr")
INDIVIDUALS = tuple(f"urn:{letter}" for letter in "abcd")
MEASURE = "urn:m"  # a property with numbers
_INTEGER = Named("http://www.w3.org/2001/XMLSchema#integer")


@dataclass(frozen=True)
class ToldOntology:
    """An ontology whose names are in the order that its axioms tell, and no other."""

    axioms: Axioms
    classes: Hierarchy
    properties: Hierarchy

    @classmethod
    def of(cls, *axioms: Axiom) -> "ToldOntology":
        """The ontology that says this."""
        above: dict[str, set[str]] = {name: set() for name in CLASSES}
        over: dict[str, set[str]] = {name: set() for name in (*PROPERTIES, MEASURE)}
        for axiom in axioms:
            match axiom:
                case SubClass(Named(narrower), Named(wider)):
                    above.setdefault(narrower, set()).add(wider)
                case SubProperty(Named(narrower), Named(wider)):
                    over.setdefault(narrower, set()).add(wider)
                case EquivalentClasses((Named(one), Named(other))):
                    above.setdefault(one, set()).add(other)
                    above.setdefault(other, set()).add(one)
        individuals = frozenset(INDIVIDUALS)
        said = Axioms(axioms, frozenset(above), frozenset(over), frozenset(), individuals)
        return cls(said, Hierarchy.of(above), Hierarchy.of(over))


_names = st.sampled_from(CLASSES).map(Named)
_individuals = st.sampled_from(INDIVIDUALS).map(Named)
_plain_properties = st.sampled_from(PROPERTIES).map(Named)
_properties: st.SearchStrategy[Property] = st.one_of(
    _plain_properties, _plain_properties, _plain_properties.map(Inverse)
)
_limits = st.integers(1, 3).map(
    lambda least: Restricted(_INTEGER, (Facet(Operator.AT_LEAST, Quantity(least)),))
)


def _larger(inner: st.SearchStrategy[ClassExpression]) -> st.SearchStrategy[ClassExpression]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(And),
        pairs.map(Or),
        st.builds(Some, _properties, inner),
        st.builds(Only, _properties, inner),
        st.builds(Cardinality, _properties, st.just(Bound.MIN), st.just(1), inner),
        inner.map(Not),
    )


_leaves: st.SearchStrategy[ClassExpression] = st.one_of(
    _names,
    _names,
    _names,
    st.builds(Some, _properties, st.just(THING)),
    st.builds(HasValue, _properties, _individuals),
    st.builds(HasSelf, _plain_properties),
    st.builds(Some, st.just(Named(MEASURE)), _limits),
    st.builds(HasValue, st.just(Named(MEASURE)), st.integers(1, 3).map(Quantity)),
    st.lists(_individuals, min_size=1, max_size=2).map(lambda some: OneOf(tuple(some))),
)
expressions = st.recursive(_leaves, _larger, max_leaves=4)

axioms: st.SearchStrategy[Axiom] = st.one_of(
    st.builds(SubClass, _names, _names),
    st.builds(SubClass, expressions, expressions),
    st.builds(SubClass, expressions, _names),
    st.tuples(_names, expressions).map(EquivalentClasses),
    st.tuples(_names, _names).map(DisjointClasses),
    st.builds(SubProperty, _properties, _properties),
    st.builds(PropertyChain, st.tuples(_properties, _properties), _properties),
    st.builds(InverseProperties, _plain_properties, _plain_properties),
    st.builds(Domain, st.one_of(_properties, st.just(Named(MEASURE))), _names),
    st.builds(Range, _properties, _names),
    st.builds(PropertyIs, _properties, st.sampled_from(Characteristic)),
    st.builds(ClassAssertion, st.sampled_from(INDIVIDUALS), expressions),
    st.builds(
        PropertyAssertion,
        st.sampled_from(INDIVIDUALS),
        st.sampled_from(PROPERTIES),
        _individuals,
    ),
    st.permutations(INDIVIDUALS).map(lambda names: SameIndividuals(tuple(names[:2]))),
)
ontologies = st.lists(axioms, max_size=8).map(lambda some: ToldOntology.of(*some))
=======
from tests.oracles.interpretation import Interpretation

CLASSES = ("urn:A", "urn:B", "urn:C", "urn:D")
PROPERTIES = ("urn:r", "urn:s", "urn:t")
INDIVIDUALS = ("urn:i", "urn:j")

classes = st.sampled_from(CLASSES).map(Named)
properties = st.sampled_from(PROPERTIES).map(Named)
individuals = st.sampled_from(INDIVIDUALS)


def _el_compounds(
    inner: st.SearchStrategy[ClassExpression],
) -> st.SearchStrategy[ClassExpression]:
    return st.one_of(
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Some, properties, inner),
    )


def _compounds(inner: st.SearchStrategy[ClassExpression]) -> st.SearchStrategy[ClassExpression]:
    any_property = st.one_of(properties, st.builds(Inverse, properties))
    return st.one_of(
        _el_compounds(inner),
        st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Not, inner),
        st.builds(Some, any_property, inner),
        st.builds(Only, any_property, inner),
        st.builds(
            Cardinality,
            properties,
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
    return st.lists(one, max_size=6).map(_ontology)


def _ontology(axioms: list[Axiom]) -> Axioms:
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


@st.composite
def interpretations(draw: st.DrawFn, most: int = 3) -> Interpretation:
    """A world of up to three elements."""
    size = draw(st.integers(1, most))
    elements = st.integers(0, size - 1)
    pairs = st.frozensets(st.tuples(elements, elements), max_size=size * size)
    return Interpretation(
        size,
        {name: draw(st.frozensets(elements)) for name in CLASSES},
        {name: draw(pairs) for name in PROPERTIES},
        {name: draw(elements) for name in INDIVIDUALS},
    )
>>>>>>> main

_A, _B, _C, _D, _E = map(Named, CLASSES)
_P, _Q, _R = map(Named, PROPERTIES)
KNOTTED = ToldOntology.of(  # where a fact follows in several ways, and in circles
    SubClass(_A, _B),
    SubClass(_B, _C),
    EquivalentClasses((_D, And((_C, Some(_Q, THING))))),  # what needs two facts
    EquivalentClasses((_E, Some(_P, _D))),  # and a chain of things
    SubProperty(_P, _Q),
    PropertyIs(_P, Characteristic.TRANSITIVE),
    InverseProperties(_Q, _R),
    Domain(_R, _B),
    SubClass(_E, Only(_R, _A)),
    SubClass(And((_A, _E)), HasValue(_P, Named("urn:b"))),
)
