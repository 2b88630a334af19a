"""Random small ontologies, as axioms, with the order of names that they tell."""

from dataclasses import dataclass

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
    THING,
    Axiom,
    Axioms,
    Characteristic,
    ClassAssertion,
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
from purport.ontology.hierarchy import Hierarchy

CLASSES = tuple(f"urn:{letter}" for letter in "ABCDE")
PROPERTIES = tuple(f"urn:{letter}" for letter in "pqr")
INDIVIDUALS = tuple(f"urn:{letter}" for letter in "abcd")
MEASURE = "urn:m"  # a property with numbers
_INTEGER = Named(XSD + "integer")


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
