"""Expressions with every name in full."""

from __future__ import annotations

from purport.model.class_expression import (
    And,
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
)  # fmt: skip
from purport.model.term import Term
from purport.ontology.data_ranges import is_data_range
from purport.ontology.names import Names

_XSD = "http://www.w3.org/2001/XMLSchema#"


def resolved(expression: ClassExpression, names: Names) -> ClassExpression:
    """An expression with full IRIs; `UnknownName` for a name that is none."""

    def whole(one: ClassExpression) -> ClassExpression:
        return resolved(one, names)

    def prop(one: Property) -> Property:
        if isinstance(one, Inverse):
            return Inverse(Named(names.property_named(one.property.name)))
        return Named(names.property_named(one.name))

    def value(one: Named | Term) -> Named | Term:
        return Named(names.individual_named(one.name)) if isinstance(one, Named) else one

    match expression:
        case Named(name):
            datatype = _datatype(expression)
            return datatype if is_data_range(datatype) else Named(names.class_named(name))
        case And(operands):
            return And(tuple(map(whole, operands)))
        case Or(operands):
            return Or(tuple(map(whole, operands)))
        case Not(operand):
            return Not(whole(operand))
        case Some(property, filler):
            return Some(prop(property), whole(filler))
        case Only(property, filler):
            return Only(prop(property), whole(filler))
        case HasValue(property, one):
            return HasValue(prop(property), value(one))
        case HasSelf(property):
            return HasSelf(prop(property))
        case Cardinality(property, bound, count, filler_or_none):
            filler_ = None if filler_or_none is None else whole(filler_or_none)
            return Cardinality(prop(property), bound, count, filler_)
        case OneOf(members):
            return OneOf(tuple(map(value, members)))
        case Restricted(datatype, facets):
            return Restricted(_datatype(datatype), facets)


def _datatype(name: Named) -> Named:
    return Named(name.name.replace("xsd:", _XSD, 1)) if name.name.startswith("xsd:") else name
