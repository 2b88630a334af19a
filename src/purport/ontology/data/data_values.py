"""Sets of data values of every sort, as seen by numbers in one unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from purport.model.comparison import Operator
from purport.model.rdf import XSD
from purport.model.term import Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity, Unit
from purport.ontology.data.literal_kinds import (
    ADDRESSES,
    BOOLEANS,
    EVERY_LITERAL,
    IRIS,
    NO_LITERAL,
    TEXTS,
    TEXTS_IN_LANGUAGE,
    Literals,
    only_literal,
    texts_by_type,
)
from purport.ontology.data.point_sets import (
    EVERY_NUMBER,
    EVERY_POINT,
    NO_NUMBER,
    NO_POINT,
    WHOLE_NUMBERS,
    Numbers,
    PointSet,
    compared,
    points_in,
)
from purport.ontology.vocabulary import OWL, RDF, RDFS


@dataclass(frozen=True, slots=True)
class Values:
    """A set of data values: numbers, times, and literals without a place on a line."""

    numbers: Numbers = NO_NUMBER
    times: PointSet = NO_POINT
    literals: Literals = NO_LITERAL

    def __contains__(self, term: Term) -> bool:
        match term:
            case Quantity():
                return exact(term) in self.numbers
            case Time(instant):
                return instant in self.times
            case _:
                return term in self.literals

    def __and__(self, other: Values) -> Values:
        return Values(
            self.numbers & other.numbers,
            self.times & other.times,
            self.literals & other.literals,
        )

    def __or__(self, other: Values) -> Values:
        return ~(~self & ~other)

    def __invert__(self) -> Values:
        return Values(~self.numbers, ~self.times, ~self.literals)

    @property
    def size(self) -> float:
        """How many values there are; may be infinite."""
        return self.numbers.size + points_in(self.times) + self.literals.size


NO_VALUE, EVERY_VALUE = Values(), Values(EVERY_NUMBER, EVERY_POINT, EVERY_LITERAL)


@dataclass(frozen=True, slots=True)
class Guess:
    """A set that is known in part: what is in it for sure, and what may be in it."""

    sure: Values
    possible: Values

    @classmethod
    def exactly(cls, values: Values) -> Guess:
        """A set that is wholly known."""
        return cls(values, values)

    def __and__(self, other: Guess) -> Guess:
        return Guess(self.sure & other.sure, self.possible & other.possible)

    def __or__(self, other: Guess) -> Guess:
        return Guess(self.sure | other.sure, self.possible | other.possible)

    def __invert__(self) -> Guess:
        return Guess(~self.possible, ~self.sure)


ANYTHING, NOTHING_KNOWN = Guess.exactly(EVERY_VALUE), Guess(NO_VALUE, EVERY_VALUE)


def _whole_numbers(least: int | None, most: int | None) -> Values:
    numbers = WHOLE_NUMBERS
    if least is not None:
        numbers &= Numbers.on_line(compared(Operator.AT_LEAST, least))
    if most is not None:
        numbers &= Numbers.on_line(compared(Operator.AT_MOST, most))
    return Values(numbers=numbers)


_VALUES_OF: Mapping[str, Values] = {
    XSD + "integer": _whole_numbers(None, None),
    XSD + "nonNegativeInteger": _whole_numbers(0, None),
    XSD + "positiveInteger": _whole_numbers(1, None),
    XSD + "nonPositiveInteger": _whole_numbers(None, 0),
    XSD + "negativeInteger": _whole_numbers(None, -1),
    XSD + "long": _whole_numbers(-(2**63), 2**63 - 1),
    XSD + "int": _whole_numbers(-(2**31), 2**31 - 1),
    XSD + "short": _whole_numbers(-(2**15), 2**15 - 1),
    XSD + "byte": _whole_numbers(-(2**7), 2**7 - 1),
    XSD + "unsignedLong": _whole_numbers(0, 2**64 - 1),
    XSD + "unsignedInt": _whole_numbers(0, 2**32 - 1),
    XSD + "unsignedShort": _whole_numbers(0, 2**16 - 1),
    XSD + "unsignedByte": _whole_numbers(0, 2**8 - 1),
    **{XSD + name: Values(numbers=EVERY_NUMBER) for name in ("decimal", "double", "float")},
    **{OWL + name: Values(numbers=EVERY_NUMBER) for name in ("real", "rational")},
    **{XSD + name: Values(times=EVERY_POINT) for name in ("dateTime", "dateTimeStamp", "date")},
    **{name: Values(literals=texts) for name, texts in texts_by_type().items()},
    XSD + "boolean": Values(literals=BOOLEANS),
    RDF + "langString": Values(literals=TEXTS_IN_LANGUAGE),
    RDF + "PlainLiteral": Values(literals=TEXTS | TEXTS_IN_LANGUAGE),
    RDFS + "Literal": EVERY_VALUE,
}


def exact(number: Quantity, unit: Unit | None = None) -> Fraction:
    """A magnitude as a fraction, in another unit of the same kind if one is given."""
    if unit is None or number.unit is None or unit == number.unit:
        return Fraction(repr(number.magnitude))
    return (number.unit.in_base(number.magnitude) - unit.offset) / unit.scale


def is_datatype(name: str) -> bool:
    """Whether an IRI names a datatype of XSD, RDF or OWL."""
    return name.startswith(XSD) or name in _VALUES_OF


def guess_of_datatype(name: str, unit: Unit | None) -> Guess:
    """The values of a datatype, where numbers are in this unit; of an unknown one nothing is known.

    Datatypes of numbers hold none that has a unit.
    """
    if name == XSD + "anyURI":
        return Guess(Values(literals=IRIS), Values(literals=ADDRESSES))
    values = _VALUES_OF.get(name)
    if values is not None and unit is not None and values != EVERY_VALUE:
        values = replace(values, numbers=NO_NUMBER)
    return NOTHING_KNOWN if values is None else Guess.exactly(values)


def expected_limit(datatype: str, limit: Term) -> str | None:
    """What a limit on values of a datatype must be; None if this one is, or nothing is known."""
    values = _VALUES_OF.get(datatype)
    if values is None or values == EVERY_VALUE:
        return None
    if not values.numbers.is_empty:
        is_bare = isinstance(limit, Quantity) and limit.unit is None
        return None if is_bare else "a number without a unit"
    if not values.times.is_empty:
        return None if isinstance(limit, Time) else "a time"
    return None


def guess_within(operator: Operator, limit: Term, unit: Unit | None) -> Guess:
    """The values for which `value operator limit`, where numbers are in this unit."""
    match limit:
        case Quantity():
            return Guess.exactly(Values(numbers=_numbers_within(operator, limit, unit)))
        case Time(instant):
            return Guess.exactly(Values(times=compared(operator, instant)))
        case Text() | Resource() | Boolean():
            return _literals_within(operator, limit)


def only_value(term: Term, unit: Unit | None) -> Values:
    """The set of one value, where numbers are in this unit."""
    match term:
        case Quantity():
            return Values(numbers=_numbers_within(Operator.EQUAL, term, unit))
        case Time(instant):
            return Values(times=compared(Operator.EQUAL, instant))
        case Text() | Resource() | Boolean():
            return Values(literals=only_literal(term))


def _numbers_within(operator: Operator, limit: Quantity, unit: Unit | None) -> Numbers:
    if (unit and unit.base) != (limit.unit and limit.unit.base):
        return EVERY_NUMBER if operator is Operator.NOT_EQUAL else NO_NUMBER
    return Numbers.on_line(compared(operator, exact(limit, unit)))


def _literals_within(operator: Operator, limit: Text | Resource | Boolean) -> Guess:
    only = Values(literals=only_literal(limit))
    others = Values(literals=EVERY_LITERAL) & ~only
    match operator:
        case Operator.EQUAL:
            return Guess.exactly(only)
        case Operator.NOT_EQUAL:
            return Guess.exactly(others)
        case Operator.AT_MOST | Operator.AT_LEAST:
            return Guess(only, only | others)
        case Operator.LESS | Operator.GREATER:
            return Guess(NO_VALUE, others)
