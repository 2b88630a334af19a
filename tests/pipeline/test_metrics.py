"""What a job did can be read while it runs: from files, and over HTTP."""

import json
import socket
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener
from pyspark.sql.streaming.query import StreamingQueryManager

from purport import InvalidInput, parse
from purport.errors import StreamFailed
from purport.pipeline.job_folder import BatchReport, JobFolder, JobIdentity
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.metrics.figures import Figures, QueryState
from purport.pipeline.metrics.job_metrics import MOST_SUBSCRIPTIONS, JobMetrics
from purport.pipeline.metrics.server import metrics_server
from purport.pipeline.notes import Counts
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.watched import Fixed
from tests.oracles.prometheus_text import ReadFamily, read_exposition

IDENTITY = JobIdentity("file:/in", "parquet:/out")


def job_in(folder: Path, *texts: str) -> MatchStream:
    """A job over files of events, one a batch."""
    events = folder / "events"
    events.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        (events / f"{number}.jsonl").write_text(text)
    sink = BatchFolders(folder / "matches")
    subscriptions = Fixed([parse("{a = 1} as one"), parse("{a = 2} as two")])
    return MatchStream(Files(events, files_per_batch=1), sink, subscriptions, JobFolder(sink.home))


def written(folder: JobFolder) -> tuple[dict[str, ReadFamily], dict[str, object]]:
    """What stands in a job's folder."""
    text = (folder.folder / "metrics.prom").read_text()
    return read_exposition(text), json.loads((folder.folder / "metrics.json").read_text())


def test_a_job_leaves_its_metrics_in_its_folder(spark: SparkSession, tmp_path: Path) -> None:
    job = job_in(tmp_path, '{"a": 1}\n{"a": 2}\n{"a": 1}\n', '{"a": 1}\n{\n')
    metrics = JobMetrics(job.folder)

    job.run(spark, metrics.watchers)

    families, as_json = written(job.folder)
    assert families["purport_events_total"].value == as_json["events"] == 4
    assert families["purport_matches_total"].by("subscription") == {"one": 3, "two": 1}
    assert families["purport_batches_total"].value == families["purport_triggers_total"].value == 2
    assert families["purport_dead_letters_total"].value == 1
    assert families["purport_problems_total"].value == 0
    assert families["purport_subscriptions_version"].value == 1
    assert families["purport_lag_seconds"].value > 0
    assert families["purport_job_state"].by("state") == {"running": 0, "stopped": 1, "failed": 0}
    assert set(families["purport_work_seconds_total"].by("part")) == {
        "reading", "matching", "handing_over",
    }  # fmt: skip
    parts = families["purport_trigger_part_seconds_total"].by("part")
    assert {"latestOffset", "walCommit", "addBatch", "commitOffsets"} <= set(parts)
    whole = families["purport_trigger_seconds_total"].value
    assert parts["addBatch"] <= sum(parts.values()) <= whole
    assert families["purport_batch_seconds_total"].value <= whole
    assert as_json["state"] == "stopped"
    assert as_json["sink"] == job.sink.place


def test_a_job_that_goes_on_counts_on(spark: SparkSession, tmp_path: Path) -> None:
    job_in(tmp_path, '{"a": 1}\n').run(spark)
    job = job_in(tmp_path, '{"a": 1}\n', '{"a": 1}\n{"a": 2}\n')

    job.run(spark, JobMetrics(job.folder).watchers)

    families, _ = written(job.folder)
    assert families["purport_events_total"].value == 3
    assert families["purport_matches_total"].by("subscription") == {"one": 2, "two": 1}
    assert families["purport_batches_total"].value == 2
    assert families["purport_triggers_total"].value == 1


def test_a_job_that_fails_says_so_and_nobody_listens_on(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_in(tmp_path, '{"a": 1}\n')
    metrics = JobMetrics(job.folder)
    listening: list[StreamingQueryListener] = []
    streams = type(spark.streams)
    add, remove = streams.addListener, streams.removeListener

    def note_added(self: StreamingQueryManager, listener: StreamingQueryListener) -> None:
        listening.append(listener)
        add(self, listener)

    def note_removed(self: StreamingQueryManager, listener: StreamingQueryListener) -> None:
        listening.remove(listener)
        remove(self, listener)

    monkeypatch.setattr(streams, "addListener", note_added)
    monkeypatch.setattr(streams, "removeListener", note_removed)

    def fail(_: BatchReport) -> None:
        assert len(listening) == 1
        raise RuntimeError("no more")

    with pytest.raises(StreamFailed):
        job.run(spark, Watchers(fail, during=metrics.during))

    families, _ = written(job.folder)
    assert families["purport_job_state"].by("state") == {"running": 0, "stopped": 0, "failed": 1}
    assert listening == []


def test_another_query_of_the_session_is_not_counted(spark: SparkSession, tmp_path: Path) -> None:
    job = job_in(tmp_path, '{"a": 1}\n')
    rates = spark.readStream.format("rate").load()
    other = rates.writeStream.format("noop").trigger(processingTime="100 milliseconds").start()
    try:
        job.run(spark, JobMetrics(job.folder).watchers)
    finally:
        other.stop()

    assert written(job.folder)[0]["purport_triggers_total"].value == 1


def report(number: int, matches: dict[str, int], seconds: float = 0.5) -> BatchReport:
    counts = Counts(10, matches, 1, appeared=95.0, reading=0.1, matching=0.2, handing_over=0.3)
    return BatchReport(number, 3, 100.0, seconds, counts)


@pytest.fixture
def metrics(tmp_path: Path) -> JobMetrics:
    job = JobFolder(tmp_path / "job")
    job.open(IDENTITY)
    kept = JobMetrics(job, clock=lambda: 123.0)
    kept.begin(IDENTITY, [])
    return kept


def test_figures_are_those_of_the_reports(metrics: JobMetrics) -> None:
    metrics.add(report(0, {"one": 2}))
    metrics.add(report(1, {"one": 1, "two": 4}, seconds=2.0))
    metrics.add_problem("a file stopped parsing")
    metrics.add_progress({})
    metrics.add_progress({"addBatch": 0.25, "triggerExecution": 0.5})
    metrics.add_progress({"addBatch": 0.5, "triggerExecution": 0.75})

    figures = metrics.figures()

    assert figures == Figures(
        source="file:/in", sink="parquet:/out", state=QueryState.RUNNING, started=123.0,
        last_progress=123.0, subscriptions_version=3, batches=2, events=20, matches=7,
        dead_letters=2, problems=1, lag_seconds=5.0,
        events_per_second={"last_batch": 5.0, "all_batches": 8.0}, batch_seconds=2.5,
        last_batch_seconds=2.0,
        work_seconds={"reading": 0.2, "matching": 0.4, "handing_over": 0.6}, triggers=2,
        trigger_seconds={"addBatch": 0.75, "triggerExecution": 1.25},
        last_trigger_seconds={"addBatch": 0.5, "triggerExecution": 0.75},
        matches_by_subscription={"one": 3, "two": 4},
    )  # fmt: skip
    families = read_exposition(figures.text())
    assert families["purport_last_trigger_seconds"].value == 0.75
    assert families["purport_last_trigger_part_seconds"].by("part") == {"addBatch": 0.5}
    assert families["purport_events_per_second"].by("over")["last_batch"] == 5.0


def test_a_job_without_a_batch_has_metrics_too(metrics: JobMetrics) -> None:
    families = read_exposition(metrics.figures().text())

    assert families["purport_events_total"].value == 0
    assert "purport_lag_seconds" not in families
    assert json.loads(metrics.figures().json())["lag_seconds"] is None


def test_odd_names_of_subscriptions_are_read_back(metrics: JobMetrics) -> None:
    odd = {'{a = "x"}': 1, "back\\slash\nline": 2, "näme": 3, "": 4}

    metrics.add(report(0, odd))

    families = read_exposition(metrics.figures().text())
    assert families["purport_matches_total"].by("subscription") == odd


def test_so_many_subscriptions_are_told_apart_and_counters_never_fall(metrics: JobMetrics) -> None:
    some = {f"s{number}": 1 for number in range(MOST_SUBSCRIPTIONS - 1)}
    seen: dict[str, float] = {}
    for number, found in enumerate(
        [some, {"late": 1, "other": 2, "later": 5}, {"latest": 900, "late": 3, "s0": 1}]
    ):
        metrics.add(report(number, found))
        told = read_exposition(metrics.figures().text())["purport_matches_total"].by("subscription")
        assert all(told[name] >= count for name, count in seen.items())
        seen = told

    assert len(seen) == MOST_SUBSCRIPTIONS + 1
    assert (seen["s0"], seen["late"], seen["other"]) == (2, 4, 907)
    assert sum(seen.values()) == metrics.figures().matches


def test_after_a_restart_those_with_the_most_matches_are_told_apart(tmp_path: Path) -> None:
    job = JobFolder(tmp_path)
    job.open(IDENTITY)
    found = {f"s{number}": number + 1 for number in range(MOST_SUBSCRIPTIONS + 100)}
    metrics = JobMetrics(job)

    metrics.begin(IDENTITY, [report(0, found)])

    told = metrics.figures().matches_by_subscription
    assert len(told) == MOST_SUBSCRIPTIONS + 1
    assert told["other"] == sum(range(1, 101))
    assert "s99" not in told


def test_metrics_that_cannot_be_written_are_told_once_and_stop_nothing(tmp_path: Path) -> None:
    told: list[str] = []
    metrics = JobMetrics(JobFolder(tmp_path / "nowhere"), told.append)

    metrics.begin(IDENTITY, [])
    metrics.add(report(0, {}))

    assert len(told) == 1
    assert "the metrics are not written" in told[0]
    assert metrics.figures().problems == 2


@pytest.fixture
def address(metrics: JobMetrics) -> Iterator[str]:
    metrics.add(report(0, {"one": 2}))
    with metrics_server(metrics.figures) as found:
        yield found


def test_metrics_are_served_to_prometheus_and_as_json(address: str, metrics: JobMetrics) -> None:
    with urlopen(address) as answer:
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert answer.read().decode() == metrics.figures().text()
    metrics.add(report(1, {"one": 1}))
    with urlopen(f"{address}.json?pretty=1") as answer:
        assert answer.headers["Content-Type"] == "application/json"
        assert json.load(answer)["matches_by_subscription"] == {"one": 3}
    with urlopen(Request(address, method="HEAD")) as answer:
        assert int(answer.headers["Content-Length"]) > 100
        assert answer.read() == b""


def test_what_is_not_served_is_told(address: str) -> None:
    with pytest.raises(HTTPError, match=r"there are /metrics and /metrics\.json") as caught:
        urlopen(address.replace("/metrics", "/"))
    caught.value.close()
    assert caught.value.code == 404
    with pytest.raises(HTTPError) as caught:
        urlopen(Request(address, data=b"{}"))
    caught.value.close()
    assert caught.value.code == 501


def test_a_server_ends_with_its_job_though_a_client_stays(metrics: JobMetrics) -> None:
    before = threading.active_count()
    with metrics_server(metrics.figures) as address:
        port = int(address.split(":")[2].split("/")[0])
        idle = socket.create_connection(("127.0.0.1", port))
        client = HTTPConnection("127.0.0.1", port)
        client.request("GET", "/metrics")
        assert client.getresponse().status == 200

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    idle.close()
    client.close()
    with metrics_server(metrics.figures, port) as again:
        assert again == address
    assert threading.active_count() <= before + 1


def test_a_port_that_is_taken_is_told(metrics: JobMetrics) -> None:
    with (
        metrics_server(metrics.figures) as address,
        pytest.raises(InvalidInput, match=r"the port \d+ for metrics cannot be had: Address"),
        metrics_server(metrics.figures, int(address.split(":")[2].split("/")[0])),
    ):
        pass
