"""Where a job's folder cannot be made is known before the work, whatever rights are said to be."""

import os
from pathlib import Path

import pytest

from purport.errors import UnusablePath
from purport.pipeline.new_folder import new_folder, require_new
from tests.commands import Run

PROCESSES = Path("/proc")  # which says that root may write, and takes nothing
has_processes = pytest.mark.skipif(
    not os.access(PROCESSES, os.W_OK), reason="no folder here that says it can be written in"
)


def test_a_look_leaves_nothing_behind(tmp_path: Path) -> None:
    require_new(tmp_path / "new")
    require_new(tmp_path / "above" / "new")

    assert not list(tmp_path.iterdir())


@has_processes
def test_where_no_folder_can_be_made_it_is_told_before_the_work() -> None:
    with pytest.raises(UnusablePath, match=r"^/proc/x: no folder can be made in /proc: "):
        require_new(PROCESSES / "x")

    with (
        pytest.raises(UnusablePath, match=r"^/proc/x: no folder can be made in /proc: "),
        new_folder(PROCESSES / "x"),
    ):
        pytest.fail("the work began")


@has_processes
def test_the_commands_tell_it_in_one_line(run: Run, tmp_path: Path) -> None:
    events = tmp_path / "events.nt"
    events.write_text("<urn:s> <urn:p> <urn:o> .\n")

    done = run("events", events, "-o", PROCESSES / "x")

    assert done.status == 2
    [told] = done.errors.splitlines()
    assert told.startswith("purport: /proc/x: no folder can be made in /proc: ")
