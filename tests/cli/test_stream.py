"""`purport stream`, as it is typed; in a process of its own where that is what matters."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.commands import Done, Run


def start(
    *arguments: object, folder: Path, first: Callable[[], None] | None = None
) -> subprocess.Popen[str]:
    """Start it in a folder, with a folder of its own for what is temporary."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "purport", "stream", *map(str, arguments), "--cores", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(temporary)},
        start_new_session=True,
        preexec_fn=first,
    )


def ended(job: subprocess.Popen[str]) -> Done:
    """What it has left behind in the end."""
    output, errors = job.communicate(timeout=300)
    return Done(job.returncode, output, errors)


@pytest.fixture
def run(run: Run, spark: SparkSession) -> Run:
    """Runs `purport stream` in this process."""
    return run.below("stream")


def matched(folder: Path) -> list[str]:
    """The ids of the events whose matches were written."""
    texts = [path.read_text() for path in folder.glob("matches/batch=*/part-*")]
    return [json.loads(line)["event_id"] for text in texts for line in text.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "e.jsonl").write_text('{"@id": "e1", "a": 1}\n{broken\n')
    (tmp_path / "subs.purport").write_text("{a = 1} as hot\n")
    return tmp_path


ASKED = ("--from", "file:events/", "-s", "subs.purport", "--until-end")


def test_matches_are_shown_and_nothing_is_left_behind(folder: Path) -> None:
    done = ended(start(*ASKED, "--to", "console:", folder=folder))

    assert (done.status, done.errors) == (0, "")
    assert "│ e1    │ hot          │        1.00 │ 0       │" in done.output
    assert "1 dead letters" in done.output
    assert "not kept without a checkpoint" in done.output
    assert not list((folder / "temporary").glob("purport-*"))


def test_matches_that_are_shown_do_not_get_among_the_json(run: Run, folder: Path) -> None:
    done = run(*ASKED, "--to", "console:", "--json", folder=folder)

    [report] = map(json.loads, done.output.splitlines())
    assert report["counts"]["matches"] == {"hot": 1}
    assert "│ e1 " in done.errors


def test_a_disk_that_takes_no_more_loses_nothing(run: Run, folder: Path) -> None:
    large = folder / "events" / "large.jsonl"
    large.write_text("".join(f'{{"@id": "l{number}", "a": 1}}\n' for number in range(40_000)))

    def most_of_a_file() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**21, 2**21))

    to_files = (*ASKED, "--to", "jsonl:matches")
    stopped = ended(start(*to_files, folder=folder, first=most_of_a_file))
    before = matched(folder)
    done = run(*to_files, folder=folder)

    assert (stopped.status, before) == (1, [])
    [told] = stopped.errors.splitlines()
    assert told == "purport: the stream stopped: File too large"
    assert done.status == 0, done.errors
    assert sorted(matched(folder)) == sorted(["e1", *(f"l{number}" for number in range(40_000))])


def test_stopped_it_ends_without_a_word_and_goes_on_later(run: Run, folder: Path) -> None:
    for number in range(6):
        (folder / "events" / f"{number}.jsonl").write_text(f'{{"@id": "f{number}", "a": 1}}')
    asked = ("--from", "file:events/?files_per_batch=1", *ASKED[2:], "--to", "jsonl:matches")
    job = start(*asked, "--json", folder=folder)
    assert job.stdout is not None
    first = job.stdout.readline()
    job.send_signal(signal.SIGTERM)
    rest, told = job.communicate(timeout=120)
    before = matched(folder)
    done = run(*asked, folder=folder)

    assert job.returncode == 130
    assert "Traceback" not in told and "Exception" not in told, told
    assert len(before) == sum(
        json.loads(line)["counts"]["events"] for line in [first, *rest.splitlines()]
    )
    assert done.status == 0, done.errors
    assert sorted(matched(folder)) == sorted(["e1", *(f"f{number}" for number in range(6))])


def test_an_output_that_is_closed_ends_it_quietly(folder: Path) -> None:
    job = start(*ASKED, "--to", "console:", folder=folder)
    assert job.stdout is not None and job.stderr is not None
    job.stdout.close()

    told = job.stderr.read()
    job.stderr.close()

    assert (job.wait(60), told) == (1, "")
