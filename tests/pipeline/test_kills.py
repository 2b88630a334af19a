"""kill -9 at any moment loses nothing, and doubles nothing in files."""

from pathlib import Path

import pytest

from tests.pipeline.kills import SINKS, killed_job

KILLS = 3


@pytest.mark.parametrize("sink", SINKS)
def test_a_job_that_is_killed_loses_and_doubles_nothing(tmp_path: Path, sink: str) -> None:
    found = killed_job(sink, KILLS, tmp_path, seed=7)

    assert found.is_as_promised, found


def test_a_job_in_time_that_is_killed_knows_what_happened(tmp_path: Path) -> None:
    found = killed_job("parquet", KILLS, tmp_path, seed=7, in_time=True)

    assert found.is_as_promised, found
