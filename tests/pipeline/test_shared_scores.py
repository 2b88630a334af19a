"""Words are scored once, across batches, workers and restarts, within a bound."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from pyspark.sql import SparkSession

from purport import parse
from purport.matching import measures
from purport.pipeline.job_folder import JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.watched import Fixed
from purport.relatedness.score_blocks import ScoreBlocks
from tests.pipeline.counted import CountedSettings, asked_in, often_asked

ASKED = [parse("{device~ = laptop~, place = office~} threshold 0.1 as near")]


@pytest.fixture
def fresh_workers(spark: SparkSession) -> Iterator[SparkSession]:
    """Spark with Python workers that were not there before."""
    environment = spark.sparkContext.environment
    before = dict(environment)
    environment["PURPORT_TEST"] = uuid4().hex
    yield spark
    environment.clear()
    environment.update(before)


def restart_workers(spark: SparkSession) -> None:
    spark.sparkContext.environment["PURPORT_TEST"] = uuid4().hex


def write(path: Path, words: Sequence[str]) -> None:
    path.parent.mkdir(exist_ok=True)
    said = ({"device": word, "place": f"{word} place"} for word in words)
    path.write_bytes(b"\n".join(map(msgspec.json.encode, said)))


def job_of(folder: Path, files_per_batch: int | None = 1) -> MatchStream:
    sink = BatchFolders(folder / "matches")
    return MatchStream(
        Files(folder / "events", files_per_batch=files_per_batch),
        sink,
        Fixed(ASKED),
        JobFolder(sink.home),
        CountedSettings(log=folder / "log"),
    )


def test_a_word_is_scored_once_over_batches_and_restarts(
    fresh_workers: SparkSession, tmp_path: Path
) -> None:
    write(tmp_path / "events" / "1.jsonl", ["notebook", "tablet"])
    write(tmp_path / "events" / "2.jsonl", ["tablet", "phone"])
    job_of(tmp_path).run(fresh_workers)
    often = often_asked(tmp_path / "log")
    assert often["laptop", "phone"] == often["device", "place"] == 1
    assert set(often.values()) == {1}

    restart_workers(fresh_workers)
    write(tmp_path / "events" / "3.jsonl", ["phone", "notebook", "camera"])
    job_of(tmp_path).run(fresh_workers)

    often = often_asked(tmp_path / "log")
    assert often["laptop", "camera"] == 1
    assert set(often.values()) == {1}
    assert len({process for process, _, _ in asked_in(tmp_path / "log")}) > 1


def test_workers_that_meet_a_word_in_the_same_batch_score_it_once_each_and_share_it_then(
    fresh_workers: SparkSession, tmp_path: Path
) -> None:
    for number in range(4):
        write(tmp_path / "events" / f"{number}.jsonl", ["notebook", "tablet"])
    job_of(tmp_path, files_per_batch=4).run(fresh_workers)
    before = asked_in(tmp_path / "log")
    processes = {process for process, _, _ in before}
    assert 1 <= len(processes) <= 2
    assert len(before) == len(set(before))

    for number in range(4, 8):
        write(tmp_path / "events" / f"{number}.jsonl", ["tablet", "notebook"])
    restart_workers(fresh_workers)
    job_of(tmp_path, files_per_batch=4).run(fresh_workers)

    assert asked_in(tmp_path / "log") == before


def test_a_damaged_block_of_scores_is_told_and_scored_again(
    fresh_workers: SparkSession, tmp_path: Path
) -> None:
    write(tmp_path / "events" / "1.jsonl", ["notebook"])
    job = job_of(tmp_path)
    job.run(fresh_workers)
    [block] = job.folder.scores.glob("default-values-*/block-*.npz")
    block.write_bytes(block.read_bytes()[:50])
    restart_workers(fresh_workers)
    write(tmp_path / "events" / "2.jsonl", ["notebook"])
    problems: list[str] = []

    job.run(fresh_workers, Watchers(on_problem=problems.append))

    [problem] = problems
    assert f"{block}: the block of scores is damaged" in problem
    assert often_asked(tmp_path / "log")["laptop", "notebook"] == 2
    assert [report.counts.matches["near"] for report in job.folder.reports()] == [1, 1]
    assert list(job.folder.reports())[1].counts.problems == problems


def test_scores_that_cannot_be_kept_are_told_and_matching_goes_on(tmp_path: Path) -> None:
    log, folder = tmp_path / "log", tmp_path / "scores"
    matcher = CountedSettings(scores=folder, log=log).matcher()
    for one in ASKED:
        matcher.add(one)
    matcher.match_batch([{"device": "notebook", "place": "office"}])
    for table in folder.iterdir():
        table.rename(table.with_name(f"{table.name} moved"))

    problems = matcher.measures.share_scores()

    assert len(problems) == 2
    assert "No such file or directory" in problems[0]
    assert len(matcher.match_batch([{"device": "notebook", "place": "office"}])) == 1


def test_beyond_the_bound_matching_goes_on_and_the_user_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measures, "MOST_SCORES", 6)
    log, folder = tmp_path / "log", tmp_path / "scores"
    matcher = CountedSettings(scores=folder, log=log).matcher()
    for one in ASKED:
        matcher.add(one)

    for word in ("notebook", "tablet", "phone", "camera"):
        matcher.match_batch([{"device": word, "place": word}])

    [problem] = matcher.measures.share_scores()
    assert problem.startswith(str(folder / "default-values-"))
    assert problem.endswith(
        ": the table of scores is full (6): what is not in it is scored each time it is met"
    )
    assert matcher.measures.share_scores() == []


def test_sharing_reads_no_block_when_nothing_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = CountedSettings(scores=tmp_path / "scores", log=tmp_path / "log").matcher()
    for one in ASKED:
        matcher.add(one)
    matcher.match_batch([{"device": "notebook", "place": "office"}])
    matcher.measures.share_scores()

    def fail(*_: object) -> None:
        raise AssertionError("nothing is new")

    monkeypatch.setattr(ScoreBlocks, "read", fail)
    monkeypatch.setattr(ScoreBlocks, "write", fail)
    matcher.match_batch([{"device": "notebook", "place": "office"}])
    assert matcher.measures.share_scores() == []
