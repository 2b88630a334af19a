"""Class expressions as somebody wrote them, with every name looked up in an ontology."""

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
)
from purport.model.term import Term, Text
from purport.ontology.data.written_forms import require_facet
from purport.ontology.names import Names


def resolved(expression: ClassExpression, names: Names) -> ClassExpression:
    """The expression with full IRIs for names; one that the ontology lacks is an `UnknownName`.

    What a data property has for a filler is a data range, in which names are datatypes and words
    are texts; so is an expression of datatypes alone.
    """
    is_data = _is_of_datatypes(expression, names)
    return _data_range(expression, names) if is_data else _class(expression, names)


def _is_of_datatypes(expression: ClassExpression, names: Names) -> bool:
    match expression:
        case Named(name):
            return names.find_class(name) is None and names.find_datatype(name) is not None
        case And(operands) | Or(operands):
            return any(_is_of_datatypes(operand, names) for operand in operands)
        case Not(operand):
            return _is_of_datatypes(operand, names)
    return isinstance(expression, Restricted)


def _class(expression: ClassExpression, names: Names) -> ClassExpression:
    match expression:
        case Named(name):
            return Named(names.class_named(name))
        case And(operands):
            return And(tuple(_class(operand, names) for operand in operands))
        case Or(operands):
            return Or(tuple(_class(operand, names) for operand in operands))
        case Not(operand):
            return Not(_class(operand, names))
        case Some(name, filler):
            return Some(_property(name, names), _filler(name, filler, names))
        case Only(name, filler):
            return Only(_property(name, names), _filler(name, filler, names))
        case HasValue(name, value):
            return HasValue(_property(name, names), _value(value, _is_data(name, names), names))
        case HasSelf(name):
            return HasSelf(_property(name, names))
        case Cardinality(name, bound, count, counted):
            among = None if counted is None else _filler(name, counted, names)
            return Cardinality(_property(name, names), bound, count, among)
        case OneOf(members):
            return OneOf(tuple(_value(member, False, names) for member in members))
        case Restricted():
            return _data_range(expression, names)


def _property(name: Property, names: Names) -> Property:
    match name:
        case Named(text):
            return Named(names.property_named(text))
        case Inverse(Named(text)):
            return Inverse(Named(names.property_named(text)))


def _is_data(name: Property, names: Names) -> bool:
    return isinstance(name, Named) and names.is_data_property(names.property_named(name.name))


def _filler(name: Property, filler: ClassExpression, names: Names) -> ClassExpression:
    return _data_range(filler, names) if _is_data(name, names) else _class(filler, names)


def _data_range(expression: ClassExpression, names: Names) -> ClassExpression:
    match expression:
        case Named(name):
            return Named(names.datatype_named(name))
        case And(operands):
            return And(tuple(_data_range(operand, names) for operand in operands))
        case Or(operands):
            return Or(tuple(_data_range(operand, names) for operand in operands))
        case Not(operand):
            return Not(_data_range(operand, names))
        case OneOf(members):
            return OneOf(tuple(_value(member, True, names) for member in members))
        case Restricted(Named(datatype), facets):
            found = names.datatype_named(datatype)
            for facet in facets:
                require_facet(facet, found)
            return Restricted(Named(found), facets)
        case _:
            return _class(expression, names)


def _value(value: Named | Term, is_data: bool, names: Names) -> Named | Term:
    """An individual, or a literal; as a value of data, a bare word is a text."""
    if not isinstance(value, Named):
        return value
    return Text(value.name) if is_data else Named(names.individual_named(value.name))
