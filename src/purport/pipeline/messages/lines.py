"""Messages to lines of JSON, column by column, so that the kernel for lines can read them.

What topics, keys and headers say is put at the beginning of an object as text; a member that the
payload has itself comes after it, and counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from purport.client.payloads import PayloadKind, payloads
from purport.errors import EventError
from purport.pipeline.messages.options import Meaning, Retained

_NEWLINE = ord("\n")
_NUMBER = r"^\s*-?[0-9][0-9.eE+\-]*\s*$"  # and the parser says what is wrong with others
_CBOR = "application/cbor"

Flags = NDArray[np.bool_]


@dataclass(slots=True)
class MessageLines:
    """A line for each message, empty where it says nothing; `refused` gives reasons, by rows."""

    lines: pa.Array
    refused: dict[int, str] = field(default_factory=dict)


def message_lines(messages: pa.RecordBatch, meaning: Meaning) -> MessageLines:
    """Rows of the table MESSAGES as lines, of the columns that there are."""
    values = messages.column("value").cast(pa.binary())
    said = _said_beside(messages, meaning)
    found = MessageLines(values, dict(said.refused))
    is_silent = ~_flags(values.is_valid()) | said.is_left_out
    is_silent[list(found.refused)] = True
    is_object, is_number = _kinds(values, meaning, said.members is not None)
    is_cbor = _is_cbor(messages, meaning)
    is_object &= ~(is_silent | is_cbor)
    is_number &= ~(is_silent | is_cbor)
    lines = values
    if said.members is not None:
        rest = pc.binary_replace_slice(values, 0, 1, b"")
        lines = pc.binary_join_element_wise(b"{", said.members, rest, b"")
    if is_number.any():
        members = said.members if said.members is not None else b""
        name = msgspec.json.encode(meaning.value) + b":"
        numbers = pc.binary_join_element_wise(b"{", members, name, values, b"}", b"")
        lines = pc.if_else(pa.array(is_number), numbers, lines)
    others = np.flatnonzero(~(is_object | is_number))
    if len(others):
        other = _Other(values, said.members, is_cbor, meaning)
        lines = _with_others(lines, others, is_silent, found, other)
    found.lines = lines
    return found


def joined(lines: pa.Array) -> bytes:
    """Lines as one text."""
    offsets = pa.array([0, len(lines)], pa.int32())
    text = pc.binary_join(pa.ListArray.from_arrays(offsets, lines), b"\n")
    return bytes(text[0].as_buffer())


@dataclass(slots=True)
class _Beside:
    """What topics, keys and headers say: members of JSON, each with a comma behind it."""

    is_left_out: Flags
    members: pa.Array | None = None
    refused: dict[int, str] = field(default_factory=dict)

    def add(self, members: pa.Array) -> None:
        known = self.members
        self.members = (
            members if known is None else pc.binary_join_element_wise(known, members, b"")
        )


@dataclass(slots=True)
class _Other:
    """Messages that are read one by one."""

    values: pa.Array
    members: pa.Array | None
    is_cbor: Flags
    meaning: Meaning

    def line(self, row: int) -> bytes:
        """The line of one; an `EventError` if it has none."""
        meaning = self.meaning
        read = payloads(PayloadKind.CBOR, value=meaning.value) if self.is_cbor[row] else None
        said = (read or meaning.payloads).said(self.values[row].as_py())
        if said is None:
            return b""
        text = msgspec.json.encode(said)
        if self.members is None:
            return text
        members: bytes = self.members[row].as_py()
        return b"{%b%b" % ((members, text[1:]) if said else (members[:-1], b"}"))


def _with_others(
    lines: pa.Array, rows: NDArray[np.int64], is_silent: Flags, found: MessageLines, other: _Other
) -> pa.Array:
    """The lines, with those of rows that are read one by one."""
    replaced: list[bytes] = []
    for row in rows.tolist():
        line = b""
        if not is_silent[row]:
            try:
                line = other.line(row)
            except EventError as error:
                found.refused[row] = str(error)
        replaced.append(line)
    mask = np.zeros(len(lines), np.bool_)
    mask[rows] = True
    return pc.replace_with_mask(lines, pa.array(mask), pa.array(replaced, pa.binary()))


def _kinds(values: pa.Array, meaning: Meaning, has_members: bool) -> tuple[Flags, Flags]:
    """Which values are objects and which are numbers that stand in a line as they are."""
    nothing = np.zeros(len(values), np.bool_)
    if not meaning.is_json:
        return nothing, nothing.copy()
    is_object = _flags(pc.starts_with(values, b'{"' if has_members else b"{"))
    if (np.frombuffer(_data(values), np.uint8) == _NEWLINE).any():
        is_broken = _flags(pc.match_substring(values, b"\n"))
    else:
        is_broken = nothing
    if is_object.all():
        return is_object & ~is_broken, nothing
    is_number = _flags(pc.match_substring_regex(values, _NUMBER))
    return is_object & ~is_broken, is_number & ~is_broken


def _is_cbor(messages: pa.RecordBatch, meaning: Meaning) -> Flags:
    """Which messages say of themselves that they are CBOR."""
    if not meaning.is_json or "content_type" not in messages.schema.names:
        return np.zeros(len(messages), np.bool_)
    return _flags(pc.equal(messages.column("content_type"), _CBOR))


def _said_beside(messages: pa.RecordBatch, meaning: Meaning) -> _Beside:
    said = _Beside(np.zeros(len(messages), np.bool_))
    if meaning.topic is not None:
        _add_topics(messages, meaning, said)
    if meaning.key is not None:
        name = msgspec.json.encode(meaning.key)
        keys = messages.column("key").cast(pa.binary())
        said.add(_by_value(keys, lambda key: b"%b:%b," % (name, _text(key))))
    if meaning.headers:
        cells = messages.column("headers").to_pylist()
        members = [_header_members(cell or (), meaning.headers) for cell in cells]
        said.add(pa.array(members, pa.binary()))
    if meaning.retained is not Retained.TAKE:
        is_retained = _flags(messages.column("is_retained"))
        if meaning.retained is Retained.SKIP:
            said.is_left_out |= is_retained
        else:
            said.add(pc.if_else(pa.array(is_retained), b'"retained":true,', b""))
    return said


def _add_topics(messages: pa.RecordBatch, meaning: Meaning, said: _Beside) -> None:
    """What levels say; a message whose topic is of another form is refused."""
    mapping = meaning.topic
    assert mapping is not None
    topics = messages.column("topic").dictionary_encode()
    found = [mapping.values(topic) for topic in topics.dictionary.to_pylist()]
    members = [b"" if one is None else _members(one) for one in found]
    said.add(pa.array(members, pa.binary()).take(topics.indices))
    for code, one in enumerate(found):
        if one is None:
            reason = f"the topic {topics.dictionary[code].as_py()!r} is not of the form {mapping}"
            for row in np.flatnonzero(_flags(pc.equal(topics.indices, code))).tolist():
                said.refused[row] = reason


def _by_value(values: pa.Array, of: Callable[[bytes], bytes]) -> pa.Array:
    """What is made of each value, once for those that are alike; of none nothing."""
    coded = values.dictionary_encode()
    made = pa.array([of(one) for one in coded.dictionary.to_pylist()], pa.binary())
    return made.take(coded.indices).fill_null(b"")


def _members(said: dict[str, str]) -> bytes:
    text = msgspec.json.encode(said)
    return text[1:-1] + b"," if said else b""


def _header_members(headers: Iterable[dict[str, Any]], names: tuple[str, ...]) -> bytes:
    """The headers of one message that are asked for; of several of a name, the last."""
    found = {one["key"]: one["value"] for one in headers if one["key"] in names}
    return b"".join(
        b"%b:%b," % (msgspec.json.encode(name), _text(found[name]))
        for name in names
        if found.get(name) is not None
    )


def _text(value: bytes) -> bytes:
    return msgspec.json.encode(value.decode("utf-8", "backslashreplace"))


def _flags(values: pa.Array) -> Flags:
    found: Flags = values.fill_null(False).to_numpy(zero_copy_only=False).astype(np.bool_)
    return found


def _data(values: pa.Array) -> bytes | memoryview:
    """The bytes of all values."""
    data = values.buffers()[2]
    if data is None:
        return b""
    offsets = np.frombuffer(values.buffers()[1], np.int32)[values.offset :]
    return memoryview(data)[offsets[0] : offsets[len(values)]]
