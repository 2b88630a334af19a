"""Statements as rows of a table: what comes again stands there, what does not stays with its event.

A word stands in the table. A reading, a time or an identifier, which may never come again, leaves
its attribute there, with its type and its *scale*: the number and the text of it stay with the
event. What was put apart is put together again, as it was.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from purport.errors import EventError
from purport.matching.scales import OPAQUE, NoScale, OnScale, Scale, on_scale
from purport.model.event import Statement
from purport.model.term import Attribute, Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity, Unit, find_unit
from purport.model.words import is_wordless, spelt_value

# What else than a number with its unit a scale may be:
IN_TABLE = ""  # the value stands in the table
LOOKED_AT = "exact"  # no double holds it: its text has to be looked at
_OPAQUE, _TIME, _NUMBER = "opaque", "time", "number"

_TEXT, _RESOURCE, _BOOLEAN, _INTEGER, _DOUBLE = "text", "resource", "boolean", "integer", "double"


class StatementRow(NamedTuple):
    """A row of the table ARCHIVED_STATEMENTS, but for its id."""

    attribute: str
    attribute_type: str
    type: str
    scale: str
    value: str

    @property
    def has_number(self) -> bool:
        """Whether a number stands with the event."""
        return self.scale == _TIME or self.scale.startswith(_NUMBER)

    @property
    def has_text(self) -> bool:
        """Whether a text stands with the event."""
        return self.scale != IN_TABLE and (
            self.scale == LOOKED_AT or self.type not in (_INTEGER, _DOUBLE)
        )

    @property
    def is_spelt(self) -> bool:
        """Whether what is on a scale is a text that somebody may ask for as it is."""
        return self.scale != IN_TABLE and self.type.startswith(_TEXT)

    @property
    def told_attribute(self) -> Attribute:
        """The attribute."""
        return _attribute(self.attribute, self.attribute_type)

    @property
    def told_scale(self) -> Scale:
        """The scale that the number is on."""
        if self.scale == _TIME:
            return NoScale.TIME
        if self.scale == _OPAQUE:
            return NoScale.OPAQUE
        return _unit(self.scale.removeprefix(_NUMBER).lstrip())

    def statement(self, number: float | None = None, text: str | None = None) -> Statement:
        """The statement, with the number and the text that stand with the event."""
        return Statement(self.told_attribute, self._value(number, text))

    def _value(self, number: float | None, text: str | None) -> Term:
        spelt = self.value if self.scale == IN_TABLE else text
        if spelt is not None:
            return _spelt_term(spelt, self.type)
        if number is None:
            raise ValueError(f"{self}: the number that stands with the event is missing")
        unit = _unit(self.scale.removeprefix(_NUMBER).lstrip())
        return Quantity(int(number) if self.type == _INTEGER else number, unit)


class Parted(NamedTuple):
    """A statement, put apart."""

    row: StatementRow
    number: float | None = None
    text: str | None = None


def parted(one: Statement) -> Parted:
    """What of a statement stands in the table, and what with the event."""
    value = one.value
    match value:
        case Resource(iri):
            return Parted(_row(one, _RESOURCE, IN_TABLE, iri))
        case Boolean():
            return Parted(_row(one, _BOOLEAN, IN_TABLE, str(value)))
        case Text(text):
            spelt = spelt_value(text)
            if spelt is None and not is_wordless(text):
                return Parted(_row(one, _text_type(value), IN_TABLE, text))
            told = OPAQUE if spelt is None else on_scale(spelt)
            return _on_scale(one, _text_type(value), told, text)
        case Time():
            return _on_scale(one, _TIME, on_scale(value), str(value))
        case Quantity(magnitude, unit):
            told = on_scale(value)
            kind = _INTEGER if isinstance(magnitude, int) else _DOUBLE
            if unit is not None and _unit(unit.symbol) != unit:
                raise EventError(f"{one.attribute}: the unit {unit.symbol!r} is not known here")
            return _on_scale(one, kind, told, str(value) if told is None else None)


def _on_scale(one: Statement, kind: str, told: OnScale | None, text: str | None) -> Parted:
    if told is None:
        return Parted(_row(one, kind, LOOKED_AT), None, text)
    if told.scale is NoScale.OPAQUE:
        return Parted(_row(one, kind, _OPAQUE), None, text)
    if told.scale is NoScale.TIME:
        return Parted(_row(one, kind, _TIME), told.number, text)
    unit = told.scale
    scale = f"{_NUMBER} {unit.symbol}" if isinstance(unit, Unit) else _NUMBER
    return Parted(_row(one, kind, scale), told.number, text)


def _row(one: Statement, kind: str, scale: str, value: str = "") -> StatementRow:
    attribute = one.attribute
    if isinstance(attribute, Resource):
        return StatementRow(attribute.iri, _RESOURCE, kind, scale, value)
    return StatementRow(attribute.text, _text_type(attribute), kind, scale, value)


def _text_type(text: Text) -> str:
    return _TEXT if text.language is None else f"{_TEXT}@{text.language}"


@lru_cache(maxsize=65_536)
def _attribute(spelt: str, kind: str) -> Attribute:
    return Resource(spelt) if kind == _RESOURCE else _text(spelt, kind)


def _text(spelt: str, kind: str) -> Text:
    return Text(spelt) if kind == _TEXT else Text(spelt, kind.removeprefix(f"{_TEXT}@"))


def _spelt_term(spelt: str, kind: str) -> Term:
    match kind:
        case "resource":
            return Resource(spelt)
        case "boolean":
            return Boolean(spelt == "true")
        case "time":
            return Time(datetime.fromisoformat(spelt))
        case "integer" | "double":
            magnitude, _, unit = spelt.partition(" ")
            return Quantity(int(magnitude) if kind == _INTEGER else float(magnitude), _unit(unit))
    return _text(spelt, kind)


@lru_cache(maxsize=4096)
def _unit(symbol: str) -> Unit | None:
    """The unit of a symbol; None for no symbol."""
    if not symbol:
        return None
    unit = find_unit(symbol)
    if unit is None:
        raise EventError(f"the unit {symbol!r} is not known here")
    return unit
