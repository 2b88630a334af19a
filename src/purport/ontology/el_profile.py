"""Whether an ontology keeps to OWL 2 EL, which saturation answers completely and quickly."""

from __future__ import annotations

from collections.abc import Iterator

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    HasValue,
    Inverse,
    Named,
    OneOf,
    Or,
    Property,
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
from purport.ontology.data.data_ranges import is_data_range
from purport.ontology.property_order import PropertyOrder, Role, role_of

_EL_CHARACTERISTICS = frozenset({Characteristic.TRANSITIVE})


def is_beyond_el(axioms: Axioms) -> bool:
    """Whether some axiom says what OWL 2 EL cannot: `or`, `not`, `only`, counts, inverses, ...

    Where a chain of properties makes up one with a range, its last step must have that range too.
    """
    return any(map(_is_axiom_beyond, axioms.axioms)) or _has_ranges_over_chains(axioms)


def _has_ranges_over_chains(axioms: Axioms) -> bool:
    order = PropertyOrder(axioms)
    ranges: dict[Role, set[ClassExpression]] = {}
    for axiom in axioms.axioms:
        if isinstance(axiom, Range):
            ranges.setdefault(role_of(axiom.property), set()).add(axiom.range)

    def of(property_: Property) -> set[ClassExpression]:
        return set().union(*(ranges.get(one, ()) for one in order.above(role_of(property_))))

    chains = [axiom for axiom in axioms.axioms if isinstance(axiom, PropertyChain)]
    return bool(ranges) and any(not of(one.wider) <= of(one.steps[-1]) for one in chains)


def _is_axiom_beyond(axiom: Axiom) -> bool:
    match axiom:
        case InverseProperties() | DisjointProperties():
            return True
        case PropertyIs(_, characteristic):
            return characteristic not in _EL_CHARACTERISTICS
    return not all(map(is_el, _expressions(axiom))) or any(
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


def is_el(expression: ClassExpression) -> bool:
    """Whether an expression says nothing that OWL 2 EL cannot, or that saturation cannot follow.

    All data ranges count as EL, `Self` does not.
    """
    if is_data_range(expression):
        return True
    match expression:
        case Named():
            return True
        case OneOf(members):
            return len(members) == 1
        case And(operands):
            return all(map(is_el, operands))
        case HasValue(property_, _):
            return not isinstance(property_, Inverse)
        case Some(property_, filler):
            return not isinstance(property_, Inverse) and is_el(filler)
        case Cardinality(Named(), Bound.MIN, 0 | 1, filler):
            return filler is None or is_el(filler)
    return False


def is_union_of_el(expression: ClassExpression) -> bool:
    """Whether an expression is one of OWL 2 EL, or an `or` of such."""
    if isinstance(expression, Or):
        return all(map(is_union_of_el, expression.operands))
    return is_el(expression)
