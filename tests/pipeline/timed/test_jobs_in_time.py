"""A job with subscriptions to events in time tells what one engine tells, restarted or not."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from purport import parse
from purport.errors import EventError
from purport.model.event import Event
from purport.model.event_lines import events_in_file
from purport.model.interval import time_of
from purport.model.subscription import Subscription
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.report import report
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.stored.explanation import StoredExplanations
from purport.pipeline.stored.job import StoredJob
from purport.pipeline.stored.letters import StoredLetters
from purport.pipeline.stored.matches import StoredMatch, StoredMatches, matches_in
from purport.pipeline.stored.summary import JobSummary
from purport.pipeline.watched import Fixed, Subscribed
from purport.temporal.engine import TemporalEngine
from tests.oracles.temporal_arrivals import Publication, Step
from tests.strategies.temporal import exact_subscriptions, streams
from tests.strategies.wine_cellar import lasting_cellar_file

EXACT = MatcherSettings(measure="exact", ontology=(lasting_cellar_file(),))
Answers = list[tuple[str, str]]


def write_files(folder: Path, files: Sequence[Sequence[bytes]], first: int = 0) -> None:
    """Files that appeared one after the other."""
    folder.mkdir(exist_ok=True)
    for number, lines in enumerate(files, first):
        path = folder / f"{number}.jsonl"
        path.write_bytes(b"\n".join(lines))
        os.utime(path, (1000 + number, 1000 + number))


def job_of(
    events: Path, subscribed: Subscribed, *, late: int = 0, files_per_batch: int = 1
) -> MatchStream:
    sink = BatchFolders(events.parent / "matched")
    source = Files(events, files_per_batch=files_per_batch)
    folder, allowance = JobFolder(sink.home), timedelta(microseconds=late)
    return MatchStream(source, sink, subscribed, folder, EXACT, None, allowance)


def written(job: MatchStream) -> list[StoredMatch]:
    assert isinstance(job.sink, BatchFolders)
    batches = StoredMatches(job.sink.folder).batches()
    return [match for batch in batches for match in matches_in(batch)]


def in_process(folder: Path, subscriptions: Sequence[Subscription], late: int = 0) -> Answers:
    """What one engine tells of the events of files that have a time."""
    engine = TemporalEngine(EXACT.matcher, allowance=timedelta(microseconds=late))
    engine.add_all({one.name or "": one for one in subscriptions})
    told: Answers = []
    for path in sorted(folder.iterdir(), key=lambda one: int(one.stem)):
        for event in events_in_file(path):
            if isinstance(event, Event) and event.interval is not None:
                try:
                    detections = engine.take(event, time_of(0)).detections
                except EventError:
                    continue
                told += [(one.subscription, one.event.id or "") for one in detections]
    return sorted(told)


def at(second: int, name: str, **said: object) -> bytes:
    """An instant."""
    return json.dumps({"@id": name, "@start": second, "@end": second, **said}).encode()


@settings(
    max_examples=4,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(exact_subscriptions, min_size=6, max_size=6),
    streams(24),
    st.sampled_from([0, 2]),
    st.integers(1, 3),
)
def test_any_stream_gives_the_same_on_spark_and_in_process(
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
    subscriptions: list[Subscription],
    steps: list[Step],
    late: int,
    files_per_batch: int,
) -> None:
    events = tmp_path_factory.mktemp("job") / "events"
    named = [
        Subscription(one.pattern, one.options, f"s{number}")
        for number, one in enumerate(subscriptions)
    ]
    lines = [one.event.to_json() for one in steps if isinstance(one, Publication)]
    files = [lines[start : start + 5] for start in range(0, len(lines), 5)]
    job = job_of(events, Fixed(named), late=late, files_per_batch=files_per_batch)

    for half in (slice(0, 3), slice(3, None)):  # the second is another run, which builds anew
        write_files(events, files[half], half.start)
        job.run(spark)

    found = [(match.subscription, match.event_id) for match in written(job)]
    assert sorted(found) == in_process(events, named, late)


def test_plain_and_temporal_subscriptions_are_matched_together(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = tmp_path / "events"
    asked = [
        parse("{kind = vpn down} as plain"),
        parse("{kind = vpn down, start after(10 s) {kind = link down, port = $port}} as cause"),
    ]
    write_files(
        events,
        [
            [at(1, "e1", kind="link down", port=1), at(2, "e2", kind="vpn down", port=2)],
            [at(3, "e3", kind="vpn down", port=1), at(20, "e4", kind="vpn down", port=1)],
        ],
    )

    job = job_of(events, Fixed(asked))
    job.run(spark)

    found = {(one.subscription, one.event_id): one for one in written(job)}
    assert sorted(found) == [("cause", "e3"), *(("plain", f"e{n}") for n in (2, 3, 4))]
    assert found["plain", "e2"].parts is None
    [explained] = [one for one in written(job) if one.parts is not None]
    why = StoredExplanations(StoredJob.at(job.folder.folder)).in_time(explained)
    assert [(one.place, one.event.id) for one in why.parts] == [
        ("start after(10 s) {kind = link down, port = $port}", "e1")
    ]
    assert "e1, 1970-01-01T00:00:01+00:00: kind: link down, port: 1  (1.00)" in why.text()
    assert "<code>start after(10 s)" in report(JobSummary.of(StoredJob.at(job.folder.folder)))
    cause = found["cause", "e3"]
    assert [one.event_id for one in cause.parts or ()] == ["e1"]
    assert (cause.source, cause.offset) == ("1.jsonl", 1)


def test_what_contradicts_is_a_dead_letter_and_what_is_late_or_without_a_time_is_counted(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = tmp_path / "events"
    asked = [parse("{kind = a, start after {kind = b}} as one")]
    write_files(
        events,
        [
            [at(10, "e1", kind="a"), b'{"@id": "e2", "@end": 12}', b'{"@id": "e3", "kind": "b"}'],
            [at(5, "e4", kind="b"), at(11, "e1", kind="a"), b'{"@id": "e5", "kind": "c"}'],
        ],
    )
    reports: list[BatchReport] = []
    job = job_of(events, Fixed(asked))

    job.run(spark, Watchers(reports.append))

    letters = [
        one for batch in (0, 1) for one in StoredLetters(job.folder.dead_letters).of_batch(batch, 9)
    ]
    assert [(one.source, one.line) for one in letters] == [("0.jsonl", 2), ("1.jsonl", 2)]
    assert "nobody said that it began" in letters[0].reason
    assert letters[0].text == '{"@id":"e2","@end":"1970-01-01T00:00:12+00:00"}'
    assert "was told before" in letters[1].reason
    assert sum(one.counts.late for one in reports) == 1
    assert sum(one.counts.without_time for one in reports) == 1
    assert sum(one.counts.dead_letters for one in reports) == 2


@dataclass(slots=True)
class Changing:
    """Subscriptions that are others with each look."""

    versions: list[Sequence[Subscription]]
    _looks: int = field(default=0)

    def current(self, tell: Callable[[str], None]) -> Sequence[Subscription]:
        found = self.versions[min(max(0, self._looks - 1), len(self.versions) - 1)]
        self._looks += 1
        return found


def test_a_subscription_that_comes_later_knows_what_happened(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = tmp_path / "events"
    old = parse("{kind = a} then {kind = b} as old")
    new = parse("{kind = c, start after {kind = a}} as new")
    write_files(
        events,
        [
            [at(1, "e1", kind="a"), at(2, "e2", kind="c")],
            [at(3, "e3", kind="c"), at(4, "e4", kind="b")],
            [at(5, "e5", kind="c"), at(6, "e6", kind="b")],
        ],
    )
    job = job_of(events, Changing([[old], [old, new], [new]]))

    job.run(spark)

    found = sorted((one.subscription, one.event_id) for one in written(job))
    assert found == [("new", "e3"), ("new", "e5"), ("old", "e4")]
