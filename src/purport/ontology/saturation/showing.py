"""What a model shows of an element, and how an expression is told of one.

What is shown holds in every world that the axioms allow. In OWL 2 EL all that holds is shown.
"""

from __future__ import annotations

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    HasSelf,
    HasValue,
    Named,
    OneOf,
    Or,
    Property,
    Some,
)
from purport.model.term import Term
from purport.ontology.axioms import THING
from purport.ontology.data.data_ranges import DataRange, data_range, is_data_range
from purport.ontology.property_order import role_of
from purport.ontology.saturation.model import Model


def put(model: Model, element: int, expression: ClassExpression) -> None:
    """Put an element into an expression, as far as the rules can follow; then `settle`."""
    rules = model.rules
    match expression:
        case And(operands) if not is_data_range(expression):
            for operand in operands:
                put(model, element, operand)
        case Some(property, filler):
            put_value(model, element, property, filler)
        case HasValue(property, value):
            put_value(model, element, property, OneOf((value,)))
        case Cardinality(property, Bound.MIN | Bound.EXACTLY, count, filler) if count > 0:
            put_value(model, element, property, filler or THING)
    number = rules.found(expression)
    if number is not None:
        model.tell(element, number)


def put_value(
    model: Model, element: int, property: Property, filler: ClassExpression
) -> int | None:
    """Give an element a value of a property, which is in the filler; where the value is then."""
    rules = model.rules
    role = rules.roles.get(role_of(property))
    if role is None:
        return None
    if is_data_range(filler):
        other = model.value(data_range(filler), role)
    elif (number := rules.found(filler)) is not None and isinstance(filler, Named | OneOf):
        other = model.lead(element, role, number)
    else:
        other = model.new(*rules.ranges_within.get(role, ()))
        put(model, other, filler)
    model.connect(element, role, other)
    return other


def reached(model: Model, element: int, property: Property) -> list[int]:
    """The elements that a property leads to, by whichever of its sub-properties."""
    role = model.rules.roles.get(role_of(property))
    return [] if role is None else led_to(model, element, role)


def led_to(model: Model, element: int, wanted: int) -> list[int]:
    """The elements that a role leads to, or one within it."""
    seen = set()
    for role, others in model.forward[element].items():
        if wanted in model.rules.role_above[role]:
            seen |= others
    return sorted(seen)


def shows(model: Model, element: int, expression: ClassExpression) -> bool:
    """Whether a model shows an element to be in an expression."""
    if expression == THING:
        return True
    if is_data_range(expression):
        return _is_within(model.values_of(element), data_range(expression))
    number = model.rules.found(expression)
    if number is not None and number in model.concepts[element]:
        return True
    match expression:
        case And(operands):
            return all(shows(model, element, operand) for operand in operands)
        case Or(operands):
            return any(shows(model, element, operand) for operand in operands)
        case OneOf(members):
            return any(is_value(model, element, member) for member in members)
        case Some(property, filler):
            others = reached(model, element, property)
            return any(shows(model, other, filler) for other in others)
        case HasValue(property, value):
            others = reached(model, element, property)
            return any(is_value(model, other, value) for other in others)
        case HasSelf(property):
            return any(
                is_same(model, element, other) for other in reached(model, element, property)
            )
        case Cardinality(_, Bound.MIN, 0, _):
            return True
        case Cardinality(property, Bound.MIN, 1, filler):
            return shows(model, element, Some(property, filler or THING))
    return False


def is_same(model: Model, element: int, other: int) -> bool:
    """Whether two elements are one individual."""
    shared = model.concepts[element] & model.concepts[other]
    return element == other or not shared.isdisjoint(model.rules.individual_of)


def is_value(model: Model, element: int, value: Named | Term) -> bool:
    """Whether an element is this individual, or this data value."""
    if isinstance(value, Named):
        number = model.rules.individuals.get(value.name)
        return number is not None and number in model.concepts[element]
    return _is_within(model.values_of(element), DataRange(OneOf((value,))))


def _is_within(values: DataRange | None, wanted: DataRange) -> bool:
    """Whether whichever of some values it is, it is in a range; what can be none is in none."""
    return values is not None and not values.is_empty and wanted.includes(values)
