"""Archives built on Spark: what is in them, and that they match as what they were built from."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from purport import Subscription, parse
from purport.demo.city import City
from purport.demo.run import demo_subscriptions
from purport.errors import InvalidInput, StreamFailed, UnusablePath
from purport.pipeline.archive.folder import Archive, ArchivedBatch
from purport.pipeline.archive.numbering import local_statements, new_statements
from purport.pipeline.job_folder import JobFolder
from purport.pipeline.jobs.build_archive import BuildArchive
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.notes import Notes
from purport.pipeline.session import spark_pattern
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.archives import Archived
from purport.pipeline.sources.files import Files
from purport.pipeline.sources.source import Source
from purport.pipeline.tables import ARCHIVED_STATEMENTS, FILES, MATCHES
from purport.pipeline.tables_at_rest import at_rest
from purport.pipeline.watched import Fixed
from purport.relatedness.array_store import StoreError
from tests.pipeline.test_match_stream import lines

Rows = list[tuple[object, ...]]

TURTLE = """
@prefix : <http://example.org/> .
:e1 :device :Laptop ; :label "Rechner"@de , "computer"@en ; :on true ; :value 21.5 , 7 ;
    :at "2026-01-01T10:00:00+05:30"^^<http://www.w3.org/2001/XMLSchema#dateTime> ;
    :result [ :unit "°C" ; :number 300 ] .
:e2 :device "лаптоп" ; :serial 12345678901234567890 .
"""


def write_events(folder: Path) -> None:
    """Events in every format, with dead letters among them."""
    folder.mkdir()
    City(events=300, seed=3).write_lines(folder, files=2)
    (folder / "odd.jsonl").write_text(
        '{"@id": "odd 1", "@start": "2026-01-01T10:00:00Z", "device": {"kind": "Laptop", '
        '"tags": ["a", "b", 1, true, null]}}\n'
        '{"value": 9007199254740993, "id": "0a1b2c3d4e5f", "at": "2026-01-01", "t": "77 °F"}\n'
        "{broken\n"
        '{"empty": null}\n'
        f'{{"long": "{"x" * 2000}", "emoji": "🖥️ laptop", "value": 1e999}}\n'
        '{"value": -0.0, "device": "LAPTOP"}\n',
        encoding="utf-8",
    )
    (folder / "rows.csv").write_text("device,value,t\nlaptop,21.5,25 °C\nnotebook,-3,\n1,2\n")
    table = pa.table({"device": ["laptop", None], "value": [30.0, 4.0], "n": [1, 2]})
    pq.write_table(table, folder / "rows.parquet")
    (folder / "graph.ttl").write_text(TURTLE, encoding="utf-8")
    (folder / "graph.nt").write_text('<urn:e> <urn:x:value> "5" .\nno triple\n')


ASKED = (
    "{device = laptop} as laptops",
    "{device~ = laptop~} threshold 0.2 as near",
    "{value > 20} as high",
    "{value in [0, 10]} as low",
    "{t = 25 °C} as warm",
    '{id = "0A1B2C3D4E5F"} as one',
    "{value = 9007199254740993} as large",
    "{at < 2026-06-01, at > 2025-01-01} as recent",
    "{label~ = computer~} threshold 0.1 mapping 1:1 as labelled",
    "{<http://example.org/device> = <http://example.org/Laptop>} as iri",
    "{result.number > 250 K} as hot",
    "{<http://example.org/on> = true} as switched",
)


def asked() -> list[Subscription]:
    return [parse(text) for text in ASKED] + list(demo_subscriptions())


def rows_of(
    spark: SparkSession, source: Source, output: Path, subscriptions: Sequence[Subscription]
) -> Rows:
    """What a stream from a source writes."""
    sink = BatchFolders(output)
    MatchStream(source, sink, Fixed(subscriptions), JobFolder(sink.home)).run(spark)
    found = spark.read.schema(MATCHES).parquet(spark_pattern(output)).collect()
    return sorted(
        tuple(tuple(one) if isinstance(one, list) else one for one in row) for row in found
    )


def letters_of(spark: SparkSession, folder: Path) -> Rows:
    return sorted(map(tuple, spark.read.parquet(spark_pattern(folder)).drop("batch").collect()))


def statements_of(archive: Archive) -> list[tuple[object, ...]]:
    tables = [pq.read_table(path) for path in sorted(archive.statements.glob("*/*.parquet"))]
    return [tuple(row.values()) for table in tables for row in table.to_pylist()]


def test_an_archive_of_every_format_matches_as_its_source_does(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = tmp_path / "events"
    write_events(events)

    archive = BuildArchive(Files(events), tmp_path / "archive").run(spark)

    expected = rows_of(spark, Files(events), tmp_path / "direct", asked())
    assert {row[1] for row in expected} >= {text.rpartition(" ")[2] for text in ASKED}
    assert rows_of(spark, Archived(archive.folder), tmp_path / "archived", asked()) == expected
    [batch] = archive.batches()
    letters = letters_of(spark, archive.dead_letters)
    assert letters == letters_of(spark, JobFolder(tmp_path / "direct" / "_purport").dead_letters)
    assert batch.dead_letters == len(letters) > 3
    again = BuildArchive(Archived(archive.folder), tmp_path / "copy").run(spark)
    kept = spark.read.parquet(spark_pattern(again.events)).where("start is not null").collect()
    assert [row.event_id for row in kept if row.source == "odd.jsonl"] == ["odd 1"]
    assert rows_of(spark, Archived(again.folder), tmp_path / "copied", asked()) == expected


@settings(
    max_examples=3,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.lists(lines, max_size=8), min_size=1, max_size=3))
def test_an_archive_of_any_lines_matches_as_the_lines_do(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, files: list[list[bytes]]
) -> None:
    folder = tmp_path_factory.mktemp("a folder with spaces + 100 % é")
    events = folder / "events [1]"
    events.mkdir()
    for number, content in enumerate(files):
        (events / f"events {number}.jsonl").write_bytes(b"\n".join(content))
    subscriptions = [parse(text) for text in ("{a = 1}", "{b > 0} as positive", "{a = 25 °C}")]

    archive = BuildArchive(Files(events), folder / "archive {2}").run(spark)

    assert rows_of(spark, Archived(archive.folder), folder / "archived", subscriptions) == rows_of(
        spark, Files(events), folder / "direct", subscriptions
    )


def test_ids_stay_when_files_are_added_and_a_stream_follows(
    spark: SparkSession, tmp_path: Path
) -> None:
    events, folder = tmp_path / "events", tmp_path / "archive"
    write_events(events)
    archive = BuildArchive(Files(events), folder).run(spark)
    before = statements_of(archive)
    first_files = {path: path.read_bytes() for path in archive.events.rglob("*.parquet")}
    first_rows = rows_of(spark, Archived(folder), tmp_path / "archived", asked())

    (events / "later.jsonl").write_text('{"device": "laptop", "value": 99}\n{"new word": "tablet"}')
    BuildArchive(Files(events), folder).run(spark)
    BuildArchive(Files(events), folder).run(spark)

    after = statements_of(archive)
    assert after[: len(before)] == before
    assert [row[0] for row in after] == list(range(len(after)))
    assert [row[1:] for row in after[len(before) :]] == [("new word", "text", "text", "", "tablet")]
    assert all(path.read_bytes() == content for path, content in first_files.items())
    assert [one.batch for one in archive.batches()] == [0, 1]
    rows = rows_of(spark, Archived(folder), tmp_path / "archived", asked())
    assert {row[6] for row in set(rows) - set(first_rows)} == {"later.jsonl"}
    assert set(rows) > set(first_rows)


def test_ids_are_the_same_however_the_events_are_spread(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = tmp_path / "events"
    write_events(events)
    files = [(path.name, datetime.now(UTC), 0, None) for path in sorted(events.iterdir())]
    known = spark.createDataFrame([], ARCHIVED_STATEMENTS)
    orders = []
    for tasks in (1, 5):
        folder = tmp_path / f"in {tasks} tasks"
        folder.mkdir()
        records = spark.createDataFrame(files, FILES).repartition(tasks)
        reader, notes = Files(events).reader, Notes(folder / "notes")
        local = at_rest(spark, local_statements(records, reader, notes, folder), folder / "local")
        orders.append([tuple(row) for row in new_statements(local, known).collect()])

    assert orders[0] == orders[1]
    assert len(set(orders[0])) == len(orders[0]) > 300
    archive = BuildArchive(Files(events), tmp_path / "archive").run(spark)
    assert [row[1:] for row in statements_of(archive)] == orders[0]


def test_a_reading_takes_no_row_of_the_table(spark: SparkSession, tmp_path: Path) -> None:
    events = tmp_path / "events"
    events.mkdir()
    said = (
        {
            "value": number / 7,
            "n": number,
            "at": f"2026-01-01T00:00:{number:02}Z",
            "t": f"{number} K",
        }
        for number in range(50)
    )
    (events / "e.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, said)))

    archive = BuildArchive(Files(events), tmp_path / "archive").run(spark)

    assert [row[1:] for row in statements_of(archive)] == [
        ("value", "text", "double", "number", ""),
        ("n", "text", "integer", "number", ""),
        ("at", "text", "text", "time", ""),
        ("t", "text", "text", "number K", ""),
    ]
    [batch] = archive.batches()
    assert (batch.events, batch.statements, batch.files) == (50, 4, 1)


def test_a_batch_that_failed_half_way_leaves_the_archive_as_it_was(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, folder = tmp_path / "events", tmp_path / "archive"
    write_events(events)
    expected = statements_of(BuildArchive(Files(events), tmp_path / "other").run(spark))

    def fail(archive: Archive, staged: Path, _: ArchivedBatch) -> None:
        (staged / "statements").rename(archive.statements / "batch=000000")
        raise RuntimeError("the power went out before the events were there")

    with monkeypatch.context() as patch:
        patch.setattr(Archive, "take", fail)
        with pytest.raises(StreamFailed, match="the power went out"):
            BuildArchive(Files(events), folder).run(spark)
    assert Archive.open(folder).batches() == []
    archive = BuildArchive(Files(events), folder).run(spark)

    assert statements_of(archive) == expected
    assert len(archive.batches()) == 1


def test_a_batch_that_spark_did_not_hear_of_is_not_added_twice(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = tmp_path / "events"
    write_events(events)

    def fail(_: ArchivedBatch) -> None:
        raise RuntimeError("the power went out after the batch was in")

    job = BuildArchive(Files(events), tmp_path / "archive")
    with pytest.raises(StreamFailed, match="the power went out"):
        job.run(spark, fail)
    archive = job.run(spark, fail)

    assert len(archive.batches()) == 1
    assert archive.batches()[0].events > 300


def test_what_is_no_archive_is_named(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"missing is not an archive: archive\.json: No such file"):
        Archived(tmp_path / "missing").records(spark)
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(UnusablePath, match=r"something here that is no archive: letter\.txt"):
        BuildArchive(Files(tmp_path), tmp_path).run(spark)
    with pytest.raises(UnusablePath, match="not a folder"):
        BuildArchive(Files(tmp_path), tmp_path / "letter.txt").run(spark)


@pytest.fixture(scope="module")
def built(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with events and a small archive of them in two batches."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "events").mkdir()
    for number in range(2):
        (folder / "events" / f"{number}.jsonl").write_text(f'{{"a": "word {number}"}}')
        BuildArchive(Files(folder / "events"), folder / "archive").run(spark)
    return folder


def test_a_damaged_archive_says_what_is_wrong(built: Path, tmp_path: Path) -> None:
    def damage(change: str) -> Archive:
        folder = tmp_path / change
        shutil.copytree(built / "archive", folder)
        match change:
            case "version":
                (folder / "archive.json").write_text('{"version": 99}')
            case "manifest":
                (folder / "archive.json").write_text('{"version": 1')
            case "fields":
                (folder / "archive.json").write_text('{"version": 1}')
            case "statements":
                shutil.rmtree(folder / "statements" / "batch=000001")
            case "batch":
                shutil.rmtree(folder / "events" / "batch=000000")
            case "report":
                (folder / "events" / "batch=000001" / "_batch.json").write_text("{")
        return Archive.open(folder)

    with pytest.raises(StoreError, match="is of version 99; this Purport reads 1"):
        damage("version")
    with pytest.raises(StoreError, match=r"archive\.json: the archive's manifest is damaged"):
        damage("manifest")
    with pytest.raises(StoreError, match=r"manifest is damaged: .*missing required field `id`"):
        damage("fields")
    with pytest.raises(StoreError, match="damaged: the statements of batch 1 are missing"):
        damage("statements").batches()
    with pytest.raises(StoreError, match="damaged: before batch 1, a batch is missing"):
        damage("batch").batches()
    with pytest.raises(StoreError, match=r"damaged: .*_batch\.json: Input data was truncated"):
        damage("report").batches()


def test_an_archive_is_of_one_source(spark: SparkSession, built: Path, tmp_path: Path) -> None:
    (tmp_path / "others").mkdir()
    with pytest.raises(InvalidInput, match="is the checkpoint of another job: its source is"):
        BuildArchive(Files(tmp_path / "others"), built / "archive").run(spark)

    shutil.copytree(built / "archive", tmp_path / "archive")
    shutil.rmtree(tmp_path / "archive" / "_purport")
    with pytest.raises(InvalidInput, match="how far the archive's source was read is not known"):
        BuildArchive(Files(built / "events"), tmp_path / "archive").run(spark)


def test_a_file_of_events_that_cannot_be_read_is_a_dead_letter(
    spark: SparkSession, built: Path, tmp_path: Path
) -> None:
    shutil.copytree(built / "archive", tmp_path / "archive")
    [path] = (tmp_path / "archive" / "events" / "batch=000000").glob("*.parquet")
    path.write_bytes(path.read_bytes()[:100])

    rows = rows_of(spark, Archived(tmp_path / "archive"), tmp_path / "out", [parse("{a != b}")])

    assert [row[0] for row in rows] == ["1.jsonl:1"]
    [letter] = letters_of(spark, JobFolder(tmp_path / "out" / "_purport").dead_letters)
    assert letter[0] == f"batch=000000/{path.name}"
    assert "the file cannot be read: not a file of archived events" in str(letter[2])


def test_a_table_of_statements_that_cannot_be_read_stops_the_stream(
    spark: SparkSession, built: Path, tmp_path: Path
) -> None:
    shutil.copytree(built / "archive", tmp_path / "archive")
    (tmp_path / "archive" / "statements" / "batch=000001" / "statements.parquet").write_bytes(b"x")

    with pytest.raises(StreamFailed, match=r"the archive is damaged: .*batch=000001"):
        rows_of(spark, Archived(tmp_path / "archive"), tmp_path / "out", [parse("{a != b}")])


def test_killed_in_the_middle_it_leaves_the_archive_as_it_was(
    spark: SparkSession, tmp_path: Path
) -> None:
    events, folder = tmp_path / "events", tmp_path / "archive"
    events.mkdir()
    City(events=20_000, seed=5).write_lines(events, files=4)
    command = [sys.executable, "-m", "purport", "archive", "build"]
    build = subprocess.Popen(
        [*command, "--from", f"file:{events}", "-o", str(folder)],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not list(folder.glob("_purport/staging/*/scratch/files/*.parquet")):
            assert build.poll() is None
            time.sleep(0.01)
    finally:
        os.killpg(build.pid, signal.SIGKILL)
        build.wait()

    assert Archive.open(folder).batches() == []
    archive = BuildArchive(Files(events), folder).run(spark)

    subscriptions = demo_subscriptions()
    assert rows_of(
        spark, Archived(archive.folder), tmp_path / "archived", subscriptions
    ) == rows_of(spark, Files(events), tmp_path / "direct", subscriptions)
