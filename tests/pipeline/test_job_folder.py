"""A job's folder, with others looking on."""

from pathlib import Path

import pytest

from purport import InvalidInput
from purport.model.event_lines import DeadLetter
from purport.pipeline.job_folder import BatchReport, JobFolder, JobIdentity
from purport.pipeline.notes import Counts
from purport.pipeline.stored.letters import StoredLetters

IDENTITY = JobIdentity("file:/in", "parquet:/out")


def opened(folder: Path) -> JobFolder:
    job = JobFolder(folder)
    job.open(IDENTITY)
    return job


def report(number: int) -> BatchReport:
    return BatchReport(number, 1, 10.0, 0.5, Counts(events=3), 2)


def test_whoever_looks_leaves_a_half_written_report_to_the_job(tmp_path: Path) -> None:
    job = opened(tmp_path)
    job.keep(report(0), job.notes())
    path = tmp_path / "batches.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"batch":1,"ver')

    assert list(job.reports()) == [report(0)]
    assert job.identity() == IDENTITY
    assert path.read_bytes().endswith(b'"ver')
    with job.alone():
        assert path.read_bytes() == whole
        job.keep(report(1), job.notes())
    assert list(job.reports()) == [report(0), report(1)]


def test_a_second_process_does_not_touch_what_the_first_is_at(tmp_path: Path) -> None:
    job = opened(tmp_path)
    with job.alone():
        notes = job.notes()

        job.open(IDENTITY)
        with pytest.raises(InvalidInput, match="another process runs this job"), job.alone():
            pass

        assert notes.folder.exists()
    with job.alone():
        assert not notes.folder.exists()


def test_a_report_from_before_cores_were_told_is_read(tmp_path: Path) -> None:
    line = b'{"batch":0,"version":1,"finished":1.0,"seconds":2.0,"counts":{"events":1}}\n'
    (tmp_path / "batches.jsonl").write_bytes(line)

    [found] = JobFolder(tmp_path).reports()

    assert found.cores == 1
    assert found.lag_seconds is None


def test_what_a_process_died_over_at_its_start_is_not_in_the_way(tmp_path: Path) -> None:
    unfinished = tmp_path / f".job.json-{'0' * 32}"
    unfinished.write_bytes(b"{")

    job = opened(tmp_path)
    with job.alone():
        assert not unfinished.exists()


def test_a_lexicon_stays_as_it_was_when_the_job_began(tmp_path: Path) -> None:
    rules = tmp_path / "rules.lexicon"
    rules.write_text("a = b\n")
    job = opened(tmp_path / "job")

    first = job.keep_lexicon(rules)
    rules.write_text("a = c\n")
    second = job.keep_lexicon(rules)

    assert first.read_text() == "a = b\n"
    assert second.read_text() == "a = c\n"
    assert job.keep_lexicon(rules) == second


def test_of_a_batch_that_is_done_again_the_dead_letters_of_the_last_time_are_left(
    tmp_path: Path,
) -> None:
    job = opened(tmp_path)

    for reasons in (["a", "b"], ["c"], []):
        notes = job.notes()
        letters = [DeadLetter("source", 1, reason, "text") for reason in reasons]
        notes.refuse(letters, f"part-{len(reasons):05}")
        job.keep(report(0), notes)

        kept = StoredLetters(job.dead_letters).of_batch(0, 10)
        assert [one.reason for one in kept] == reasons
        assert not notes.folder.exists()
