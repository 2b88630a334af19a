"""Messages as bytes: what is kept at once is a frame, which is there whole or not at all.

A frame is a head (length of the rest, checksum, position of the first message, how many there are,
length of the change), the change of the session as msgpack, if any, and the messages as msgpack.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from purport.mqtt.message import Message

_HEAD = struct.Struct("<IIQII")
_CHECKED = 8  # the checksum is of what comes after it
HEAD_BYTES = _HEAD.size


class Change(msgspec.Struct, frozen=True, array_like=True):
    """What a frame changes about the packet ids that are open in a session."""

    session: str = ""
    opened: tuple[int, ...] = ()
    released: tuple[int, ...] = ()
    is_whole: bool = False  # the ids that were open before are not, any more

    def applied_to(self, open_ids: frozenset[int]) -> frozenset[int]:
        """The ids that are open afterwards."""
        before = frozenset() if self.is_whole else open_ids
        return (before - set(self.released)) | set(self.opened)


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame whose checksum is right, its messages still as bytes."""

    first: int
    count: int
    change: bytes
    messages: bytes
    begin: int  # in the buffer
    end: int

    def read_change(self) -> Change | None:
        """What it changes, if anything."""
        return _CHANGE.decode(self.change) if self.change else None

    def read_messages(self) -> list[Message]:
        """Its messages."""
        return _MESSAGES.decode(self.messages) if self.count else []


_CHANGE = msgspec.msgpack.Decoder(Change)
_MESSAGES = msgspec.msgpack.Decoder(list[Message])
_ENCODER = msgspec.msgpack.Encoder()


def write_frame(first: int, messages: Sequence[Message], change: Change | None = None) -> bytes:
    """A frame of messages, of which the first has this position."""
    changed = _ENCODER.encode(change) if change is not None else b""
    said = _ENCODER.encode(messages) if messages else b""
    length = len(changed) + len(said)
    head = _HEAD.pack(length, 0, first, len(messages), len(changed))
    checksum = zlib.crc32(said, zlib.crc32(changed, zlib.crc32(head[_CHECKED:])))
    head = _HEAD.pack(length, checksum, first, len(messages), len(changed))
    return b"".join((head, changed, said))


def read_frames(buffer: bytes, begin: int = 0) -> Iterator[Frame]:
    """The frames of a buffer, up to the first that is not whole or not right."""
    while begin + HEAD_BYTES <= len(buffer):
        length, checksum, first, count, changed = _HEAD.unpack_from(buffer, begin)
        body, end = begin + HEAD_BYTES, begin + HEAD_BYTES + length
        if end > len(buffer) or changed > length:
            return
        if zlib.crc32(memoryview(buffer)[begin + _CHECKED : end]) != checksum:
            return
        yield Frame(
            first, count, buffer[body : body + changed], buffer[body + changed : end], begin, end
        )
        begin = end


def wanted_bytes(buffer: bytes, begin: int) -> int:
    """How long the frame at this place says it is; 0 if not even that can be read."""
    if begin + HEAD_BYTES > len(buffer):
        return 0
    length: int = _HEAD.unpack_from(buffer, begin)[0]
    return HEAD_BYTES + length
