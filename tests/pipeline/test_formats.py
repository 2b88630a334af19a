"""Files of every format are matched as in a process, and a bad record stops nothing."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from purport import Event, Matcher, parse
from purport.errors import PurportError
from purport.model.event_lines import DeadLetter, EventLines, events_in_file
from purport.model.language.label import label
from purport.pipeline.file_parts import FilePart
from purport.pipeline.outcomes import match_rows
from purport.pipeline.readers import FileReader
from purport.relatedness.remote import MeasureUnavailable

Rows = set[tuple[object, ...]]
SUBSCRIPTIONS = [
    parse(text)
    for text in (
        "{a = 1}", "{b > 0} as positive", "{a = 25 °C}", "{a~ = laptop~} as near", "{a.b = x}",
        "{a != nowhere, b != nowhere} mapping 1:1 as both",
    )
]  # fmt: skip


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    return Matcher(SUBSCRIPTIONS, measure="exact")


def read(path: Path, matcher: Matcher, format: str | None = None) -> tuple[Rows, list[DeadLetter]]:
    """The matches of a file's events, and what was set aside."""
    rows: Rows = set()
    letters: list[DeadLetter] = []
    for said in FileReader(path.parent, format).told(FilePart(path, path.name)):
        matched = said.match(matcher)
        letters += matched.dead_letters
        for batch in match_rows(matched, 1):
            rows |= {
                (row["event_id"], row["subscription"], tuple(row["mapping"]),
                 tuple(round(one, 4) for one in row["similarities"]))
                for row in batch.to_pylist()
            }  # fmt: skip
    return rows, letters


def in_process(events: Iterable[Event], matcher: Matcher) -> Rows:
    return {
        (event.id, label(match.subscription), _mapping(match.event, match),
         tuple(round(pair.similarity, 4) for pair in match.mapping.correspondences))
        for event in events
        for match in matcher.match(event)
    }  # fmt: skip


def _mapping(event: Event, match: object) -> tuple[int, ...]:
    pairs = match.mapping.correspondences  # type: ignore[attr-defined]
    return tuple(
        next(at for at, one in enumerate(event.statements) if one is pair.statement)
        for pair in pairs
    )


values = st.one_of(
    st.integers(-3, 3),
    st.floats(-5, 5),
    st.sampled_from(["1", "1.0", "laptop", "77 °F", "x", True, None, "", "2026-01-01T00:00:00Z"]),
)
nested = st.one_of(values, st.lists(values, max_size=3), st.dictionaries(st.just("b"), values))
objects = st.dictionaries(st.sampled_from(["a", "b", "c", "@id", "@start"]), nested, max_size=4)
lines = st.one_of(
    objects.map(msgspec.json.encode),
    st.sampled_from([b"", b"{", b'{"a": "\xff"}', b'{"a": 1e999}', b'{"a": 1}\r', b"\x00", b"[]"]),
    st.sampled_from([b'{"@id": "x", "a": 1}', b'{"@id": "x", "a": 1, "b": {"c": 1}}']),
)


@given(st.lists(lines, max_size=12))
def test_json_lines_are_matched_as_in_a_process(
    tmp_path_factory: pytest.TempPathFactory, matcher: Matcher, given: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("events") / "events.jsonl"
    path.write_bytes(b"\n".join(given))
    said = list(events_in_file(path))

    rows, letters = read(path, matcher)

    assert rows == in_process((one for one in said if isinstance(one, Event)), matcher)
    refused = [one for one in said if isinstance(one, DeadLetter)]
    assert sorted(letters, key=lambda one: one.line) == refused


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=6)


@given(st.lists(st.tuples(texts, texts), max_size=8))
def test_csv_tells_what_json_would(
    tmp_path_factory: pytest.TempPathFactory, matcher: Matcher, given: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("events") / "events.csv"
    rows = [("a", "b,; name"), *given]
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    path.write_bytes(text.getvalue().encode())
    objects = [
        {name: value for name, value in zip(rows[0], row, strict=True) if value} for row in given
    ]

    found, letters = read(path, matcher)

    assert not letters
    assert {row[1:] for row in found} == {
        row[1:] for row in in_process(map(Event.from_json, objects), matcher)
    }


def test_a_csv_row_that_does_not_fit_is_set_aside(tmp_path: Path, matcher: Matcher) -> None:
    path = tmp_path / "readings.csv"
    path.write_bytes(
        b'\xef\xbb\xbf@id;a;note\ne1;1;"two\nlines"\ne2;1\ne1;1;again\n\ne3;\xff;x\ne4;1;\n'
    )

    found, letters = read(path, matcher)

    assert {row[0] for row in found if row[1] == "{a = 1}"} == {"e1", "e4"}
    assert [(one.line, one.reason) for one in letters] == [
        (4, "expected 3 values as in the first row, got 2"),
        (5, "duplicate '@id' 'e1', first seen in line 3"),
        (7, "the text is not UTF-8"),
    ]


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("", "the first row of a CSV file gives names, but it is empty"),
        ("a,,c\n1,2,3", "the first row gives names, but name 2 is empty"),
        ("a,b,a\n1,2,3", "the first row gives names, but 'a' stands there twice"),
    ],
)
def test_names_that_cannot_be_used_refuse_the_whole_csv_file(
    tmp_path: Path, matcher: Matcher, header: str, reason: str
) -> None:
    path = tmp_path / "readings.csv"
    path.write_text(header)

    found, [letter] = read(path, matcher)

    assert not found
    assert letter.reason == reason


flat = st.fixed_dictionaries(
    {},
    optional={
        "a": st.one_of(st.none(), st.sampled_from(["laptop", "1", "x"])),
        "b": st.one_of(st.none(), st.floats(-5, 5)),
        "c": st.one_of(st.none(), st.lists(st.integers(0, 3), max_size=2)),
    },
)


@given(st.lists(flat, min_size=1, max_size=6))
def test_parquet_tells_what_json_would(
    tmp_path_factory: pytest.TempPathFactory, matcher: Matcher, given: list[dict[str, object]]
) -> None:
    path = tmp_path_factory.mktemp("events") / "events.parquet"
    rows = [{"a": None, "b": None, "c": None} | one for one in given]
    pq.write_table(pa.Table.from_pylist(rows), path)

    found, letters = read(path, matcher)

    expected = (
        Event.from_json(one).with_id(f"events.parquet:{number}")
        for number, one in enumerate(rows, 1)
    )
    assert not letters
    assert found == in_process(expected, matcher)


def test_parquet_has_more_types_than_json(tmp_path: Path, matcher: Matcher) -> None:
    path = tmp_path / "typed.parquet"
    table = pa.table(
        {
            "@id": ["e1"],
            "when": pa.array([datetime(2026, 1, 1, tzinfo=UTC)]),
            "local": pa.array([datetime(2026, 1, 1)]),  # noqa: DTZ001 - that is the point
            "day": pa.array([date(2026, 1, 1)]),
            "price": pa.array([Decimal("12.50")]),
            "nothing": pa.array([float("nan")]),
            "tags": pa.array([[("b", "x")]], pa.map_(pa.string(), pa.string())),
            "raw": pa.array([b"bytes"]),
            "a": pa.array([{"b": "x"}]),
        }
    )
    pq.write_table(table, path)
    asked = [
        parse(text)
        for text in (
            "{when >= 2026-01-01T00:00:00Z}", "{local >= 2026-01-01T00:00:00Z}",
            "{day = 2026-01-01}", "{price = 12.5}", "{tags.b = x}", "{raw = bytes}", "{a.b = x}",
            "{nothing != 5}",
        )
    ]  # fmt: skip

    found, letters = read(path, Matcher(asked))

    assert not letters
    assert {row[1] for row in found} == {label(one) for one in asked[:-1]}


def test_parquet_with_statements_is_read_as_a_table_of_events(
    tmp_path: Path, matcher: Matcher
) -> None:
    path = tmp_path / "events.parquet"
    kind = pa.list_(pa.struct([("attribute", pa.string()), ("value", pa.string())]))
    statements = [[{"attribute": "a", "value": "1"}, {"attribute": "a", "value": "x"}]]
    pq.write_table(pa.table({"event_id": ["e1"], "statements": pa.array(statements, kind)}), path)

    found, _ = read(path, matcher)

    assert ("e1", "{a = 1}", (0,), (1.0,)) in found


TURTLE = """@prefix s: <http://example.org/s#> .
<urn:o1> a s:Observation ; s:a "x" ; s:result [ s:value 21.5 ; s:unit "C" ] .
<urn:o2> s:a "x", "y" .
[] s:a "x" .
"""
NTRIPLES = """<urn:o1> <http://example.org/s#a> "x" .
<urn:o2> <http://example.org/s#a> "x"
<urn:o3> <http://example.org/s#result> _:r .
_:r <http://example.org/s#value> "21.5"^^<http://www.w3.org/2001/XMLSchema#double> .
<urn:o1> <http://example.org/s#b> "y"@en .
"""
RDF_SUBSCRIPTIONS = [
    parse("{<http://example.org/s#a> = x} as a"),
    parse("{result.value > 20} as warm"),
    parse("{<http://example.org/s#b> = y} as b"),
]


def test_every_subject_of_a_turtle_file_is_an_event(tmp_path: Path) -> None:
    path = tmp_path / "observations.ttl"
    path.write_text(TURTLE)

    found, letters = read(path, Matcher(RDF_SUBSCRIPTIONS))

    assert not letters
    assert {row[:2] for row in found} == {
        ("urn:o1", "a"), ("urn:o1", "warm"), ("urn:o2", "a"), ("observations.ttl:3", "a"),
    }  # fmt: skip


def test_a_line_that_is_no_triple_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "observations.nt"
    path.write_text(NTRIPLES)

    found, [letter] = read(path, Matcher(RDF_SUBSCRIPTIONS))

    assert letter.line == 2
    assert {row[:2] for row in found} == {("urn:o1", "a"), ("urn:o1", "b"), ("urn:o3", "warm")}


def test_a_subject_that_is_too_large_is_set_aside_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "large.nt"
    large = "".join(f'<urn:large> <urn:p> "{number}" .\n' for number in range(10_001))
    path.write_text(f"{NTRIPLES}\n{large}")

    found, letters = read(path, Matcher(RDF_SUBSCRIPTIONS))

    assert [letter.reason.partition(":")[0] for letter in letters] == ["not valid N-Triples", "urn"]
    assert {row[:2] for row in found} == {("urn:o1", "a"), ("urn:o1", "b"), ("urn:o3", "warm")}


@pytest.mark.parametrize("name", ["broken.ttl", "broken.parquet", "broken.jsonl.gz"])
def test_a_file_that_cannot_be_read_is_one_dead_letter(
    tmp_path: Path, matcher: Matcher, name: str
) -> None:
    (tmp_path / name).write_bytes(b"<urn:a> <urn:b> .")

    found, [letter] = read(tmp_path / name, matcher)

    assert not found
    assert letter.source == name


class Fussy:
    """A measure that cannot score one word, or nothing at all any more."""

    def __init__(self, error: PurportError | ValueError) -> None:
        self.error = error

    def score(self, left: str, right: str) -> float:
        return float(self.matrix([left], [right])[0, 0])

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        if "poison" in right:
            raise self.error
        return np.array([[float(one == other) for other in right] for one in left])


@pytest.mark.parametrize("name", ["events.jsonl", "events.csv"])
def test_a_record_that_cannot_be_matched_is_set_aside(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    words = ["laptop", "poison", "laptop", "computer"]
    if name.endswith("csv"):
        path.write_text("a\n" + "\n".join(words))
    else:
        path.write_text("\n".join(f'{{"a": "{word}"}}' for word in words))

    found, [letter] = read(path, Matcher([parse("{a = laptop~}")], measure=Fussy(ValueError("no"))))

    assert letter.reason == "cannot be matched: no"
    assert "poison" in letter.text
    assert len(found) == 2


def test_a_measure_that_is_down_stops_the_stream(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text('{"a": "poison"}')
    matcher = Matcher([parse("{a = laptop~}")], measure=Fussy(MeasureUnavailable("it is down")))

    with pytest.raises(MeasureUnavailable):
        read(tmp_path / "events.jsonl", matcher)


def test_lines_are_admitted_in_their_order() -> None:
    reader = EventLines("log")

    assert reader.admit_whole(["a", "b"], [1, 2])
    assert not reader.admit_whole(["c", "b"], [3, 4])
    assert reader.admit_whole(["c"], [3])
    assert not reader.admit_whole(["d", "d"], [4, 5])
