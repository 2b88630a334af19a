"""How numbers, texts and values are written as bytes, and read from bytes that anybody sent."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import IntEnum

from purport.model.term import Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity, Unit, find_unit
from purport.ontology.errors import OntologyError

DEEPEST = 64  # so many things within each other
_INLINE = 15  # smaller numbers fit into the byte that says what follows
_MOST_VARINT_BYTES = 160  # more than the largest number that a quantity can have
_LONE, _LONGEST = 0xC0, 0xFF  # codes below are one byte; a code of more bytes tells its length
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STEPS = tuple(timedelta(seconds=1) / 10**power for power in (0, 3, 6))


class MessageError(OntologyError):
    """Bytes that are no message, or something that no message can tell."""


class Tag(IntEnum):
    """What kind of value follows."""

    NATURAL = 0
    NEGATIVE = 1
    DECIMAL = 2
    DOUBLE = 3
    TEXT = 4
    TEXT_IN_LANGUAGE = 5
    BOOLEAN = 6
    TIME = 7
    RESOURCE = 8
    WITH_UNIT = 9
    INDIVIDUAL = 10
    NAMED = 11


class Writer:
    """Bytes that grow."""

    def __init__(self) -> None:
        self.bytes = bytearray()

    def byte(self, number: int) -> None:
        self.bytes.append(number)

    def varint(self, number: int) -> None:
        """Seven bits to a byte, the lowest first."""
        while number > 0x7F:
            self.bytes.append(number & 0x7F | 0x80)
            number >>= 7
        self.bytes.append(number)

    def head(self, kind: int, number: int) -> None:
        """What follows, and a number that fits in the same byte if it is small."""
        self.byte(kind | min(number, _INLINE) << 4)
        if number >= _INLINE:
            self.varint(number - _INLINE)

    def code(self, number: int) -> None:
        """A code, which may be large."""
        if number < _LONE:
            self.byte(number)
            return
        length = (number.bit_length() + 7) // 8
        self.byte(min(_LONE + length, _LONGEST))
        if _LONE + length >= _LONGEST:
            self.varint(length)
        self.bytes += number.to_bytes(length, "little")

    def text(self, text: str) -> None:
        encoded = text.encode()
        self.varint(len(encoded))
        self.bytes += encoded

    def term(self, term: Term) -> None:
        """A value."""
        match term:
            case Text(text, None):
                encoded = text.encode()
                self.head(Tag.TEXT, len(encoded))
                self.bytes += encoded
            case Text(text, str() as language):
                self.head(Tag.TEXT_IN_LANGUAGE, 0)
                self.text(text)
                self.text(language)
            case Resource(iri):
                self.head(Tag.RESOURCE, 0)
                self.text(iri)
            case Boolean(value):
                self.head(Tag.BOOLEAN, int(value))
            case Time(instant):
                self._time(instant)
            case Quantity(magnitude, None):
                self._number(magnitude)
            case Quantity(magnitude, Unit() as unit):
                self.head(Tag.WITH_UNIT, 0)
                self.text(unit.symbol)
                self._number(magnitude)

    def _number(self, number: float) -> None:
        if isinstance(number, int):
            self.head(Tag.NEGATIVE if number < 0 else Tag.NATURAL, abs(number))
            return
        sign, digits, exponent = Decimal(repr(number)).as_tuple()
        mantissa = int("".join(map(str, digits)))
        if isinstance(exponent, int) and -14 <= exponent <= 0 and mantissa < 2**48 and not sign:
            self.head(Tag.DECIMAL, -exponent)
            self.varint(mantissa)
        else:
            self.head(Tag.DOUBLE, 0)
            self.bytes += struct.pack("<d", number)

    def _time(self, instant: datetime) -> None:
        try:
            passed = instant.astimezone(UTC) - _EPOCH
        except OverflowError:
            raise MessageError(f"{instant}: UTC has no year of it") from None
        power = next(power for power, step in enumerate(_STEPS) if not passed % step)
        count = passed // _STEPS[power]
        self.head(Tag.TIME, 2 * power + (count < 0))
        self.varint(abs(count))


class Reader:
    """Bytes that are read from the front; nothing is made that is larger than they are."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        return self.take(1)[0]

    def take(self, count: int) -> bytes:
        """So many bytes."""
        if count > self.left:
            raise MessageError(f"byte {self._at}: {count} bytes expected, {self.left} left")
        self._at += count
        return self._data[self._at - count : self._at]

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def count(self, number: int) -> int:
        """A number of things that are to follow, of at least a byte each."""
        if number > self.left:
            raise MessageError(f"byte {self._at}: {number} items expected, {self.left} bytes left")
        return number

    def varint(self) -> int:
        number = 0
        for place in range(_MOST_VARINT_BYTES):
            byte = self.byte()
            number |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return number
        raise MessageError(f"byte {self._at}: a number of more than {_MOST_VARINT_BYTES} bytes")

    def head(self) -> tuple[int, int]:
        byte = self.byte()
        number = byte >> 4
        return byte & 0xF, number + self.varint() if number == _INLINE else number

    def code(self) -> int:
        first = self.byte()
        if first < _LONE:
            return first
        length = self.varint() if first == _LONGEST else first - _LONE
        return int.from_bytes(self.take(length), "little")

    def text(self, length: int | None = None) -> str:
        encoded = self.take(self.varint() if length is None else length)
        try:
            return encoded.decode()
        except UnicodeDecodeError:
            raise MessageError(f"byte {self._at}: a text that is not UTF-8") from None

    def term(self, tag: int, number: int) -> Term:
        """A value, whose head was read."""
        try:
            return self._term(tag, number)
        except (ValueError, OverflowError) as error:
            raise MessageError(f"byte {self._at}: {error}") from None

    def end(self) -> None:
        """Nothing may be left."""
        if self.left:
            raise MessageError(f"byte {self._at}: the message is over, but {self.left} bytes left")

    def _term(self, tag: int, number: int) -> Term:
        match tag:
            case Tag.TEXT:
                return Text(self.text(number))
            case Tag.TEXT_IN_LANGUAGE:
                return Text(self.text(), self.text())
            case Tag.BOOLEAN:
                return Boolean(bool(number))
            case Tag.RESOURCE:
                return Resource(self.text())
            case Tag.TIME if number < 2 * len(_STEPS):
                count = -self.varint() if number % 2 else self.varint()
                return Time(_EPOCH + _STEPS[number // 2] * count)
            case Tag.WITH_UNIT:
                symbol = self.text()
                unit = find_unit(symbol)
                if unit is None:
                    raise MessageError(f"byte {self._at}: no unit {symbol!r}")
                return Quantity(self._number(*self.head()), unit)
            case _:
                return Quantity(self._number(tag, number))

    def _number(self, tag: int, number: int) -> int | float:
        match tag:
            case Tag.NATURAL:
                return number
            case Tag.NEGATIVE:
                return -number
            case Tag.DECIMAL:
                return float(f"{self.varint()}e-{number}")
            case Tag.DOUBLE:
                found: float = struct.unpack("<d", self.take(8))[0]
                return found
        raise MessageError(f"byte {self._at}: expected a value, not kind {tag}")
