"""How quick is a stream on Spark, from JSON lines to matches in Parquet?

The events and subscriptions are those of `approximate_matching`, written as files and streamed; all
ways of doing it run in one Spark on two cores, one after another.
"""

import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from benchmarks.catalyst_matching import CatalystMatcher
from benchmarks.finding import Finding, at_least, at_most, quickest_seconds
from benchmarks.matching_workload import MatchingWorkload
from purport.matching.measures import Measures
from purport.model.subscription import Subscription
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.session import local_session, spark_address
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.sources.source import Source
from purport.pipeline.watched import Fixed
from purport.relatedness.catalogue import defaults_are_made

EVENTS_A_BATCH = 400_000
FILES_A_BATCH = 4
BATCHES = 5
CATALYST_EVENTS = 50_000
SMALL_BATCHES = 25
MANY_SUBSCRIPTIONS = 10_000
LONG_RUN = 20_000_000
_MB = 1024 * 1024


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    with (
        tempfile.TemporaryDirectory(prefix="purport-bench-") as temporary,
        running_spark() as spark,
    ):
        folder = Path(temporary)
        workload = MatchingWorkload.generate(100, EVENTS_A_BATCH)
        batch = folder / "batch"
        write_files(workload, batch)
        yield from _throughput(spark, workload, folder, batch)
        yield from _catalyst(spark, workload, folder, batch)
        yield from _latency(spark, workload, folder)
        yield from _many_subscriptions(spark, folder)


def long_run() -> Iterator[Finding]:
    """What driver and workers take in memory over twenty million events."""
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    with (
        tempfile.TemporaryDirectory(prefix="purport-bench-") as temporary,
        running_spark() as spark,
    ):
        folder = Path(temporary)
        workload = MatchingWorkload.generate(100, EVENTS_A_BATCH)
        write_files(workload, folder / "batch")
        events = linked(folder / "batch", folder / "events", LONG_RUN // EVENTS_A_BATCH)
        with _memory() as most:
            reports = _stream(spark, events, folder / "matches", workload.subscriptions)
    done = sum(report.counts.events for report in reports)
    seconds = sum(report.seconds for report in reports)
    yield Finding("events", f"{done:,}", f"{LONG_RUN:,}", done == LONG_RUN)
    yield at_least("events a second, from the first batch to the last", done / seconds)
    for process, size in most.items():
        yield at_most(f"most memory of the {process}, in MB", size / _MB, 3 * 1024)


def _throughput(
    spark: SparkSession, workload: MatchingWorkload, folder: Path, batch: Path
) -> Iterator[Finding]:
    events = linked(batch, folder / "events", BATCHES)
    reports = _stream(spark, events, folder / "matches", workload.subscriptions)
    warm = reports[1:]
    rates = [report.counts.events / report.seconds for report in warm]
    yield Finding("events in a batch", f"{reports[0].counts.events:,}")
    yield Finding("matches an event", f"{_matches(reports) / _events(reports):.2f}")
    yield at_least("events a second, JSON lines to Parquet, best batch", max(rates), 150_000)
    yield at_least("the same, median of the batches", statistics.median(rates), 150_000)
    for what, seconds in _shares(warm):
        yield Finding(f"of it {what}", f"{100 * seconds:.0f} %")
    plain = quickest_seconds(lambda: _rewrite(spark, batch, folder / "plain"), runs=3)
    ours = EVENTS_A_BATCH / max(rates)
    yield at_least(
        "reading and re-writing without matching takes, of that", plain / ours, 0.5, " x"
    )


def _shares(reports: Sequence[BatchReport]) -> Iterator[tuple[str, float]]:
    """Where the time of two cores goes."""
    whole = 2 * sum(report.seconds for report in reports)
    reading = sum(report.counts.reading for report in reports) / whole
    matching = sum(report.counts.matching for report in reports) / whole
    handing_over = sum(report.counts.handing_over for report in reports) / whole
    yield "finding and reading files", reading
    yield "parsing and matching", matching
    yield "writing matches as Parquet", handing_over
    yield "planning, remembering, waiting", 1 - reading - matching - handing_over


def _catalyst(
    spark: SparkSession, workload: MatchingWorkload, folder: Path, batch: Path
) -> Iterator[Finding]:
    some = folder / "some"
    few = MatchingWorkload(workload.subscriptions, workload.events[:CATALYST_EVENTS])
    write_files(few, some)
    catalyst = CatalystMatcher(spark, few, Measures("calibrated"))
    out = spark_address(folder / "catalyst")
    seconds = quickest_seconds(
        lambda: catalyst.matches(some).write.mode("overwrite").parquet(out), runs=3
    )
    reports = _stream(spark, linked(some, folder / "few", 3), folder / "few matches",
                      workload.subscriptions)  # fmt: skip
    ours = min(report.seconds for report in reports[1:])
    theirs = {(row.event_id, row.subscription) for row in spark.read.parquet(out).collect()}
    found = {
        (row.event_id, row.subscription)
        for row in spark.read.parquet(spark_address(folder / "few matches")).collect()
    }
    same = len(theirs & found) / max(1, len(theirs | found))
    yield at_least("of the matches, the two ways agree on", 100 * same, 99.9, " %")
    yield at_least("pure Catalyst takes, of the stream's time", seconds / ours, 5, " x")


def _latency(spark: SparkSession, workload: MatchingWorkload, folder: Path) -> Iterator[Finding]:
    """What a small batch takes, and how long after a file appears its matches are there."""
    events = folder / "small"
    events.mkdir()
    seen: list[BatchReport] = []
    names = iter(range(SMALL_BATCHES))
    is_over = threading.Event()

    def put() -> None:
        number = next(names, None)
        if number is None:
            is_over.set()
            return
        few = MatchingWorkload(workload.subscriptions, workload.events[:10])
        hidden = folder / "hidden.jsonl"
        hidden.write_bytes(json_lines(few, number))
        hidden.rename(events / f"{number}.jsonl")

    def on_batch(report: BatchReport) -> None:
        seen.append(report)
        put()

    put()
    job = _job(events, folder / "small matches", workload.subscriptions)
    durations: list[float] = []
    watcher = threading.Thread(target=_watch, args=(spark, durations, is_over))
    watcher.start()
    job.run(spark, Watchers(on_batch), until_end=False, every_seconds=0)
    watcher.join()
    warm = durations[3:]
    yield at_most("ms for a small batch, whole trigger, median", statistics.median(warm), 500)
    lags = [1000 * (report.lag_seconds or 0) for report in seen[3:]]
    yield Finding("ms from a file to its matches, median", f"{statistics.median(lags):,.0f}")


def _watch(spark: SparkSession, durations: list[float], is_over: threading.Event) -> None:
    """Note what each trigger took, and stop the query after the last."""
    known: dict[int, float] = {}
    while not spark.streams.active:
        time.sleep(0.05)
    while spark.streams.active:
        for query in spark.streams.active:
            for progress in query.recentProgress:
                if progress.numInputRows:
                    known[progress.batchId] = float(progress.durationMs["triggerExecution"])
            if is_over.is_set() and not query.status["isTriggerActive"]:
                query.stop()
        time.sleep(0.2)
    durations += [known[batch] for batch in sorted(known)]


def _many_subscriptions(spark: SparkSession, folder: Path) -> Iterator[Finding]:
    taken = {}
    for count in (100, MANY_SUBSCRIPTIONS):
        workload = MatchingWorkload.generate(count, EVENTS_A_BATCH // 2, threshold=0.8)
        batch = folder / f"batch {count}"
        write_files(workload, batch)
        events = linked(batch, folder / f"events {count}", 3)
        reports = _stream(spark, events, folder / f"matches {count}", workload.subscriptions)
        taken[count] = min(report.seconds for report in reports[1:])
        found = _matches(reports) / _events(reports)
        yield Finding(f"{count:,} subscriptions at 0.8: matches an event", f"{found:.2f}")
    ratio = taken[MANY_SUBSCRIPTIONS] / taken[100]
    yield at_most(f"{MANY_SUBSCRIPTIONS:,} subscriptions take, of the time of 100", ratio, 5, " x")


def _stream(
    spark: SparkSession, events: Path, matches: Path, subscriptions: Sequence[Subscription]
) -> list[BatchReport]:
    reports: list[BatchReport] = []
    _job(events, matches, subscriptions).run(spark, Watchers(reports.append))
    return reports


def stream_from(
    spark: SparkSession, source: Source, matches: Path, subscriptions: Sequence[Subscription]
) -> list[BatchReport]:
    """A job from any source into Parquet, run to its end."""
    reports: list[BatchReport] = []
    sink = BatchFolders(matches)
    job = MatchStream(source, sink, Fixed(subscriptions), JobFolder(sink.home))
    job.run(spark, Watchers(reports.append))
    return reports


def _job(events: Path, matches: Path, subscriptions: Sequence[Subscription]) -> MatchStream:
    sink = BatchFolders(matches)
    source = Files(events, files_per_batch=FILES_A_BATCH)
    return MatchStream(source, sink, Fixed(subscriptions), JobFolder(sink.home))


def _rewrite(spark: SparkSession, events: Path, out: Path) -> None:
    """What Spark does with the same events when there is nothing to match."""
    told = spark.read.text(spark_address(events)).select(
        f.from_json("value", "map<string,string>").alias("told")
    )
    told.write.mode("overwrite").parquet(spark_address(out))


def write_files(workload: MatchingWorkload, folder: Path) -> None:
    folder.mkdir()
    share = -(-len(workload.events) // FILES_A_BATCH)
    for number in range(FILES_A_BATCH):
        part = workload.events[number * share : (number + 1) * share]
        text = json_lines(MatchingWorkload(workload.subscriptions, part), number)
        (folder / f"{number}.jsonl").write_bytes(text)


def json_lines(workload: MatchingWorkload, number: int) -> bytes:
    return b"".join(
        msgspec.json.encode({"@id": f"e{number}-{place}", **event}) + b"\n"
        for place, event in enumerate(workload.events)
    )


def linked(batch: Path, folder: Path, times: int) -> Path:
    """A folder in which the files of a batch stand many times, without copies on the disk."""
    folder.mkdir()
    for again in range(times):
        for path in sorted(batch.iterdir()):
            os.link(path, folder / f"{again:03}-{path.name}")
    return folder


@contextmanager
def running_spark() -> Iterator[SparkSession]:
    spark = local_session("purport benchmarks", cores="2")
    try:
        yield spark
    finally:
        spark.stop()


@contextmanager
def _memory() -> Iterator[dict[str, int]]:
    """The most memory that driver, JVM and workers have taken meanwhile, in bytes."""
    most: dict[str, int] = {}
    is_over = threading.Event()

    def look() -> None:
        while not is_over.wait(0.5):
            for name, size in _sizes():
                most[name] = max(size, most.get(name, 0))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        is_over.set()
        thread.join()


def _sizes() -> Iterator[tuple[str, int]]:
    """Resident memory of this process and all that came out of it."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    waiting = [(os.getpid(), "driver")]
    while waiting:
        process, kind = waiting.pop()
        try:
            name = Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip()
            size = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
        except OSError:
            continue
        yield ("driver's JVM" if name == "java" else kind), size * os.sysconf("SC_PAGE_SIZE")
        below = "worker" if name == "java" or kind == "worker" else kind
        waiting += [(child, below) for child in children.get(process, [])]


def _events(reports: Sequence[BatchReport]) -> int:
    return sum(report.counts.events for report in reports)


def _matches(reports: Sequence[BatchReport]) -> int:
    return sum(sum(report.counts.matches.values()) for report in reports)
