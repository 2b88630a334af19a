"""What one value must be: does each value that meets one limit meet another?

A number without a unit takes that of what it is compared with, so told numbers are compared on two
lines: as they stand, and in base units. What holds of limits must hold on both: `> 100 °C` implies
`> 77 °F`, but `> 30 °C` does not, as a bare 40 is more than 30 °C and not more than 77 °F.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

from purport.model.comparison import Operator
from purport.model.term import Boolean, Resource, Term, Text, Time, folded
from purport.model.units import Quantity

_BEFORE_NUMBERS = frozenset("0123456789+-.")


class Kind(Enum):
    """What a told value is read as, to be compared."""

    TEXT = "text"
    IRI = "iri"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Limit:
    """An operator and the value asked for, at its places on the lines where values are compared.

    `base` is what a number's unit comes down to; numbers of two bases have nothing in common.
    """

    operator: Operator
    kind: Kind
    base: str | None
    places: tuple[Any, ...]

    @classmethod
    def of(cls, operator: Operator, asked: Term) -> Limit:
        """That a told value stands so to the asked one."""
        match asked:
            case Text(text):
                return cls(operator, Kind.TEXT, None, (folded(text),))
            case Resource(iri):
                return cls(operator, Kind.IRI, None, (iri,))
            case Boolean(truth):
                return cls(operator, Kind.BOOLEAN, None, (truth,))
            case Time(instant):
                return cls(operator, Kind.TIME, None, (instant,))
            case Quantity(magnitude, unit):
                if unit is None:  # in some unit or other: as decimal notation has it
                    places: tuple[Any, ...] = magnitude, Decimal(repr(magnitude))
                    return cls(operator, Kind.NUMBER, None, places)
                places = magnitude, unit.in_base(magnitude)
                return cls(operator, Kind.NUMBER, unit.base, places)

    def with_operator(self, operator: Operator) -> Limit:
        """The same value under another operator."""
        return Limit(operator, self.kind, self.base, self.places)

    def implies(self, other: Limit) -> bool:
        """Whether each told value that meets this limit meets the other, too."""
        if self.kind is not other.kind:
            return _is_apart(self, other)
        follows = _FOLLOWS.get((self.operator, other.operator))
        if follows is None or self.base != other.base:
            return False
        for mine, its in zip(self.places, other.places, strict=True):
            if ((mine > its) - (mine < its)) not in follows:
                return False
        return True


# When the second operator follows from the first one: how the first value may stand to the second,
# less (-1), equal (0) or greater (1).
_LESS, _EQUAL, _GREATER = -1, 0, 1
_FOLLOWS: dict[tuple[Operator, Operator], tuple[int, ...]] = {
    (Operator.EQUAL, Operator.EQUAL): (_EQUAL,),
    (Operator.EQUAL, Operator.NOT_EQUAL): (_LESS, _GREATER),
    (Operator.EQUAL, Operator.LESS): (_LESS,),
    (Operator.EQUAL, Operator.AT_MOST): (_LESS, _EQUAL),
    (Operator.EQUAL, Operator.GREATER): (_GREATER,),
    (Operator.EQUAL, Operator.AT_LEAST): (_GREATER, _EQUAL),
    (Operator.NOT_EQUAL, Operator.NOT_EQUAL): (_EQUAL,),
    (Operator.LESS, Operator.NOT_EQUAL): (_LESS, _EQUAL),
    (Operator.LESS, Operator.LESS): (_LESS, _EQUAL),
    (Operator.LESS, Operator.AT_MOST): (_LESS, _EQUAL),
    (Operator.AT_MOST, Operator.NOT_EQUAL): (_LESS,),
    (Operator.AT_MOST, Operator.LESS): (_LESS,),
    (Operator.AT_MOST, Operator.AT_MOST): (_LESS, _EQUAL),
    (Operator.GREATER, Operator.NOT_EQUAL): (_GREATER, _EQUAL),
    (Operator.GREATER, Operator.GREATER): (_GREATER, _EQUAL),
    (Operator.GREATER, Operator.AT_LEAST): (_GREATER, _EQUAL),
    (Operator.AT_LEAST, Operator.NOT_EQUAL): (_GREATER,),
    (Operator.AT_LEAST, Operator.GREATER): (_GREATER,),
    (Operator.AT_LEAST, Operator.AT_LEAST): (_GREATER, _EQUAL),
}


def is_wider(one: Operator, other: Operator) -> bool:
    """Whether two values that stand to each other by the other operator do so by the one, too.

    >>> is_wider(Operator.AT_MOST, Operator.LESS), is_wider(Operator.LESS, Operator.AT_MOST)
    (True, False)
    """
    return _EQUAL in _FOLLOWS.get((other, one), ())


def _is_apart(one: Limit, other: Limit) -> bool:
    """Whether what meets the one is different from the other's value, as it is of another kind.

    A told text may be read as several kinds: "25" as a text and as a number.
    """
    if other.operator is not Operator.NOT_EQUAL or one.operator is Operator.NOT_EQUAL:
        return False
    if Kind.TEXT not in (one.kind, other.kind):
        return True
    text, reading = (one, other) if one.kind is Kind.TEXT else (other, one)
    if text.operator not in (Operator.EQUAL, Operator.NOT_EQUAL):
        return False
    spelt = text.places[0]
    match reading.kind:
        case Kind.IRI:
            return bool(folded(reading.places[0]) != spelt)
        case Kind.BOOLEAN:
            return spelt not in ("true", "false")
        case Kind.NUMBER:
            return spelt[:1] not in _BEFORE_NUMBERS
        case _:
            return not spelt[:1].isdigit()
