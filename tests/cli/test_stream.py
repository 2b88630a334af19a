"""`purport stream`, as it is typed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run it in a folder, with a folder of its own for what is temporary."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-m", "purport", "stream", *map(str, arguments), "--cores", "1"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(temporary)},
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "e.jsonl").write_text('{"@id": "e1", "a": 1}\n{broken\n')
    (tmp_path / "subs.purport").write_text("{a = 1} as hot\n")
    return tmp_path


ASKED = ("--from", "file:events/", "-s", "subs.purport", "--until-end")


def test_matches_are_shown_and_nothing_is_left_behind(folder: Path) -> None:
    done = run(*ASKED, "--to", "console:", folder=folder)

    assert (done.returncode, done.stderr) == (0, "")
    assert "│ e1    │ hot          │        1.00 │ 0       │" in done.stdout
    assert "1 dead letters" in done.stdout
    assert "not kept without a checkpoint" in done.stdout
    assert not list((folder / "temporary").glob("purport-*"))


def test_matches_that_are_shown_do_not_get_among_the_json(folder: Path) -> None:
    done = run(*ASKED, "--to", "console:", "--json", folder=folder)

    [report] = map(json.loads, done.stdout.splitlines())
    assert report["counts"]["matches"] == {"hot": 1}
    assert "│ e1 " in done.stderr
