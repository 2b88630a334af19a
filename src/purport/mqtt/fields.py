"""Reads the parts of one packet, one after the other, and never past its end."""

from __future__ import annotations

from typing import Any

from purport.mqtt.errors import ProtocolError
from purport.mqtt.packets import NOTHING, Properties
from purport.mqtt.property_table import IGNORED, PROPERTIES, Kind

_MOST_DIGITS = 4


class Fields:
    """What is left of a packet."""

    def __init__(self, buffer: bytes, begin: int, end: int, what: str) -> None:
        self._buffer, self._at, self._end, self.what = buffer, begin, end, what

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        return self._at == self._end

    def number(self, size: int) -> int:
        """A number of so many bytes."""
        return int.from_bytes(self.taken(size))

    def packet_id(self) -> int:
        """The id of a packet that is acknowledged, which is not 0."""
        found = self.number(2)
        if not found:
            raise ProtocolError(f"{self.what}: expected a packet id from 1, got 0")
        return found

    def short(self) -> int:
        """A number of one to four bytes, seven bits in each, the lowest first."""
        found = 0
        for place in range(_MOST_DIGITS):
            digit = self.number(1)
            found |= (digit & 0x7F) << 7 * place
            if digit < 0x80:
                return found
        raise ProtocolError(f"{self.what}: expected a length of at most four bytes")

    def binary(self) -> bytes:
        """Bytes after their length."""
        return self.taken(self.number(2))

    def text(self) -> str:
        """A text after its length in bytes."""
        return text_of(self.binary(), self.what)

    def rest(self) -> bytes:
        """All that is left."""
        return self.taken(self._end - self._at)

    def taken(self, size: int) -> bytes:
        """So many bytes."""
        end = self._at + size
        if end > self._end:
            raise ProtocolError(
                f"{self.what}: expected {size} bytes more, {self._end - self._at} are left"
            )
        found = self._buffer[self._at : end]
        self._at = end
        return found

    def properties(self) -> Properties:
        """The properties that come here, those that we keep."""
        size = self.short()
        if not size:
            return NOTHING
        inside = Fields(self._buffer, self._at, self._at + size, self.what)
        self.taken(size)
        return inside._properties()

    def require_end(self) -> None:
        """Raise `ProtocolError` if anything is left."""
        if not self.is_over:
            raise ProtocolError(f"{self.what}: {self._end - self._at} bytes too many")

    def _properties(self) -> Properties:
        found: dict[str, Any] = {}
        pairs: list[tuple[str, str]] = []
        while not self.is_over:
            number = self.short()
            if number not in PROPERTIES:
                raise ProtocolError(f"{self.what}: there is no property {number}")
            kind, field = PROPERTIES[number]
            value = self._value(kind)
            if kind is Kind.PAIR:
                pairs.append(value)
            elif field != IGNORED:
                if field in found:
                    raise ProtocolError(f"{self.what}: property {number} comes twice")
                found[field] = value
        return Properties(**found, user_properties=tuple(pairs))

    def _value(self, kind: Kind) -> Any:
        match kind:
            case Kind.BYTE:
                return self.number(1)
            case Kind.TWO_BYTES:
                return self.number(2)
            case Kind.FOUR_BYTES:
                return self.number(4)
            case Kind.SHORT:
                return self.short()
            case Kind.BINARY:
                return self.binary()
            case Kind.TEXT:
                return self.text()
            case Kind.PAIR:
                return self.text(), self.text()


def text_of(written: bytes, what: str) -> str:
    """UTF-8 without NUL."""
    try:
        found = written.decode()
    except UnicodeDecodeError as error:
        raise ProtocolError(f"{what}: expected UTF-8: {error.reason}") from None
    if "\0" in found:
        raise ProtocolError(f"{what}: expected a text without NUL")
    return found
