import gzip
from pathlib import Path

import pytest

from purport.errors import UnusablePath
from purport.model.event import Event
from purport.model.event_lines import (
    LONGEST_LINE,
    DeadLetter,
    EventLines,
    events_in,
    events_in_file,
)

LINES = [
    b'{"a": 1}\n',
    b"\n",
    b"{broken\n",
    b'{"@id": "x", "a": 2}\r\n',
    b'{"a": "\xff"}\n',
    b'{"@id": "x", "a": 3}\n',
    b'{"@id": "y", "@id": "z"}\n',
    b'{"@start": 5, "@end": 4}\n',
    b'{"a": 4}',
]


def test_a_bad_line_is_kept_with_its_reason_and_the_rest_goes_on() -> None:
    found = list(events_in(LINES, "log"))

    assert [said.id for said in found if isinstance(said, Event)] == ["log:1", "x", "log:9"]
    assert [said for said in found if isinstance(said, DeadLetter)] == [
        DeadLetter("log", 3, "not valid JSON: object keys must be strings (byte 1)", "{broken"),
        DeadLetter("log", 5, "the text is not UTF-8", '{"a": "\\xff"}'),
        DeadLetter("log", 6, "duplicate '@id' 'x', first seen in line 4", '{"@id": "x", "a": 3}'),
        DeadLetter("log", 7, "duplicate '@id' in one event", '{"@id": "y", "@id": "z"}'),
        DeadLetter(
            "log",
            8,
            "the interval ends (1970-01-01T00:00:04+00:00) before it starts "
            "(1970-01-01T00:00:05+00:00)",
            '{"@start": 5, "@end": 4}',
        ),
    ]


def test_an_id_inside_a_value_is_not_a_second_id() -> None:
    [event] = events_in([b'{"@id": "x", "note": "say \\"@id\\" twice", "k": {"@id": 1}}'], "log")

    assert isinstance(event, Event)
    assert event.id == "x"


def test_start_and_end_of_one_event_may_come_apart() -> None:
    found = list(events_in([b'{"@id": "x", "@start": 1}', b'{"@id": "x", "@end": 2}'], "log"))

    assert all(isinstance(said, Event) for said in found)


def test_a_whole_event_and_a_start_do_not_share_an_id() -> None:
    found = list(events_in([b'{"@id": "x"}', b'{"@id": "x", "@start": 1}'], "log"))

    assert isinstance(found[1], DeadLetter)
    assert found[1].reason == "duplicate '@id' 'x', first seen in line 1"


def test_ids_are_remembered_within_a_bound() -> None:
    reader = EventLines("log", remembered_ids=2)
    for identifier in (b"a", b"b", b"c", b"d"):
        reader.read(b'{"@id": "%s"}' % identifier)

    assert isinstance(reader.read(b'{"@id": "c"}'), DeadLetter)
    assert isinstance(reader.read(b'{"@id": "a"}'), Event)


def test_whole_events_that_are_taken_at_once_are_remembered_within_the_same_bound() -> None:
    reader = EventLines("log", remembered_ids=2)

    assert reader.admit_whole(["a", "b"], [1, 2])
    assert not reader.admit_whole(["c", "b"], [3, 4])
    assert reader.admit_whole(["c", "d"], [3, 4])
    assert reader.admit_whole(["a"], [5])


def test_files_are_read_plain_and_compressed(tmp_path: Path) -> None:
    plain, compressed = tmp_path / "plain.jsonl", tmp_path / "packed.jsonl.gz"
    plain.write_bytes(b'{"a": 1}\n')
    compressed.write_bytes(gzip.compress(b'{"a": 1}\n'))

    [one], [other] = events_in_file(plain), events_in_file(compressed)

    assert isinstance(one, Event)
    assert isinstance(other, Event)
    assert one.statements == other.statements


def test_a_line_without_end_is_refused_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"[" * (2 * LONGEST_LINE + 5) + b'\n{"a": 1}\n')

    letter, event = events_in_file(path)

    assert isinstance(letter, DeadLetter)
    assert letter.reason == "the line is longer than 16 MiB"
    assert len(letter.text) == 10_000
    assert isinstance(event, Event)
    assert event.id == "long.jsonl:2"


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnusablePath) as error:
        list(events_in_file(tmp_path / name))

    assert str(error.value).startswith(str(tmp_path))


def test_a_mark_of_utf8_at_the_beginning_is_no_part_of_the_event() -> None:
    [event] = events_in([b'\xef\xbb\xbf{"a": 1}\n'], "log")

    assert isinstance(event, Event)


def test_a_compressed_file_that_is_damaged_is_named(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b'{"a": 1}\n' * 1000))
    packed[20:40] = b"x" * 20
    path = tmp_path / "damaged.jsonl.gz"
    path.write_bytes(packed)

    with pytest.raises(UnusablePath, match=r"damaged\.jsonl\.gz"):
        list(events_in_file(path))


def test_a_file_that_is_not_what_its_name_says_is_named(tmp_path: Path) -> None:
    path = tmp_path / "fake.jsonl.gz"
    path.write_bytes(b"not gzip")

    with pytest.raises(UnusablePath, match="gzip"):
        list(events_in_file(path))
