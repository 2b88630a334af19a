"""Subscriptions change while a stream runs; what cannot be used changes nothing."""

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from purport import InvalidInput, SubscriptionSyntaxError, parse
from purport.errors import SubscriptionFileError, UnusablePath
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.matcher_spec import MatcherSettings, MatcherSpec
from purport.pipeline.session import spark_address
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.versions import Versions
from purport.pipeline.watched import Watched


def test_a_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "city.purport"
    path.write_text("{a = 1}")
    watched = Watched([str(path), "{b = 1}"])
    problems: list[str] = []

    first = watched.current(problems.append)
    path.write_text("{a = 2} as two {a = 3} as three")
    second = watched.current(problems.append)

    assert list(first) == [parse("{a = 1}"), parse("{b = 1}")]
    assert [one.name for one in second] == ["two", "three", None]
    assert not problems


@pytest.mark.parametrize("broken", ["{a = ", "", "{a = 1} on change"])
def test_what_stops_parsing_leaves_the_last_good_ones_and_is_told_once(
    tmp_path: Path, broken: str
) -> None:
    path = tmp_path / "city.purport"
    path.write_text("{a = 1}")
    watched = Watched([str(path)])
    problems: list[str] = []

    path.write_text(broken)
    for _ in range(3):
        assert list(watched.current(problems.append)) == [parse("{a = 1}")]
    [problem] = problems
    path.write_text("{a = 22}")

    assert str(path) in problem
    assert list(watched.current(problems.append)) == [parse("{a = 22}")]


def test_a_file_that_goes_away_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "city.purport"
    path.write_text("{a = 1}")
    watched = Watched([str(path)])
    path.unlink()
    problems: list[str] = []

    assert list(watched.current(problems.append)) == [parse("{a = 1}")]
    assert len(problems) == 1


@pytest.mark.parametrize(("text", "error"), [("{a = ", SubscriptionFileError), ("", InvalidInput)])
def test_at_the_beginning_a_mistake_is_raised(
    tmp_path: Path, text: str, error: type[Exception]
) -> None:
    path = tmp_path / "city.purport"
    path.write_text(text)

    with pytest.raises(error):
        Watched([str(path)])
    with pytest.raises((SubscriptionSyntaxError, SubscriptionFileError)):
        Watched(["{a = "])


def test_versions_are_numbered_and_kept(tmp_path: Path) -> None:
    versions = Versions(tmp_path / "versions")
    one, two = [parse("{a = 1} as a")], [parse("{a~ = b~ } threshold 0.7"), parse("{b = c}")]

    numbers = [versions.number_of(given) for given in (one, one, two, one)]

    assert numbers == [1, 1, 2, 3]
    assert versions.read(2) == two
    with pytest.raises(UnusablePath):
        versions.read(9)


def test_a_worker_follows_the_subscriptions_and_keeps_its_matcher(tmp_path: Path) -> None:
    settings = MatcherSettings(measure="exact")
    texts = ["{a = 1} as a", "{a = 2} as b", "{a = 3} as c", "{a = 4} as d"]
    first, second, third = (
        MatcherSpec.of([parse(text) for text in some], settings)
        for some in (texts, [*texts[1:], "{a = 5} as a"], ["{a = 6} as a"])
    )

    matcher = first.build()
    assert second.build() is matcher
    assert len(matcher.subscriptions) == 4
    assert set(matcher.subscriptions) == {parse(text) for text in [*texts[1:], "{a = 5} as a"]}
    assert third.build().subscriptions == (parse("{a = 6} as a"),)
    assert set(first.build().subscriptions) == {parse(text) for text in texts}


def test_a_change_is_taken_up_at_the_next_batch_and_every_match_says_its_version(
    spark: SparkSession, tmp_path: Path
) -> None:
    events, subscriptions = tmp_path / "events", tmp_path / "city.purport"
    events.mkdir()
    for number in range(5):
        path = events / f"{number}.jsonl"
        path.write_text(f'{{"@id": "e{number}", "a": 1}}\n' * 1)
        os.utime(path, (1000 + number, 1000 + number))
    changes = {0: "{a = b~nobody}", 2: "{a = 1} as new"}
    subscriptions.write_text("{a = 1} as old")
    reports: list[BatchReport] = []
    problems: list[str] = []

    def on_batch(report: BatchReport) -> None:
        reports.append(report)
        if report.batch in changes:
            subscriptions.write_text(changes[report.batch])

    sink = BatchFolders(tmp_path / "matches")
    job = MatchStream(
        Files(events, files_per_batch=1), sink, Watched([str(subscriptions)]), JobFolder(sink.home)
    )
    job.run(spark, Watchers(on_batch, problems.append))

    rows = spark.read.parquet(spark_address(sink.folder)).orderBy("event_id").collect()
    assert [(row.event_id, row.subscription, row.version) for row in rows] == [
        ("e0", "old", 1), ("e1", "old", 1), ("e2", "old", 1), ("e3", "new", 2), ("e4", "new", 2),
    ]  # fmt: skip
    assert [report.version for report in reports] == [1, 1, 1, 2, 2]
    assert len(problems) == 1
    assert "stay as they were" in problems[0]
    assert [one.name for one in Versions(job.folder.subscriptions).read(1)] == ["old"]
