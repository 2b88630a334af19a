"""What `=`, `<` and their kin mean between what a subscriber asks and what an event tells.

The subscriber's term decides the type: where a number is asked for, the text "16.45" of an event is
read as one; where text is asked for (in quotes), only text will do. Of two quantities, one that
names no unit takes the unit of the other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Any

from purport.model.term import Boolean, Resource, Term, Text, Time, folded, read_boolean, read_time
from purport.model.units import Quantity, Unit, read_quantity


class Operator(StrEnum):
    """How a told value must stand to the asked one."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="


def holds(told: Term, operator: Operator, asked: Term, *, unit: Unit | None = None) -> bool:
    """Whether `told operator asked`, e.g. 26 > 25.

    `unit` is the one that the attribute's name implies, as in `temperature_C: 26`. It is that of a
    number which names none, where the other side names one of the same kind.

    Terms that cannot be compared (a word and a number) are different, and neither less nor greater.
    """
    order = _order(told, asked, unit)
    match operator:
        case Operator.EQUAL:
            return order == 0
        case Operator.NOT_EQUAL:
            return order != 0
        case Operator.LESS:
            return order is not None and order < 0
        case Operator.AT_MOST:
            return order is not None and order <= 0
        case Operator.GREATER:
            return order is not None and order > 0
        case Operator.AT_LEAST:
            return order is not None and order >= 0


def any_holds(told: Iterable[Term], operator: Operator, asked: Collection[Term]) -> bool:
    """Whether one of some told terms stands so to one of those asked for."""
    return any(holds(one, operator, other) for one in told for other in asked)


def told_quantity(told: Term) -> Quantity | None:
    """A told term as a quantity; None if it does not spell one."""
    match told:
        case Quantity():
            return told
        case Text(text):
            try:
                return read_quantity(text)
            except ValueError:
                return None
    return None


def compared_units(
    told: Unit | None, asked: Unit | None, implied: Unit | None
) -> tuple[Unit, Unit] | None:
    """The units that a told and an asked number are in; None if they are compared as they stand.

    `implied` is that of a number which names none, where the other one names one of the same kind.
    """
    named = told or asked
    known = implied if named and implied and implied.base == named.base else None
    told, asked = told or known, asked or known
    return (told, asked) if told and asked else None


def _order(told: Term, asked: Term, unit: Unit | None) -> int | None:
    """-1, 0 or 1 as told is less than, equal to or greater than asked; None if incomparable."""
    match asked:
        case Text(text):
            return _sign(folded(told.text), folded(text)) if isinstance(told, Text) else None
        case Resource(iri):
            match told:
                case Resource(told_iri) | Text(told_iri):
                    return 0 if told_iri == iri else None
            return None
        case Quantity():
            quantity = told_quantity(told)
            return None if quantity is None else _order_of_quantities(quantity, asked, unit)
        case Boolean():
            truth = read_boolean(told.text) if isinstance(told, Text) else told
            return 0 if truth == asked else None
        case Time(instant):
            time = read_time(told.text) if isinstance(told, Text) else told
            return _sign(time.instant, instant) if isinstance(time, Time) else None


def _order_of_quantities(told: Quantity, asked: Quantity, unit: Unit | None) -> int | None:
    units = compared_units(told.unit, asked.unit, unit)
    if units is None:
        return _sign(told.magnitude, asked.magnitude)
    told_unit, asked_unit = units
    if told_unit.base != asked_unit.base:
        return None
    return _sign(told_unit.in_base(told.magnitude), asked_unit.in_base(asked.magnitude))


def _sign(left: Any, right: Any) -> int:
    return int(left > right) - int(left < right)
