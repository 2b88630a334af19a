"""A page about a job, whatever has become of it."""

import sys
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from purport import parse
from purport.model.event_lines import DeadLetter
from purport.pipeline.job_folder import JobFolder
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.metrics.job_metrics import JobMetrics
from purport.pipeline.notes import Counts
from purport.pipeline.report import pictures_missing, report
from purport.pipeline.sinks.batch_folders import BatchFolders, FileKind
from purport.pipeline.sources.files import Files
from purport.pipeline.stored.job import StoredJob
from purport.pipeline.stored.summary import JobSummary
from purport.pipeline.tables import MATCHES
from purport.pipeline.versions import Versions
from purport.pipeline.watched import Fixed
from tests.oracles.html_page import HtmlPage
from tests.pipeline.left_behind import LeftBehind

HOT, NEAR = parse("{a = 1, b > 2} as hot"), parse("{device = laptop~} threshold 0.1 as near")


def page_of(folder: Path) -> tuple[HtmlPage, JobSummary]:
    summary = JobSummary.of(StoredJob.at(folder))
    return HtmlPage(report(summary)), summary


@pytest.fixture
def left(tmp_path: Path) -> LeftBehind:
    left = LeftBehind(tmp_path)
    left.events.mkdir()
    lines = [
        '{"@id": "e1", "a": 1, "b": 3}',
        '{"@id": "<e2>", "device": "computer"}',
        '{"@id": "e3", "device": "laptop"}',
        "{broken <script>",
        "{broken too",
    ]
    (left.events / "e.jsonl").write_text("\n".join(lines))
    return left


def test_a_job_is_told_from_its_totals_to_its_matches(left: LeftBehind) -> None:
    left.match([HOT, NEAR])
    LeftBehind(left.folder, MatcherSettings("exact")).match([HOT, parse("{b = 3} as other")])

    page, summary = page_of(left.matches)

    tally = summary.tally
    assert (tally.counts.events, tally.batches, tally.counts.dead_letters) == (6, 2, 4)
    assert tally.matches == {"hot": 2, "near": 2, "other": 1}
    for told in (
        "file:", "parquet:", "What the stream found", "2 of 2", "1 new, 1 gone", "measure exact",
        "{a = 1, b > 2} as hot", "no longer subscribed", "b > 2", "device: computer", "e.jsonl:2",
        "<e2>", "not valid JSON: object keys must be strings (byte …)", "{broken <script>",
        "Seconds of 2 cores",
    ):  # fmt: skip
        assert told in page.text
    assert len(page.described) == 4  # nobody told a lag
    assert "hot: 2; near: 2; other: 1" in page.described


def test_a_job_on_spark_is_told_with_its_lag_and_with_what_spark_took(
    spark: SparkSession, left: LeftBehind
) -> None:
    sink = BatchFolders(left.folder / "on spark", FileKind.JSON_LINES)
    job = MatchStream(Files(left.events), sink, Fixed([HOT]), JobFolder(left.folder / "checkpoint"))
    job.run(spark, JobMetrics(job.folder).watchers)

    page, summary = page_of(left.folder / "checkpoint")

    assert summary.waiting > 0
    assert "All matches have a probability of 1." in page.text
    assert "latestOffset" in page.text
    assert "stopped, last heard of at" in page.text
    assert len(page.described) == 5


def test_a_job_without_a_batch_has_a_page(left: LeftBehind) -> None:
    left.open()

    page, summary = page_of(left.matches)

    assert summary.asked() is None
    assert page.text.count("Nothing yet.") == 6
    assert page.described == []


def test_a_job_without_a_match_has_a_page(left: LeftBehind) -> None:
    left.match([parse("{never = 1} as never")])

    page, _ = page_of(left.matches)

    assert "0 of 1" in page.text
    assert "Events a second" in page.text
    assert "Matches by subscription" not in page.text


def test_a_page_can_be_made_while_a_batch_is_being_written(left: LeftBehind) -> None:
    left.match([HOT])
    job = left.job
    with job.alone():
        (job.folder / "staging" / "x").mkdir(parents=True)
        with (job.folder / "batches.jsonl").open("ab") as file:
            file.write(b'{"batch": 1, "ver')
        before = {path: path.stat().st_mtime_ns for path in left.folder.rglob("*")}

        _, summary = page_of(left.matches)

        assert summary.tally.batches == 1
        assert {path: path.stat().st_mtime_ns for path in left.folder.rglob("*")} == before


def test_events_that_are_gone_and_matches_that_are_elsewhere_are_told(left: LeftBehind) -> None:
    left.match([HOT, NEAR])
    (left.events / "e.jsonl").unlink()
    page, _ = page_of(left.matches)
    assert "the event is gone: " in page.text
    assert "hot" in page.text

    path = left.job.folder / "job.json"
    path.write_text(path.read_text().replace("parquet:", "kafka:").replace("file:", "mqtt:"))
    page, _ = page_of(left.matches)
    assert page.text.count("The matches are not in files, so they cannot be shown.") == 2

    path.write_text(path.read_text().replace("kafka:", "parquet:"))
    page, _ = page_of(left.matches)
    assert "cannot be read again, only those in files" in page.text


def test_versions_that_were_lost_are_told(left: LeftBehind) -> None:
    left.match([HOT])
    for path in left.job.subscriptions.iterdir():
        path.unlink()

    page, summary = page_of(left.matches)

    assert summary.asked() is None
    assert "1.purport: No such file or directory" in page.text


def test_without_the_extra_the_page_says_how_to_get_pictures(
    left: LeftBehind, monkeypatch: pytest.MonkeyPatch
) -> None:
    left.match([HOT])
    assert pictures_missing() is None
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    page, _ = page_of(left.matches)

    assert page.described == []
    assert page.text.count("No pictures: this needs the extra 'plots'") == 3
    assert "purport[plots]" in str(pictures_missing())


def test_many_subscriptions_matches_batches_and_reasons_still_make_a_small_page(
    tmp_path: Path,
) -> None:
    left, schema, count = LeftBehind(tmp_path), to_arrow_schema(MATCHES), 40_000
    job = left.open()
    Versions(job.subscriptions).number_of([parse("{a = 0} as s0")])
    lines = "".join(f"{{a = {number}}} as s{number}\n" for number in range(10_000))
    (job.subscriptions / "1.purport").write_text(lines)
    names = [f"s{number % 10_000}" for number in range(count)]
    rows = pa.RecordBatch.from_arrays(
        [
            pa.array([f"e{number}" for number in range(count)]),
            pa.array(names),
            pa.array(np.ones(count, np.int32)),
            pa.array(np.linspace(0.5, 1, count, dtype=np.float32)),
            pa.array([[0]] * count, schema.field("mapping").type),
            pa.array([[1.0]] * count, schema.field("similarities").type),
            pa.array(["e.jsonl"] * count),
            pa.array(np.arange(1, count + 1)),
            pa.nulls(count, schema.field("parts").type),
        ],
        schema=schema,
    )
    letters = [DeadLetter("e.jsonl", n, f"{'x' * (n % 300)} is wrong", "{") for n in range(900)]
    found = dict.fromkeys(names[:10000], 4)
    left.keep(1, [rows], letters, Counts(count, found, appeared=1.0))
    for _ in range(400):
        left.keep(1, [], [], Counts(10, {}, appeared=1.0))

    summary = JobSummary.of(StoredJob.at(left.matches))
    made = report(summary)
    page = HtmlPage(made)

    assert len(made) < 200_000
    assert summary.tally.batches == 401
    assert len(summary.courses) <= 200
    assert sum(one.events for one in summary.courses) == summary.tally.counts.events
    assert "10,000 of 10,000" in page.text
    assert "9,900 more" in page.text
    assert "more reasons" in page.text
    assert summary.seen is not None
    assert summary.seen.count == count
    assert [match.event_id for match in summary.seen.least(2)] == ["e0", "e1"]


def test_the_totals_are_json(left: LeftBehind) -> None:
    left.match([HOT, NEAR])

    told = msgspec.json.decode(msgspec.json.encode(page_of(left.matches)[1].totals()))

    assert told["events"] == told["matches"] == 3
    assert told["dead_letters_by_reason"] == {
        "not valid JSON: object keys must be strings (byte …)": 2
    }
