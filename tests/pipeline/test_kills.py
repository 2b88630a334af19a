"""kill -9 at any moment loses nothing, and doubles nothing in files."""

from pathlib import Path

import pytest

from tests.pipeline.kills import SINKS, killed_job

KILLS = 3


@pytest.mark.parametrize("sink", SINKS)
def test_a_job_that_is_killed_loses_and_doubles_nothing(tmp_path: Path, sink: str) -> None:
    found = killed_job(sink, KILLS, tmp_path, seed=7)

    assert found.is_as_promised, found
