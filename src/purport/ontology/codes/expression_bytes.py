"""Class expressions with genes for names, as bytes: `13 ∩ ∃3 (2 ∩ ∃2 3)` takes seven."""

from __future__ import annotations

from enum import IntEnum

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
    TextFacet,
)
from purport.model.comparison import Operator
from purport.model.rdf import XSD
from purport.model.term import Term
from purport.ontology.codes.message_bytes import DEEPEST, MessageError, Reader, Tag, Writer
from purport.ontology.data.data_values import is_datatype

_DATATYPES = tuple(
    XSD + name
    for name in (
        "integer decimal double float boolean string dateTime nonNegativeInteger positiveInteger "
        "int long short byte"
    ).split()
)
_OPERATORS = (*Operator, *TextFacet)
_BOUNDS = tuple(Bound)


class Form(IntEnum):
    """What kind of expression follows; the number with it is a gene, or how many there are."""

    NAMED = 0
    AND = 1
    OR = 2
    NOT = 3
    SOME = 4
    ONLY = 5
    VALUE = 6
    SELF = 7
    COUNT = 8
    ONE_OF = 9
    DATATYPE = 10
    RESTRICTED = 11
    BACKWARDS = 12


def write_expression(writer: Writer, expression: ClassExpression) -> None:
    """Write an expression, from the outside to the inside."""
    match expression:
        case Named(name):
            _write_named(writer, name)
        case And(operands) | Or(operands):
            writer.head(Form.AND if isinstance(expression, And) else Form.OR, len(operands))
            for operand in operands:
                write_expression(writer, operand)
        case Not(operand):
            writer.head(Form.NOT, 0)
            write_expression(writer, operand)
        case Some(property, filler) | Only(property, filler):
            form = Form.SOME if isinstance(expression, Some) else Form.ONLY
            _write_property(writer, form, property)
            write_expression(writer, filler)
        case HasValue(property, value):
            _write_property(writer, Form.VALUE, property)
            _write_member(writer, value)
        case HasSelf(property):
            _write_property(writer, Form.SELF, property)
        case Cardinality(property, bound, count, filler):
            _write_property(writer, Form.COUNT, property)
            writer.varint(2 * _BOUNDS.index(bound) + (filler is not None))
            writer.varint(count)
            if filler is not None:
                write_expression(writer, filler)
        case OneOf(members):
            writer.head(Form.ONE_OF, len(members))
            for member in members:
                _write_member(writer, member)
        case Restricted(datatype, facets):
            writer.head(Form.RESTRICTED, len(facets))
            _write_named(writer, datatype.name)
            for facet in facets:
                writer.byte(_OPERATORS.index(facet.operator))
                writer.term(facet.limit)


def _write_named(writer: Writer, name: str) -> None:
    if name.isdigit():
        writer.head(Form.NAMED, int(name))
    elif name in _DATATYPES:
        writer.head(Form.DATATYPE, 1 + _DATATYPES.index(name))
    else:
        writer.head(Form.DATATYPE, 0)
        writer.text(name)


def _write_property(writer: Writer, form: Form, property: Property) -> None:
    if isinstance(property, Inverse):
        writer.head(Form.BACKWARDS, 0)
        property = property.property
    writer.head(form, int(property.name))


def _write_member(writer: Writer, member: Named | Term) -> None:
    if not isinstance(member, Named):
        writer.term(member)
    elif member.name.isdigit():
        writer.head(Tag.INDIVIDUAL, int(member.name))
    else:
        writer.head(Tag.NAMED, 0)
        writer.text(member.name)


def read_expression(reader: Reader, depth: int = 0) -> ClassExpression:
    """Read an expression."""
    if depth > DEEPEST:
        raise MessageError(f"more than {DEEPEST} expressions within each other")
    form, number = reader.head()
    match form:
        case Form.NAMED:
            return Named(str(number))
        case Form.AND:
            return And(_read_several(reader, number, depth))
        case Form.OR:
            return Or(_read_several(reader, number, depth))
        case Form.NOT:
            return Not(read_expression(reader, depth + 1))
        case Form.ONE_OF:
            return OneOf(tuple(_read_member(reader) for _ in range(reader.count(number))))
        case Form.DATATYPE:
            return _read_datatype(reader, number)
        case Form.RESTRICTED:
            return _read_restricted(reader, number)
        case Form.BACKWARDS:
            form, number = reader.head()
            return _read_about(reader, form, Inverse(Named(str(number))), depth)
    return _read_about(reader, form, Named(str(number)), depth)


def _read_about(reader: Reader, form: int, property: Property, depth: int) -> ClassExpression:
    match form:
        case Form.SOME:
            return Some(property, read_expression(reader, depth + 1))
        case Form.ONLY:
            return Only(property, read_expression(reader, depth + 1))
        case Form.VALUE:
            return HasValue(property, _read_member(reader))
        case Form.SELF:
            return HasSelf(property)
        case Form.COUNT:
            bound, has_filler = divmod(reader.varint(), 2)
            if bound >= len(_BOUNDS):
                raise MessageError(f"expected min, max or exactly, not {bound}")
            count = reader.varint()
            filler = read_expression(reader, depth + 1) if has_filler else None
            return Cardinality(property, _BOUNDS[bound], count, filler)
    raise MessageError(f"expected a class expression, not form {form}")


def _read_several(reader: Reader, number: int, depth: int) -> tuple[ClassExpression, ...]:
    return tuple(read_expression(reader, depth + 1) for _ in range(reader.count(number)))


def _read_datatype(reader: Reader, number: int) -> Named:
    if number == 0:
        name = reader.text()
        if not is_datatype(name):
            raise MessageError(f"expected a datatype, not {name[:60]!r}")
        return Named(name)
    if number > len(_DATATYPES):
        raise MessageError(f"expected one of {len(_DATATYPES)} datatypes, not {number}")
    return Named(_DATATYPES[number - 1])


def _read_restricted(reader: Reader, number: int) -> Restricted:
    count = reader.count(number)
    form, datatype = reader.head()
    if form != Form.DATATYPE:
        raise MessageError(f"expected a datatype, not form {form}")
    named = _read_datatype(reader, datatype)
    return Restricted(named, tuple(_read_facet(reader) for _ in range(count)))


def _read_facet(reader: Reader) -> Facet:
    operator = reader.byte()
    if operator >= len(_OPERATORS):
        raise MessageError(f"expected one of {len(_OPERATORS)} operators, not {operator}")
    return Facet(_OPERATORS[operator], reader.term(*reader.head()))


def _read_member(reader: Reader) -> Named | Term:
    tag, number = reader.head()
    if tag == Tag.INDIVIDUAL:
        return Named(str(number))
    if tag == Tag.NAMED:
        name = reader.text()
        if name.isdigit():
            raise MessageError(f"expected a name, not {name[:60]!r}")
        return Named(name)
    return reader.term(tag, number)
