"""The journal of a broker as a source keeps what every source promises."""

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from purport import Event, InvalidInput, Matcher, parse
from purport.errors import UnusablePath
from purport.model.event import Statement
from purport.model.interval import Interval
from purport.model.term import Resource, Text
from purport.pipeline import journal_table
from purport.pipeline.contracts import SourceContract
from purport.pipeline.file_parts import FilePart
from purport.pipeline.found_matches import Matches
from purport.pipeline.job_folder import JobFolder
from purport.pipeline.jobs.build_archive import BuildArchive
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.journal.stretch_rows import Span
from purport.pipeline.journal.told_entries import ToldEntries, journal_events
from purport.pipeline.notes import Notes
from purport.pipeline.outcomes import match_rows
from purport.pipeline.session import spark_address
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.catalogue import source_at
from purport.pipeline.sources.journals import Journaled, JournalReader
from purport.pipeline.sources.source import Source
from purport.pipeline.stored.explanation import StoredExplanations
from purport.pipeline.stored.job import StoredJob
from purport.pipeline.stored.matches import matches_in
from purport.pipeline.stored.source_events import EventGone
from purport.pipeline.tables import JOURNAL
from purport.pipeline.watched import Fixed
from tests.pipeline.journals import FIRST_AT, seal

EVENTS: list[dict[str, Any] | Event] = [
    {"device": "laptop", "heat": 31},
    {"device": {"kind": "laptop", "floor": [1, 2]}, "heat": 32},
    {"@id": "ünï", "device": 'the "hot" one', "heat": 33.5},
    {"@id": "once", "heat": 34, "@start": "2026-01-01T00:00:00Z", "@end": "2026-01-02T00:00:00Z"},
    Event((Statement(Resource("urn:heat"), Text("warm")), Statement(Text("heat"), Text("35 °C")))),
    {"@id": "once", "heat": 36},
]


class TestJournaled(SourceContract):
    def source(self, folder: Path) -> Source:
        (folder / "stretches").mkdir(exist_ok=True)
        return Journaled(folder, files_per_batch=1)

    def add(self, folder: Path, events: Sequence[Mapping[str, str]]) -> None:
        seal(folder, [None, *events])

    def spoil(self, folder: Path) -> int:
        (folder / "stretches" / f"{900:020}-{999:020}.parquet").write_bytes(b"PAR1")
        return 1


def told(folder: Path, span: Span | None = None) -> list[ToldEntries]:
    return [
        entries
        for path in sorted((folder / "stretches").iterdir())
        for entries in journal_events(path, span or Span())
    ]


def test_every_event_is_matched_as_the_event_it_is(tmp_path: Path) -> None:
    seal(tmp_path, [None, *EVENTS, None])
    matcher = Matcher(
        [parse("{heat > 32} as hot"), parse("{heat = 35 °C} as exact"), parse("{device = laptop}")]
    )

    [entries] = told(tmp_path)
    [batch] = [pa.Table.from_batches(match_rows(entries.match(matcher), 1))]

    events = [one if isinstance(one, Event) else Event.from_json(one) for one in EVENTS]
    expected = [
        (event.id or f"event-{sequence}", match.subscription.name, sequence)
        for sequence, event in enumerate(events, 2)
        for match in matcher.match(event)
        if match.subscription.name
    ]
    found = [
        (row["event_id"], row["subscription"], row["offset"])
        for row in batch.to_pylist()
        if row["subscription"] in ("hot", "exact")
    ]
    assert sorted(found) == sorted(expected)
    assert ("once", "hot", 5) in found and ("once", "hot", 7) in found
    assert set(batch.column("source").to_pylist()) == {f"{1:020}-{8:020}.parquet"}


def test_what_one_event_is_to_blame_for_stops_no_other(tmp_path: Path) -> None:
    path = seal(tmp_path, [{"a": 1}, {"a": 1}, {"a": 1}])
    spoilt = pq.read_table(path)
    texts = pa.chunked_array([['{"a":1}', '{"a":', '{"a":\n1, "b":\n"c"}']])
    pq.write_table(spoilt.set_column(4, "event", texts), path)

    [entries] = told(tmp_path)
    found = entries.match(Matcher([parse("{a = 1}")]))

    rows = pa.Table.from_batches(match_rows(found, 1))
    assert rows.column("offset").to_pylist() == [1, 3]
    assert rows.column("event_id").to_pylist() == [f"{path.name}:1", f"{path.name}:3"]
    [letter] = found.dead_letters
    assert (letter.source, letter.line, letter.text) == (path.name, 2, '{"a":')


def test_events_know_when_they_were_published_also_where_they_are_looked_at_one_by_one(
    tmp_path: Path,
) -> None:
    seal(tmp_path, [{"a": 1}, None, {"a": {"b": [1, 2]}}])
    expected = [FIRST_AT + 1_000_000, FIRST_AT + 3_000_000]

    [entries] = told(tmp_path)
    [part] = entries.parts()

    assert part.times().published.tolist() == expected
    assert part.checked().times().published.tolist() == expected
    assert part.checked().only([1]).times().published.tolist() == expected[1:]


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (Span(), [1, 2, 4, 5]),
        (Span(after=2), [4, 5]),
        (Span(after=1, through=4), [2, 4]),
        (Span(since=datetime.fromtimestamp(FIRST_AT / 1e6 + 2, UTC)), [2, 4, 5]),
        (Span(until=datetime.fromtimestamp(FIRST_AT / 1e6 + 4, UTC)), [1, 2]),
        (Span(after=5), []),
    ],
)
def test_a_part_of_a_journal_is_named_by_sequences_and_times(
    tmp_path: Path, span: Span, expected: list[int]
) -> None:
    seal(tmp_path, [{"a": 1}, {"a": 2}])
    seal(tmp_path, [None, {"a": 4}, {"a": 5}])

    found = [entry for part in told(tmp_path, span) for entry in part.parts()[0].offsets]

    assert found == expected


def test_not_a_bit_that_has_changed_goes_unseen(tmp_path: Path) -> None:
    """Entries have checksums, which would cost more to look at than the pages' own."""
    path = seal(tmp_path, [{"a": number, "b": f"text {number % 7}"} for number in range(2_000)])
    [whole] = [entries.text for entries in journal_events(path, Span())]
    kept, drawn = path.read_bytes(), random.Random(1)
    seen = 0

    for _ in range(60):
        changed = bytearray(kept)
        changed[drawn.randrange(len(kept))] ^= 1 << drawn.randrange(8)
        path.write_bytes(changed)
        try:
            assert [entries.text for entries in journal_events(path, Span())] == [whole]
        except UnusablePath:
            seen += 1

    assert seen > 20


def test_a_stretch_of_a_newer_purport_is_not_misread(tmp_path: Path) -> None:
    path = seal(tmp_path, [{"a": 1}])
    table = pq.read_table(path)
    pq.write_table(table.set_column(2, "version", pc.add(table.column("version"), 1)), path)
    reader = JournalReader(path.parent, Span())

    [refused] = reader.told(FilePart(path, path.name))

    [letter] = refused.match(Matcher([parse("{a = 1}")])).dead_letters
    assert "this Purport reads versions up to" in letter.reason


class _Full(BatchFolders):
    """A folder on a disk that takes nothing."""

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        raise UnusablePath(self.folder, "no space left")


def test_stretches_that_are_dropped_stop_no_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Retention does not wait for streams on Spark: one read before, one that was being read."""
    broker, folder = tmp_path / "broker", tmp_path / "matches"
    subscribed = Fixed([parse("{a = 1} as one")])
    jobs = {
        kind: MatchStream(Journaled(broker), kind(folder), subscribed, JobFolder(tmp_path / "job"))
        for kind in (BatchFolders, _Full)
    }
    first = seal(broker, [{"a": 1}])
    jobs[BatchFolders].run(spark)
    second = seal(broker, [{"a": 1}])
    first.unlink()
    with pytest.raises(UnusablePath):
        jobs[_Full].run(spark)
    seal(broker, [{"a": 1}, {"a": 1}])
    second.unlink()
    jobs[BatchFolders].run(spark)

    reports = list(jobs[BatchFolders].folder.reports())

    assert [one.counts.events for one in reports] == [1, 0, 2]


def test_a_stream_may_begin_at_a_sequence_or_a_time(spark: SparkSession, tmp_path: Path) -> None:
    seal(tmp_path / "broker", [{"a": 1}, {"a": 1}])
    seal(tmp_path / "broker", [{"a": 1}, {"a": 1}])
    later = datetime.fromtimestamp(FIRST_AT / 1e6, UTC) + timedelta(seconds=4)
    found = []
    places: list[str | datetime] = ["3", later]
    for number, since in enumerate(places):
        sink = BatchFolders(tmp_path / f"matches-{number}")
        source = source_at(f"journal:{tmp_path}/broker", since)
        MatchStream(source, sink, Fixed([parse("{a = 1}")]), JobFolder(sink.home)).run(spark)
        rows = spark.read.parquet(spark_address(sink.folder)).collect()
        found.append(sorted(row.offset for row in rows))

    assert found == [[3, 4], [4]]


def test_matches_of_a_journal_are_explained_as_long_as_it_is_kept(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = seal(tmp_path / "broker", [None, *EVENTS])
    sink = BatchFolders(tmp_path / "matches")
    subscribed = Fixed([parse("{heat > 33} as hot")])
    job = MatchStream(Journaled(tmp_path / "broker"), sink, subscribed, JobFolder(sink.home))
    job.run(spark)
    stored = StoredJob.at(sink.folder)
    batches = stored.require_matches().batches()
    found = {match.offset: match for batch in batches for match in matches_in(batch)}
    explained = StoredExplanations(stored)

    assert sorted(found) == [4, 5, 6, 7]
    assert all(explained.explain(match).probability == 1.0 for match in found.values())
    with pytest.raises(EventGone, match="broker, entry 5: the event has changed, it is 'once' now"):
        explained.explain(msgspec.structs.replace(found[5], event_id="other"))
    with pytest.raises(EventGone, match="broker, entry 9: the event is gone, there is nothing"):
        explained.explain(msgspec.structs.replace(found[5], offset=9))
    path.unlink()
    with pytest.raises(EventGone, match="the event is gone"):
        explained.explain(found[4])


def test_what_is_no_journal_or_no_place_in_one_is_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match="no folder of a broker"):
        Journaled(tmp_path).records(spark)
    seal(tmp_path, [{"a": 1}])
    with pytest.raises(InvalidInput, match="a time or a sequence on, got 'day-2'"):
        Journaled(tmp_path, "day-2").records(spark)


def test_an_archive_of_a_journal_has_its_events(spark: SparkSession, tmp_path: Path) -> None:
    seal(tmp_path / "broker", [None, *EVENTS])

    archive = BuildArchive(Journaled(tmp_path / "broker"), tmp_path / "archive").run(spark)

    rows = spark.read.parquet(spark_address(archive.events)).orderBy("offset").collect()
    assert [row.offset for row in rows] == [2, 3, 4, 5, 6, 7]
    assert rows[2].event_id == "ünï"
    assert Interval(rows[3].start.astimezone(UTC), rows[3].end.astimezone(UTC)) == Interval(
        datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
    )


def test_the_journal_as_a_table_has_every_entry(spark: SparkSession, tmp_path: Path) -> None:
    seal(tmp_path, [{"a": 1}, None])
    seal(tmp_path, [{"a": 2}])

    table = journal_table(spark, tmp_path)

    rows = table.orderBy("sequence").collect()
    assert table.schema == JOURNAL
    assert [(row.sequence, row.kind, row.event) for row in rows] == [
        (1, "published", '{"@id":"event-1","a":1}'),
        (2, "resumed", None),
        (3, "published", '{"@id":"event-3","a":2}'),
    ]
    assert rows[0].at.astimezone(UTC) == datetime.fromtimestamp(FIRST_AT / 1e6 + 1, UTC)
