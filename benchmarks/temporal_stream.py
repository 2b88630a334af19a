"""How quick are subscriptions to events in time on a stream, where every event matters to them?

Network alarms as JSON lines, two cores, one batch after another. Of the two passes over a batch the
second is the step that remembers: it reads what matters, and engines take it.
"""

import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from benchmarks.finding import Finding, at_least
from purport import parse
from purport.pipeline.found_matches import Matches
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.notes import Notes
from purport.pipeline.session import local_session
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.watched import Fixed

BATCHES = 6
EVENTS_A_BATCH = 100_000
LEAST = 30_000  # events a second that the step takes
WORKLOADS = {
    "a cause within 10 s, by port": [
        "{type = vpn down, start after(10 s) {type = link down, port = $port}}",
        "{type = link down, start after(10 s) {type = vpn down, port = $port}}",
    ],
    "KBN's Table 3: during, after": [
        "{end during {severity < 8}}",
        "{start after(500 s) {severity < 8}}",
        "{start after(125 s) {severity < 8}}",
        "{severity < 8, end during {severity < 5}}",
    ],
}


def findings() -> Iterator[Finding]:
    spark = local_session("purport benchmarks", cores="2")
    try:
        with tempfile.TemporaryDirectory(prefix="purport-bench-") as temporary:
            folder = Path(temporary)
            _write(folder / "events")
            for number, (what, texts) in enumerate(WORKLOADS.items()):
                sink = _TimedSink(folder / f"matches {number}")
                job = MatchStream(
                    Files(folder / "events", files_per_batch=1),
                    sink,
                    Fixed([parse(text) for text in texts]),
                    JobFolder(sink.home),
                    MatcherSettings(measure="exact"),
                )
                reports: list[BatchReport] = []
                job.run(spark, Watchers(reports.append))
                yield from _rates(what, sink.seconds[1:], reports[1:])
    finally:
        spark.stop()


def _rates(what: str, steps: list[float], reports: list[BatchReport]) -> Iterator[Finding]:
    """Of the batches after the first, in which workers begin."""
    told = sum(sum(one.counts.matches.values()) for one in reports)
    yield at_least(f"{what}: matches", told)
    step, whole = statistics.median(steps), statistics.median(one.seconds for one in reports)
    yield at_least(f"{what}: events a second through the step", EVENTS_A_BATCH / step, LEAST)
    yield at_least(f"{what}: events a second, from file to file", EVENTS_A_BATCH / whole)


@dataclass(frozen=True, slots=True)
class _TimedSink(BatchFolders):
    """Takes the time of the second pass, which is made when matches are written."""

    seconds: list[float] = field(default_factory=list)

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        began = time.perf_counter()
        BatchFolders.write(self, matches, batch, notes)
        self.seconds.append(time.perf_counter() - began)


def _write(folder: Path) -> None:
    folder.mkdir()
    drawn, number = random.Random(7), 0
    for batch in range(BATCHES):
        path = folder / f"{batch}.jsonl"
        with path.open("wb") as file:
            for _ in range(EVENTS_A_BATCH):
                number += 1
                file.write(msgspec.json.encode(_alarm(number, drawn)) + b"\n")
        os.utime(path, (1000 + batch, 1000 + batch))


def _alarm(number: int, drawn: random.Random) -> dict[str, object]:
    seconds = number / 2
    time = f"2026-01-{1 + int(seconds // 86_400):02}T{_clock(seconds % 86_400)}Z"
    return {
        "@id": f"alarm {number}", "@start": time, "@end": time,
        "type": drawn.choice(["link down", "vpn down"]), "port": drawn.randrange(40),
        "severity": drawn.randrange(10), "host": f"router {drawn.randrange(100)}",
    }  # fmt: skip


def _clock(seconds: float) -> str:
    whole = int(seconds)
    milliseconds = int(1000 * (seconds - whole))
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{milliseconds:03}"
