"""Sets of data values: datatypes, limits on them, lists of values, and their combinations.

All numeric datatypes share one line, on which the integer types hold the whole numbers within their
bounds; so `xsd:integer[> 5]` is `xsd:integer[>= 6]`, and `xsd:integer[> 5, < 6]` is empty. Times
share a line of their own, and so do quantities in the units of one kind: `5 km` is `5000 m`, and is
neither `5` nor an `xsd:integer`. A datatype of numbers holds those without a unit.

What cannot be known (a datatype nobody has heard of, the order of texts) is a set of which some
values are known to be inside and some to be outside. `contains`, `includes` and `is_empty` are true
only where that is sure, and for numbers always when it is so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from purport.model.class_expression import (
    And,
    ClassExpression,
    Facet,
    Named,
    Not,
    OneOf,
    Or,
    Restricted,
    TextFacet,
)
from purport.model.term import Term
from purport.model.units import Quantity, Unit
from purport.ontology.data.data_values import (
    ANYTHING,
    NO_VALUE,
    NOTHING_KNOWN,
    Guess,
    Values,
    guess_of_datatype,
    guess_within,
    is_datatype,
    only_value,
)
from purport.ontology.data.written_forms import is_implied, is_written_so
from purport.ontology.errors import OntologyError

_OTHER_UNIT = Unit("a unit nobody named", "a kind nobody named", Fraction(1), Fraction(0))


@dataclass(frozen=True, slots=True)
class DataRange:
    """A set of data values, e.g. `xsd:integer[>= 5] or {"none"}`."""

    expression: ClassExpression

    def contains(self, term: Term) -> bool:
        """Whether a value is in the range, for sure."""
        unit = term.unit if isinstance(term, Quantity) else None
        return term in _guess(_decided(self.expression, term), unit).sure

    def includes(self, other: DataRange) -> bool:
        """Whether every value of the other is in this one, for sure."""
        wider = self.expression
        if isinstance(wider, Restricted):
            limits = list(_limits_on_writing(other.expression))
            left = tuple(facet for facet in wider.facets if not is_implied(facet, limits))
            wider = Restricted(wider.datatype, left) if left else wider.datatype
        return other.meet(DataRange(wider).complement()).is_empty

    def meet(self, other: DataRange) -> DataRange:
        """The values that are in both."""
        return DataRange(And((self.expression, other.expression)))

    def complement(self) -> DataRange:
        """The values that are not in this one."""
        return DataRange(Not(self.expression))

    @property
    def is_empty(self) -> bool:
        """Whether there is no value in the range, for sure."""
        return self.size == 0

    @property
    def size(self) -> float:
        """How many values there are at most; may be infinite."""
        return _size(self.expression)


def _decided(expression: ClassExpression, term: Term) -> ClassExpression:
    """A range without limits on how values are written, as far as it is about one value."""
    match expression:
        case Restricted(datatype, facets):
            values = tuple(one for one in facets if not isinstance(one.operator, TextFacet))
            if all(is_written_so(term, one) for one in facets if one not in values):
                return Restricted(datatype, values) if values else datatype
            return OneOf(())
        case And(operands):
            return And(tuple(_decided(one, term) for one in operands))
        case Or(operands):
            return Or(tuple(_decided(one, term) for one in operands))
        case Not(operand):
            return Not(_decided(operand, term))
    return expression


def _limits_on_writing(expression: ClassExpression) -> Iterator[Facet]:
    """Limits on how values are written that all values of a range keep."""
    match expression:
        case Restricted(_, facets):
            yield from (facet for facet in facets if isinstance(facet.operator, TextFacet))
        case And(operands):
            for operand in operands:
                yield from _limits_on_writing(operand)


def data_range(expression: ClassExpression) -> DataRange:
    """The range that an expression means; an `OntologyError` if it is about individuals."""
    for leaf in _leaves(expression):
        if isinstance(leaf, OneOf) and any(isinstance(one, Named) for one in leaf.members):
            raise OntologyError(f"expected a list of data values, got individuals: {leaf}")
    return DataRange(expression)


def is_data_range(expression: ClassExpression) -> bool:
    """Whether an expression is of data values, and not of individuals."""
    match expression:
        case Restricted():
            return True
        case Named(name):
            return is_datatype(name)
        case OneOf(members):
            return not any(isinstance(one, Named) for one in members)
        case And(operands) | Or(operands):
            return any(map(is_data_range, operands))
        case Not(operand):
            return is_data_range(operand)
    return False


@lru_cache(maxsize=65536)
def _size(expression: ClassExpression) -> float:
    """How many values there are, numbers of each kind of unit on a line of their own."""
    units = {unit.base: unit for unit in _units(expression)}
    bare = _guess(expression, None).possible
    lines = (_guess(expression, unit).possible for unit in (_OTHER_UNIT, *units.values()))
    return bare.size + sum(line.numbers.size for line in lines)


@lru_cache(maxsize=65536)
def _guess(expression: ClassExpression, unit: Unit | None) -> Guess:
    """What is known of a range, where numbers are in this unit."""
    match expression:
        case Named(name):
            return guess_of_datatype(name, unit)
        case Restricted(datatype, facets):
            guess = _guess(datatype, unit)
            for facet in facets:
                guess &= _guess_within(facet, unit)
            return guess
        case OneOf(members):
            values: Values = NO_VALUE
            for member in members:
                if not isinstance(member, Named):
                    values |= only_value(member, unit)
            return Guess.exactly(values)
        case And(operands):
            guess = ANYTHING
            for operand in operands:
                guess &= _guess(operand, unit)
            return guess
        case Or(operands):
            guess = ~ANYTHING
            for operand in operands:
                guess |= _guess(operand, unit)
            return guess
        case Not(operand):
            return ~_guess(operand, unit)
    raise _no_range(expression)


def _guess_within(facet: Facet, unit: Unit | None) -> Guess:
    """What is known of the values within a limit; of how they are written, nothing."""
    if isinstance(facet.operator, TextFacet):
        return NOTHING_KNOWN
    return guess_within(facet.operator, facet.limit, unit)


def _leaves(expression: ClassExpression) -> Iterator[Named | Restricted | OneOf]:
    """The datatypes, restrictions and lists that a range is made of."""
    match expression:
        case Named() | Restricted() | OneOf():
            yield expression
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _leaves(operand)
        case Not(operand):
            yield from _leaves(operand)
        case _:
            raise _no_range(expression)


def _units(expression: ClassExpression) -> Iterator[Unit]:
    """The units that a range speaks of."""
    for leaf in _leaves(expression):
        match leaf:
            case Restricted(_, facets):
                terms: tuple[Term | Named, ...] = tuple(facet.limit for facet in facets)
            case OneOf(members):
                terms = members
            case Named():
                terms = ()
        for term in terms:
            if isinstance(term, Quantity) and term.unit is not None:
                yield term.unit


def _no_range(expression: ClassExpression) -> OntologyError:
    return OntologyError(f"expected a datatype or data range, got {expression}")
