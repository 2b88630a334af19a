"""What can be wrong with a job is told before it starts, or stops it without a loss."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from purport import InvalidInput, parse
from purport.errors import StreamFailed, UnusablePath
from purport.pipeline.addresses import Address
from purport.pipeline.job_file import read_job
from purport.pipeline.job_folder import JobFolder, JobIdentity
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.session import spark_address
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sinks.catalogue import sink_at
from purport.pipeline.sources.catalogue import source_at
from purport.pipeline.sources.files import Files
from purport.pipeline.watched import Fixed


def job_at(
    tmp_path: Path, since: datetime | str | None = None, checkpoint: Path | None = None
) -> MatchStream:
    events = tmp_path / "events"
    events.mkdir(exist_ok=True)
    sink = BatchFolders(tmp_path / "matches")
    source = Files(events, since=since)
    folder = JobFolder(checkpoint or sink.home)
    return MatchStream(source, sink, Fixed([parse("{a = 1} as one")]), folder, since=str(since))


def matched(spark: SparkSession, job: MatchStream) -> list[str]:
    assert isinstance(job.sink, BatchFolders)
    rows = spark.read.parquet(spark_address(job.sink.folder)).collect()
    return sorted(row.event_id for row in rows)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("events/", "expected SCHEME:PATH, such as file:events/, got 'events/'"),
        ("fil:events/", "no source 'fil' (there are archive:, csv:, file:"),
        ("file:", "expected file:PATH, got 'file:'"),
        ("file:events/?files=2", "no option 'files' (there are files_per_batch, bytes_per_batch)"),
        ("file:events/?files_per_batch=x", "Expected `int | null`, got `str`"),
        ("file:events/?files_per_batch=0", "Expected `int` >= 1"),
        ("file:events/?files_per_batch", "expected options as ?name=value&name=value"),
    ],
)
def test_a_wrong_address_is_told(address: str, reason: str) -> None:
    with pytest.raises(InvalidInput) as failure:
        source_at(address)

    assert reason in str(failure.value)


def test_addresses_are_read() -> None:
    assert Address.read("file:///data/a%20b").path() == Path("/data/a b")
    assert Address.read("file:a b/c?x=1") == Address("file", "a b/c", {"x": "1"})
    assert str(Address.read("file:a?x=1&y=2")) == "file:a?x=1&y=2"
    with pytest.raises(InvalidInput, match="no sink 'parket'"):
        sink_at("parket:out/")


def test_a_job_file_and_flags_make_a_job(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text(
        f'from = "file:{tmp_path}/events"\nto = "parquet:{tmp_path}/matches"\n'
        'subscriptions = ["{a = 1}"]\nuntil_end = true\n[source]\nfiles_per_batch = 3\n'
    )

    options = read_job(path, {"to": f"jsonl:{tmp_path}/other"})
    job = options.job()

    assert options.until_end
    assert isinstance(job.source, Files)
    assert job.source.files_per_batch == 3
    assert job.sink.place == f"jsonl:{tmp_path}/other"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("from = ", "not TOML"),
        ("form = 'file:a'", "no option 'form'"),
        ("until_end = 'perhaps'", "Expected `bool`"),
        ("from = 'file:a'", "a job needs a source (from), a sink (to) and subscriptions"),
    ],
)
def test_a_job_file_with_a_mistake_is_told(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "job.toml"
    path.write_text(text)

    with pytest.raises(InvalidInput) as failure:
        read_job(path, {}).job()

    assert reason in str(failure.value)


@pytest.mark.parametrize("cores", ["0", "many", 0, -1, "1.5"])
def test_cores_that_cannot_be_are_told(tmp_path: Path, cores: object) -> None:
    asked = {"from": f"file:{tmp_path}", "to": "console:", "subscriptions": ["{a = 1}"]}

    with pytest.raises(InvalidInput, match="cores are 1 or more, or "):
        read_job(None, {**asked, "cores": cores}).job()


@pytest.mark.parametrize(
    ("sink", "checkpoint", "is_refused"),
    [("out", None, True), (".", None, True), ("_out", None, False), ("../out", "_state", False),
     ("../out", "state", True), ("../out", None, False)],
)  # fmt: skip
def test_a_job_does_not_write_where_it_reads(
    tmp_path: Path, sink: str, checkpoint: str | None, is_refused: bool
) -> None:
    events = tmp_path / "events"
    events.mkdir()
    asked = {
        "from": f"file:{events}", "to": f"parquet:{events / sink}", "subscriptions": ["{a = 1}"],
        "checkpoint": str(events / checkpoint) if checkpoint else None,
    }  # fmt: skip
    options = read_job(None, {name: value for name, value in asked.items() if value})

    if is_refused:
        with pytest.raises(InvalidInput, match="which is read: what the job writes would be taken"):
            options.job()
    else:
        assert options.job()


def test_a_source_that_is_not_there_claims_nothing(spark: SparkSession, tmp_path: Path) -> None:
    job = job_at(tmp_path)
    (tmp_path / "events").rmdir()

    with pytest.raises(UnusablePath, match="No such file"):
        job.run(spark)

    assert not (tmp_path / "matches").exists()


def test_the_checkpoint_of_another_job_is_refused(tmp_path: Path) -> None:
    folder = JobFolder(tmp_path / "job")
    job = folder.open(JobIdentity("file:/a", "parquet:/b"))

    assert folder.open(JobIdentity("file:/a", "parquet:/b")) == job
    with pytest.raises(InvalidInput, match="another job: its source is file:/a, not file:/c"):
        folder.open(JobIdentity("file:/c", "parquet:/b"))


@pytest.mark.parametrize("text", ["", "{", '{"version": 1}'])
def test_a_damaged_checkpoint_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "job.json").write_text(text)

    with pytest.raises(InvalidInput, match=r"job\.json: the checkpoint cannot be read"):
        JobFolder(tmp_path).open(JobIdentity("file:/a", "parquet:/b"))


def test_a_checkpoint_of_a_later_version_is_told(tmp_path: Path) -> None:
    folder = JobFolder(tmp_path)
    folder.open(JobIdentity("file:/a", "parquet:/b"))
    path = tmp_path / "job.json"
    path.write_text(path.read_text().replace('"version": 1', '"version": 99'))

    with pytest.raises(InvalidInput, match="of version 99, this Purport reads 1"):
        folder.open(JobIdentity("file:/a", "parquet:/b"))


def test_a_folder_with_other_things_in_it_is_no_checkpoint_and_no_sink(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").touch()

    with pytest.raises(InvalidInput, match="there is something here that is no job"):
        JobFolder(tmp_path).open(JobIdentity("file:/a", "parquet:/b"))
    with pytest.raises(InvalidInput, match=r"expected an empty folder, found 'holiday\.jpg'"):
        BatchFolders(tmp_path).claim("job")


def test_a_path_that_cannot_be_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(UnusablePath, match="file"):
        BatchFolders(tmp_path / "file").claim("job")
    with pytest.raises(UnusablePath, match="Not a directory"):
        JobFolder(tmp_path / "file" / "below").open(JobIdentity("a", "b"))


def test_matches_of_another_job_are_not_written_over(spark: SparkSession, tmp_path: Path) -> None:
    job = job_at(tmp_path)
    (tmp_path / "events" / "e.jsonl").write_text('{"@id": "e1", "a": 1}')
    job.run(spark)

    with pytest.raises(InvalidInput, match="holds the matches of another job"):
        job_at(tmp_path, checkpoint=tmp_path / "new").run(spark)


def test_two_processes_do_not_run_one_job(tmp_path: Path) -> None:
    folder = JobFolder(tmp_path)
    folder.open(JobIdentity("a", "b"))

    told = pytest.raises(InvalidInput, match="another process runs this job")
    with folder.alone(), told, folder.alone():
        raise AssertionError("two have the lock")


def test_a_spark_checkpoint_that_is_damaged_is_told_in_a_line(
    spark: SparkSession, tmp_path: Path
) -> None:
    job = job_at(tmp_path)
    (tmp_path / "events" / "e.jsonl").write_text('{"@id": "e1", "a": 1}')
    job.run(spark)
    (job.folder.checkpoint / "offsets" / "0").write_text("nonsense")

    with pytest.raises(StreamFailed) as failure:
        job.run(spark)

    assert "\n" not in str(failure.value)


def test_a_report_that_was_cut_off_is_dropped(spark: SparkSession, tmp_path: Path) -> None:
    job = job_at(tmp_path)
    (tmp_path / "events" / "e.jsonl").write_text('{"@id": "e1", "a": 1}')
    job.run(spark)
    reports = job.folder.folder / "batches.jsonl"
    whole = reports.read_bytes()
    reports.write_bytes(whole + whole[:20])

    assert len(list(job.folder.reports())) == 1
    with job.folder.alone():
        assert reports.read_bytes() == whole


def test_a_new_job_begins_at_a_time_or_a_name(spark: SparkSession, tmp_path: Path) -> None:
    events = tmp_path / "events"
    events.mkdir()
    for number in range(3):
        path = events / f"day-{number}.jsonl"
        path.write_text(f'{{"@id": "e{number}", "a": 1}}')
        os.utime(path, (1000 * number, 1000 * number))
    since_time = job_at(tmp_path, datetime.fromtimestamp(1000, UTC))
    since_time.run(spark)
    assert matched(spark, since_time) == ["e1", "e2"]

    other = tmp_path / "other"
    other.mkdir()
    (other / "events").symlink_to(events)
    since_name = job_at(other, "day-2.jsonl")
    since_name.run(spark)
    assert matched(spark, since_name) == ["e2"]


def test_files_that_come_late_twice_or_out_of_order_are_matched_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    job = job_at(tmp_path)
    events = tmp_path / "events"

    def put(name: str, line: str, when: float) -> None:
        (tmp_path / name).write_text(line)
        os.utime(tmp_path / name, (when, when))
        (tmp_path / name).rename(events / name)

    put("new.jsonl", '{"@id": "new", "a": 1}', 2e9)
    job.run(spark)
    put("old.jsonl", '{"@id": "old", "a": 1}', 1.0)
    put("new.jsonl", '{"@id": "new", "a": 1}', 2e9 + 1)  # the same file, sent once more
    (events / ".hidden.jsonl").write_text('{"@id": "hidden", "a": 1}')
    (events / "_part.jsonl").write_text('{"@id": "part", "a": 1}')
    (events / "below").mkdir()
    (events / "below" / "deep.jsonl").write_text('{"@id": "deep", "a": 1}')
    job.run(spark)

    assert matched(spark, job) == ["deep", "new", "old"]


def test_a_field_that_changes_its_type_stops_nothing(spark: SparkSession, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    job = job_at(tmp_path)
    events = tmp_path / "events"
    for number, values in enumerate(([1], ["1"], [[1, 2]], [{"b": 1}], [True], [None])):
        pq.write_table(pa.table({"@id": [f"p{number}"], "a": values}), events / f"{number}.parquet")
    lines = [
        f'{{"@id": "j{n}", "a": {a}}}' for n, a in enumerate(("1", '"1"', "[1]", "{}", "null"))
    ]
    (events / "drift.jsonl").write_text("\n".join(lines))

    job.run(spark)

    assert matched(spark, job) == ["j0", "j1", "j2", "p0", "p1", "p2"]
    assert not job.folder.dead_letters.exists()


def test_a_stream_that_runs_on_takes_what_comes(spark: SparkSession, tmp_path: Path) -> None:
    job = job_at(tmp_path)
    events = tmp_path / "events"
    (events / "first.jsonl").write_text('{"@id": "first", "a": 1}')
    seen: list[int] = []

    def on_batch(report: object) -> None:
        seen.append(1)
        if len(seen) == 1:
            (tmp_path / "second.jsonl").write_text('{"@id": "second", "a": 1}')
            (tmp_path / "second.jsonl").rename(events / "second.jsonl")
        else:
            for query in spark.streams.active:
                query.stop()

    job.run(spark, Watchers(on_batch), until_end=False, every_seconds=0)

    assert matched(spark, job) == ["first", "second"]
