"""What two brokers say to each other over a link: one object of JSON in each message.

The first message of either is a `Hello`. What is too long for one message of a WebSocket goes in
pieces, so that no limit on messages keeps a large event from being told.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from purport.broker.links import Arrival
from purport.broker.records import Origin
from purport.covering.interest import Interest
from purport.covering.topology import LinkState
from purport.embedded.neighbours import Departure
from purport.errors import EventError, InvalidInput
from purport.model.event import Event

VERSION = 1
LONGEST = 64 * 1024 * 1024  # bytes, of a message in pieces
_AROUND_A_PIECE = 128  # bytes
_UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)  # of what is nested too deep


class Hello(Struct, frozen=True):
    """Who speaks, to whom, and what it knows already."""

    overlay: int  # the version that is spoken
    name: str
    to: str
    epoch: str  # which no other broker has, nor this one after its next start
    holds: str  # a digest of what it knows that the other one wants
    message_bytes: int  # that it takes in one message
    longest: int  # and in pieces


class Refusal(Struct, frozen=True):
    """Why there is no link."""

    code: str
    reason: str


class Interests(Struct, frozen=True, omit_defaults=True):
    """What the speaker wants to hear of, or how that has changed; all of it holds at once."""

    digest: str  # of all that is wanted then
    wanted: tuple[Interest, ...] = ()
    unwanted: tuple[str, ...] = ()
    whole: bool = False  # nothing else is wanted


class ToldEvent(Struct, frozen=True, omit_defaults=True):
    """An event, under a number that the link has for it."""

    number: int
    origin: Origin
    event: Raw
    topic: str = ""
    publisher: str | None = None
    causes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    probability: float = 1.0
    again: Origin | None = None  # by what it is known that it was rerouted, if it was

    @classmethod
    def of(cls, departure: Departure) -> ToldEvent:
        """What is to be told."""
        told = departure.arrival
        return cls(
            departure.number, told.origin, Raw(told.event.to_json()), told.topic, told.publisher,
            told.causes, told.rules, told.probability, told.again,
        )  # fmt: skip

    def arrival(self) -> Arrival:
        """What was told; `EventError` if it is no event."""
        event = Event.from_json(bytes(self.event))
        if event.id is None:
            raise EventError("an event that a neighbour tells has an id")
        return Arrival(
            event, self.origin, self.topic, self.publisher, self.causes, self.rules,
            self.probability, self.again,
        )  # fmt: skip


class Said(Struct, frozen=True, omit_defaults=True):
    """A message after the first: one of these."""

    refused: Refusal | None = None
    interests: Interests | None = None
    interested: str | None = None  # a digest of what is known to be wanted
    events: tuple[ToldEvent, ...] = ()
    acknowledged: int | None = None  # all events through this number are in the journal
    states: tuple[LinkState, ...] = ()  # what brokers say of their links
    spare: bool | None = None  # whether the speaker could do without this link
    ping: int | None = None
    pong: int | None = None
    piece: str | None = None  # a part of a longer message, in base64
    more: bool = False  # parts of it follow
    error: str | None = None  # a door in between has taken offence at something that was said
    error_description: str = ""


class _Versioned(Struct, frozen=True):
    overlay: int
    name: str = "somebody"


class _Refusing(Struct, frozen=True):
    refused: Refusal


class NotSpoken(InvalidInput):
    """What was said is no message of the overlay's protocol, or not of this version."""

    def __init__(self, reason: str, code: str = "bad_message") -> None:
        super().__init__(reason)
        self.code = code


def read_hello(text: str | bytes, here: str) -> Hello | Refusal:
    """The first message of a neighbour; `NotSpoken` if it is none, or of another version.

    Whatever else such a one says, it says which it speaks.
    """
    try:
        return msgspec.json.decode(text, type=_Refusing).refused
    except _UNREADABLE:
        pass
    try:
        versioned = msgspec.json.decode(text, type=_Versioned)
        if versioned.overlay != VERSION:
            raise NotSpoken(
                f"{here} speaks version {VERSION} of the overlay's protocol, {versioned.name} "
                f"speaks version {versioned.overlay}",
                "version",
            )
        return msgspec.json.decode(text, type=Hello)
    except _UNREADABLE as error:
        raise NotSpoken(
            f'expected a message such as {{"overlay": {VERSION}, "name": ...}}: {error}'
        ) from None


def read_said(text: str | bytes) -> Said:
    """A later message; `NotSpoken` if it is none."""
    try:
        return msgspec.json.decode(text, type=Said)
    except _UNREADABLE as error:
        raise NotSpoken(f"expected a message of the overlay's protocol: {error}") from None


def written(message: Hello | Said) -> str:
    """A message as it is sent."""
    return msgspec.json.encode(message).decode()


def in_pieces(text: str, message_bytes: int) -> Iterator[str]:
    """A message that whoever takes so many bytes at once can take, in pieces if need be."""
    data = text.encode()
    if len(data) <= message_bytes:
        yield text
        return
    length = max((message_bytes - _AROUND_A_PIECE) // 4 * 3, 3)
    for begin in range(0, len(data), length):
        piece = base64.b64encode(data[begin : begin + length]).decode()
        yield written(Said(piece=piece, more=begin + length < len(data)))


class Pieces:
    """Puts messages together that come in pieces."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest, self._data = longest, bytearray()

    def take(self, said: Said) -> Said | None:
        """The message, if this is all of one; None if more is to come."""
        if said.piece is None:
            return said
        try:
            self._data += base64.b64decode(said.piece, validate=True)
        except (binascii.Error, ValueError):
            raise NotSpoken("a piece of a message is not base64") from None
        if len(self._data) > self._longest:
            raise NotSpoken(f"a message in pieces is longer than {self._longest:,} bytes")
        if said.more:
            return None
        data, self._data = bytes(self._data), bytearray()
        return read_said(data)
