"""What the kernel reads of a line is what the parser says."""

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from purport import Event, Matcher, parse
from purport.matching.batches import Batch, batch_of_events
from purport.matching.interned import Interned
from purport.matching.json_kernel import BLANK, PLAIN
from purport.matching.plain_lines import PlainLines
from purport.model.event_lines import LONGEST_LINE, EventLines
from purport.model.interval import microseconds_of

texts = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["laptop", "12.5", "5 °C", "true", "", " ", "0012", "-3", "1e5", "@id"]),
    st.sampled_from(["2026-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "d8a064df7fd6"]),
    st.just("d8a064df-7fd6-3116-e1ea-24c4f9341c68"),
)
values = st.recursive(
    st.one_of(texts, st.integers(), st.floats(), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(texts, inner, max_size=2)),
    max_leaves=3,
)
names = st.one_of(texts, st.sampled_from(["a", "b", "@id", "@start", "@end", "@context"]))
objects = st.dictionaries(names, values, max_size=5)
spaces = st.text(" \t\r", max_size=2)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """An object with spaces anywhere, perhaps cut short or with a letter changed."""
    pairs = [
        draw(spaces)
        + msgspec.json.encode(name).decode()
        + draw(spaces)
        + ":"
        + draw(spaces)
        + msgspec.json.encode(value).decode()
        for name, value in draw(st.lists(st.tuples(names, values), max_size=4))
    ]
    text = f"{draw(spaces)}{{{','.join(pairs)}{draw(spaces)}}}{draw(spaces)}".encode(
        "utf-8", "surrogatepass"
    )
    match draw(st.integers(0, 5)):
        case 0:
            return text[: draw(st.integers(0, len(text)))]
        case 1 if text:
            place = draw(st.integers(0, len(text) - 1))
            letter = draw(st.sampled_from(b'"\\{}[]:,-0.1e\xff\xc3\x00@x '))
            return text[:place] + bytes([letter]) + text[place + 1 :]
    return text.replace(b"\n", b"")


ASKED = ("{a = laptop}", "{a = d8a064df-7fd6-3116-e1ea-24c4f9341c68}", '{a = "0012", b > 5}')


def interned(asked: str = ASKED[0]) -> Interned:
    return Matcher([parse(asked)])._compiled.interned()


def statements(batch: Batch, met: Interned, event: int) -> list[tuple[object, ...]]:
    """The statements of an event, in words."""
    part = slice(int(batch.starts[event]), int(batch.starts[event + 1]))
    return [
        (
            met.attributes[attribute],
            met.terms[code] if code >= 0 else met.scale(code),
            number,
        )
        for attribute, code, number in zip(
            batch.attributes[part], batch.codes[part], batch.numbers[part].tolist(), strict=True
        )
    ]


def require_same(given: Sequence[bytes], asked: str = ASKED[0]) -> int:
    """That plain lines are read as the parser reads them; gives how many are plain."""
    met, expected = interned(asked), interned(asked)
    read = PlainLines.read(b"\n".join(given), met)
    batch = read.batch()
    plain = np.flatnonzero(read.kinds == PLAIN).tolist()
    assert len(read.kinds) == len(given)
    assert len(batch) == len(plain)
    for number, place in enumerate(plain):
        reader = EventLines("log")
        said = reader.read_object(given[place])
        assert said is not None
        identifier = given_id(given, read, place)
        assert said.id == (identifier or "log:1")
        event = said.event()
        told = batch_of_events([event], expected)
        assert statements(batch, met, number) == statements(told, expected, 0)
    for place in np.flatnonzero(read.kinds == BLANK).tolist():
        assert EventLines("log").read_object(given[place]) is None
    return len(plain)


def given_id(given: Sequence[bytes], read: PlainLines, place: int) -> str:
    whole = b"\n".join(given)
    return whole[read.id_starts[place] : read.id_ends[place]].decode()


@given(st.lists(lines(), min_size=1, max_size=6))
@example([b'{"a": null, "b": 2, "a": 1}'])
@example([b'{"a": 1, "\xff": null}'])
@example([b'{"@id": "x", "@start": "2026-01-01T00:00:01Z", "@end": "2026-01-01T00:00:00Z"}'])
@example([b'{"@id": "", "a": 1}', b'{"@id": "x", "@id": "y"}'])
@example([b'{"a": 01}', b'{"a": -}', b'{"a": 1.}', b'{"a": .5}', b'{"a": +1}', b'{"a": -0.0}'])
@example([b'{"a": 1}}', b'{"a": 1},', b"{,}", b'{"a": 1,}', b'{"a" 1}', b'{"a":}', b"{"])
@example([b'{" ": 1}', b'{"": 1}', b'{"a": ""}', b'{"a": tru}', b'{"a": nul}', b'{"a": truex}'])
def test_a_plain_line_is_read_as_the_parser_reads_it(given: list[bytes]) -> None:
    for asked in ASKED:
        require_same([line for line in given if b"\n" not in line] or [b""], asked)


@pytest.mark.parametrize(
    "line",
    [
        b'{"@id": "e1", "device": "laptop", "t": 21.5, "n": -3, "on": true, "off": false}',
        b'  { "a" : "5 \xc2\xb0C" , "b" : null , "c" : "2026-01-01T00:00:00Z" }\r',
        b'{"@start": "2026-01-01T00:00:00Z", "@end": "2026-01-01T00:00:00Z", "a": "x"}',
        b"{}",
    ],
)
def test_such_lines_are_plain(line: bytes) -> None:
    assert require_same([line]) == 1


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": {"b": 1}}',
        b'{"a": [1]}',
        b'{"a": "\\n"}',
        b'{"@start": "2026-01-01T00:00:00Z", "a": 1}',
        b'{"@context": {}, "a": 1}',
        b'{"a": 1e5}',
        b'{"a": 12345678901234567890}',
        b'{"@id": "\xc3\xa9"}',
        b'{"a": "\xff"}',
        b"[]",
    ],
)
def test_such_lines_are_left_to_the_parser(line: bytes) -> None:
    assert require_same([line]) == 0


def test_words_are_known_again_and_forgotten_with_the_telling() -> None:
    met = interned()
    text = b'{"device": "laptop", "room": "kitchen"}'
    first = PlainLines.read(text, met).batch()
    again = PlainLines.read(text, met).batch()
    assert again.codes.tolist() == first.codes.tolist()
    assert len(met.word_texts) == 2
    met.forget()
    assert len(met.word_texts) == len(met.name_texts) == 0
    assert PlainLines.read(text, met).batch().codes.tolist() == first.codes.tolist()


def test_more_words_than_the_table_was_made_for() -> None:
    met = interned()
    text = b"\n".join(b'{"n%d": "word %d x"}' % (n, n) for n in range(3000))

    first, second = (PlainLines.read(text, met).batch() for _ in range(2))

    assert first.codes.tolist() == second.codes.tolist()
    assert len(set(second.codes.tolist())) == len(set(second.attributes.tolist())) == 3000


def test_a_line_that_is_not_wanted_after_all_is_left_out() -> None:
    met = interned()
    read = PlainLines.read(b'{"a": "x"}\n{"b": "y"}\n{"c": "z"}', met)
    read.kinds[1] = 0

    assert [met.attributes[n].text for n in read.batch().attributes] == ["a", "c"]


def test_a_line_that_is_too_long_for_the_parser_is_left_to_it() -> None:
    line = b'{"a": "' + b"x" * LONGEST_LINE + b'"}'

    assert require_same([b'{"a": 1}', line]) == 1


@given(st.lists(st.datetimes(timezones=st.just(UTC)), min_size=2, max_size=2).map(sorted))
def test_the_times_of_a_line_are_those_that_the_parser_reads(times: list[datetime]) -> None:
    start, end = times
    line = msgspec.json.encode(
        {"@start": start.isoformat(), "a": "laptop", "@end": end.isoformat()}
    )
    matcher = Matcher([parse("{a = laptop}")])
    read: list[PlainLines] = []

    def reading(interned: Interned) -> Batch:
        read.append(PlainLines.read(b'{"a": "laptop"}\n' + line, interned))
        return read[0].batch()

    matcher.match_read(reading, lambda _: Event.from_json(line))

    [plain] = read
    millennium = microseconds_of(datetime(2000, 1, 1, tzinfo=UTC))
    assert np.isnan([plain.times_begun[0], plain.times_ended[0]]).all()
    if plain.kinds[1] == PLAIN:
        told = [int(plain.times_begun[1]), int(plain.times_ended[1])]
        assert [one + millennium for one in told] == [microseconds_of(start), microseconds_of(end)]
    else:
        assert not 1800 <= start.year <= end.year <= 2200
