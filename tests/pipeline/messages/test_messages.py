"""Messages become the events that they say."""

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path

import cbor2
import fastavro
import msgspec
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import Matcher, parse
from purport.client.payloads import PayloadKind
from purport.errors import InvalidInput, UnusablePath
from purport.model.event_lines import DeadLetter
from purport.model.interval import time_of
from purport.pipeline.messages.options import Meaning, MessageOptions, Retained
from purport.pipeline.messages.reader import MessageReader
from purport.pipeline.tables import MESSAGES, arrow_schema
from purport.pipeline.told import UNKNOWN, NamedEvents, Tells
from tests.oracles.read_messages import PlainMessage, ReadMessages, read_messages

_SCHEMA = arrow_schema(MESSAGES)
_AT = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
_EXACT = "exact"


def rows(messages: Sequence[PlainMessage], content_type: str | None = None) -> pa.RecordBatch:
    """Messages as Spark hands them over, a second between two offsets."""
    return pa.RecordBatch.from_pylist(
        [
            {
                "topic": one.topic,
                "partition": one.partition,
                "offset": one.offset,
                "timestamp": _AT + datetime.timedelta(seconds=one.offset),
                "value": one.value,
                "key": one.key,
                "headers": [{"key": key, "value": value} for key, value in one.headers],
                "content_type": content_type,
                "is_retained": one.is_retained,
            }
            for one in messages
        ],
        schema=_SCHEMA,
    )


def told(messages: Sequence[PlainMessage], meaning: Meaning, cut: int = 1000) -> Iterator[Tells]:
    """What is read of messages, so many at a time."""
    batch = rows(messages)
    cuts = [batch.slice(begin, cut) for begin in range(0, len(batch), cut)]
    return MessageReader(meaning).read(cuts)


def matched(found: Iterator[Tells]) -> ReadMessages:
    """What is matched, and what is set aside, by their places."""
    matcher = Matcher([parse("{zone = a, value > 1}"), parse("{a = 1}")], measure=_EXACT)
    read = ReadMessages()
    for one in found:
        outcome = one.match(matcher)
        _refuse(read, outcome.dead_letters)
        for events, _ in outcome.found:
            _take(read, events)
    return read


def apart(found: Iterator[Tells]) -> ReadMessages:
    """The same of the parts, which the single process reads."""
    read = ReadMessages()
    for part in (part for one in found for part in one.parts()):
        checked = part.checked()
        _refuse(read, checked.dead_letters)
        _take(read, checked)
    return read


def _take(read: ReadMessages, events: NamedEvents) -> None:
    numbers = np.arange(len(events.ids), dtype=np.int32)
    places = events.places(numbers)
    times = events.times()
    published = times.published.tolist()
    for number, name, source, offset in zip(
        numbers.tolist(),
        places.ids.to_pylist(),
        places.sources.to_pylist(),
        places.offsets.to_pylist(),
        strict=True,
    ):
        assert (source, offset) not in read.events
        start = times.starts[number]
        begun = None if start == UNKNOWN else time_of(int(start))
        read.events[source, offset] = name, events.event(number).statements, begun
        assert published[number] == int(1e6 * (_AT.timestamp() + offset))


def _refuse(read: ReadMessages, letters: Sequence[DeadLetter]) -> None:
    for letter in letters:
        assert letter.reason
        read.refused.append((letter.source, letter.line))


_OBJECTS = [
    b'{"a": 1}', b'{"a":1,"zone":"x"}', b'{"@id":"e1","a":2}', b'{"@id":"e2"}', b"{}", b"{ }",
    b' {"a": 1}', b'{\n "a": 1\n}', b'{"a": {"b": [1, "\\u00e9"]}}',
    b'{"@start": "2020-01-01T00:00:00Z", "@end": "2020-01-01T00:00:00Z", "a": 1}',
]  # fmt: skip
_VALUES = [b"21.5", b"-3", b" 7 ", b"1e5", b"\n21\n", b'"on"', b"true", b"null", b"", b" ", None]
_WRONG = [
    b"1e", b"-", b"1.2.3", b"007", b"on", b"[1]", b"{", b'{"', b"\xff", b'{"a":"\xff"}', b"1\n2",
    b'{"a":1}{"a":2}', b'{"a":1}\n{"a":2}', b'{"a": "x\ny"}',
]  # fmt: skip
payloads = st.sampled_from([*_OBJECTS, *_VALUES, *_WRONG])
keys = st.sampled_from([None, b"", b"k", b'a"b', b"\xff", "é".encode()])
header_names = st.sampled_from(["h1", "h2", "other"])


@st.composite
def messages(draw: st.DrawFn) -> list[PlainMessage]:
    found = []
    offsets = {place: draw(st.integers(0, 5)) for place in [("z/a", 0), ("z/a", 1), ("z/b", 0)]}
    offsets["z", 0] = 0
    for _ in range(draw(st.integers(1, 12))):
        place = draw(st.sampled_from(sorted(offsets)))
        found.append(
            PlainMessage(
                *place,
                offsets[place],
                draw(payloads),
                draw(keys),
                tuple(draw(st.lists(st.tuples(header_names, st.binary(max_size=2)), max_size=3))),
                draw(st.booleans()),
            )
        )
        offsets[place] += draw(st.sampled_from([1, 1, 1, 2, 5, 2000]))
    return found


meanings = st.builds(
    MessageOptions,
    value=st.sampled_from(["value", "heat"]),
    topic=st.sampled_from([None, "z/{zone}", "{here...}", "+/#"]),
    key=st.sampled_from([None, "device"]),
    headers=st.sampled_from(["", "h1", "h2,h1"]),
    retained=st.sampled_from(Retained),
).map(MessageOptions.meaning)


@given(messages(), meanings, st.sampled_from([1, 3, 1000]))
def test_messages_are_read_as_one_by_one(
    given_messages: list[PlainMessage], meaning: Meaning, cut: int
) -> None:
    expected = read_messages(given_messages, meaning)

    for read in (
        matched(told(given_messages, meaning, cut)),
        apart(told(given_messages, meaning, cut)),
    ):
        assert read.events == expected.events
        assert sorted(read.refused) == sorted(expected.refused)


def test_a_message_is_called_by_its_place_unless_it_has_an_id() -> None:
    given_messages = [
        PlainMessage("city", 2, 0, b'{"a": 1}'),
        PlainMessage("city", 2, 1, b'{"@id": "mine"}'),
    ]

    read = matched(told(given_messages, MessageOptions().meaning()))

    assert [name for name, *_ in read.events.values()] == ["city/2:0", "mine"]


def test_the_first_message_counts_where_an_id_comes_twice() -> None:
    given_messages = [PlainMessage("t", 0, offset, b'{"@id": "e"}') for offset in range(2)]

    letters = [
        letter
        for one in told(given_messages, MessageOptions().meaning())
        for letter in one.match(Matcher([], measure=_EXACT)).dead_letters
    ]

    assert [(one.line, one.reason) for one in letters] == [
        (1, "duplicate '@id' 'e', first seen in offset 0")
    ]


def test_a_source_that_is_named_has_all_topics_in_it() -> None:
    batch = rows([PlainMessage(f"t/{number}", 0, number, b"1") for number in range(3)])
    batch = batch.set_column(1, "partition", pa.nulls(3, pa.int32()))

    found = list(MessageReader(MessageOptions().meaning(), "spool").read([batch]))

    assert len(found) == 1
    assert [part.ids for part in found[0].parts()] == [["spool:0", "spool:1", "spool:2"]]


@given(
    st.dictionaries(st.sampled_from("abc"), st.integers(-5, 5) | st.text(max_size=3), min_size=1)
)
def test_cbor_says_what_json_says(said: dict[str, object]) -> None:
    meaning = MessageOptions(payload=PayloadKind.CBOR).meaning()
    as_cbor = matched(told([PlainMessage("t", 0, 0, cbor2.dumps(said))], meaning))
    as_json = [PlainMessage("t", 0, 0, msgspec.json.encode(said))]

    assert as_cbor == matched(told(as_json, MessageOptions().meaning()))


def test_a_message_may_say_itself_that_it_is_cbor() -> None:
    batch = rows([PlainMessage("t", 0, 0, cbor2.dumps(21.5))], "application/cbor")

    read = apart(MessageReader(MessageOptions().meaning()).read([batch]))

    assert [str(one) for one in read.events["t/0", 0][1]] == ["value: 21.5"]


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"\xa1", "not valid CBOR"),
        (b"\x01\x02", "1 bytes too many"),
        (b"\xa1\x01\x02", "an attribute is a text"),
        (b"\xd8\x1c\x81\xd8\x1d\x00", "nested deeper"),
        (b"\x81\x01", "expected an object"),
    ],
)
def test_what_is_no_cbor_is_refused(payload: bytes, reason: str) -> None:
    assert reason in _only_letter(payload, MessageOptions(payload=PayloadKind.CBOR)).reason


def test_cbor_that_refers_to_itself_over_and_over_is_refused_soon() -> None:
    inner: list[object] = []
    for _ in range(30):
        inner = [inner, inner]
    payload = cbor2.dumps(inner, value_sharing=True)

    letter = _only_letter(payload, MessageOptions(payload=PayloadKind.CBOR))

    assert "at most" in letter.reason


def test_avro_is_read_by_its_schema(tmp_path: Path) -> None:
    schema, record = _avro(tmp_path)

    for kind, start in ((PayloadKind.AVRO, b""), (PayloadKind.CONFLUENT_AVRO, b"\0\0\0\0\7")):
        meaning = MessageOptions(payload=kind, schema=schema).meaning()
        read = apart(told([PlainMessage("t", 0, 0, start + record)], meaning))
        said = [str(one) for one in read.events["t/0", 0][1]]
        assert said == ["device: d1", "heat: 21.5", "at: 2026-01-01T00:00:00+00:00"]


def test_what_is_no_avro_of_the_schema_is_refused(tmp_path: Path) -> None:
    schema, record = _avro(tmp_path)
    plain = MessageOptions(payload=PayloadKind.AVRO, schema=schema)
    registered = MessageOptions(payload=PayloadKind.CONFLUENT_AVRO, schema=schema)

    assert "not Avro of the schema" in _only_letter(b"\xff\xff", plain).reason
    assert "bytes too many" in _only_letter(record + b"x", plain).reason
    assert "registry" in _only_letter(record, registered).reason


def test_options_that_cannot_be_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.avsc"
    broken.write_text("{")

    with pytest.raises(InvalidInput, match="needs a file with its schema"):
        MessageOptions(payload=PayloadKind.AVRO).meaning()
    with pytest.raises(InvalidInput, match="has no schema"):
        MessageOptions(schema=broken).meaning()
    with pytest.raises(UnusablePath, match="not a schema of Avro"):
        MessageOptions(payload=PayloadKind.AVRO, schema=broken).meaning()
    with pytest.raises(InvalidInput, match="a name for an attribute"):
        MessageOptions(key="@id").meaning()


def _avro(folder: Path) -> tuple[Path, bytes]:
    fields = [
        {"name": "device", "type": "string"},
        {"name": "heat", "type": ["null", "double"]},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    ]
    schema = {"type": "record", "name": "Reading", "fields": fields}
    path = folder / "reading.avsc"
    path.write_bytes(msgspec.json.encode(schema))
    with (folder / "record").open("w+b") as file:
        fastavro.schemaless_writer(file, schema, {"device": "d1", "heat": 21.5, "at": _AT})
    return path, (folder / "record").read_bytes()


def _only_letter(payload: bytes, options: MessageOptions) -> DeadLetter:
    found = told([PlainMessage("t", 0, 3, payload)], options.meaning())
    letters = [
        letter for one in found for letter in one.match(Matcher([], measure=_EXACT)).dead_letters
    ]
    assert len(letters) == 1
    assert (letters[0].source, letters[0].line) == ("t/0", 3)
    return letters[0]
