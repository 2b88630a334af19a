"""Whether an ontology keeps to OWL 2 EL, which saturation answers completely and quickly."""

from __future__ import annotations

from collections.abc import Iterator

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
    Property,
    Restricted,
    Some,
)
from purport.ontology.axioms import (
    Axiom,
    Axioms,
    Characteristic,
    ClassAssertion,
    DisjointClasses,
    DisjointProperties,
    Domain,
    EquivalentClasses,
    InverseProperties,
    PropertyChain,
    PropertyIs,
    Range,
    SubClass,
    SubProperty,
)

_EL_CHARACTERISTICS = frozenset({Characteristic.TRANSITIVE, Characteristic.REFLEXIVE})


def is_beyond_el(axioms: Axioms) -> bool:
    """Whether some axiom says what OWL 2 EL cannot: `or`, `not`, `only`, counts, inverses, ..."""
    return any(map(_is_axiom_beyond, axioms.axioms))


def _is_axiom_beyond(axiom: Axiom) -> bool:
    match axiom:
        case InverseProperties() | DisjointProperties():
            return True
        case PropertyIs(_, characteristic):
            return characteristic not in _EL_CHARACTERISTICS
    return any(map(_is_expression_beyond, _expressions(axiom))) or any(
        isinstance(one, Inverse) for one in _properties(axiom)
    )


def _expressions(axiom: Axiom) -> Iterator[ClassExpression]:
    match axiom:
        case SubClass(narrower, wider):
            yield from (narrower, wider)
        case EquivalentClasses(operands) | DisjointClasses(operands):
            yield from operands
        case Domain(_, expression) | Range(_, expression) | ClassAssertion(_, expression):
            yield expression


def _properties(axiom: Axiom) -> Iterator[Property]:
    match axiom:
        case SubProperty(narrower, wider):
            yield from (narrower, wider)
        case PropertyChain(steps, wider):
            yield from (*steps, wider)
        case Domain(property_, _) | Range(property_, _):
            yield property_


def _is_expression_beyond(expression: ClassExpression) -> bool:
    match expression:
        case Named() | Restricted():
            return False
        case Or() | Not() | Only():
            return True
        case OneOf(members):
            return len(members) > 1
        case And(operands):
            return any(map(_is_expression_beyond, operands))
        case HasValue(property_, _) | HasSelf(property_):
            return isinstance(property_, Inverse)
        case Some(property_, filler):
            return isinstance(property_, Inverse) or _is_expression_beyond(filler)
        case Cardinality(property_, bound, count, filler):
            return (
                isinstance(property_, Inverse)
                or bound is not Bound.MIN
                or count > 1
                or (filler is not None and _is_expression_beyond(filler))
            )
