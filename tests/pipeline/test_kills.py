"""kill -9 at any moment loses nothing, and doubles nothing in files."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.commands import Run
from tests.pipeline.kills import SINKS, killed_job

KILLS = {"parquet": 3, "jsonl": 1, "http": 1}


@pytest.fixture
def finish(run: Run, spark: SparkSession) -> Callable[[list[str]], None]:
    """Runs a job to its end on the Spark that is there."""

    def finished(arguments: list[str]) -> None:
        done = run(*arguments)
        assert done.status == 0, done.errors

    return finished


@pytest.mark.parametrize("sink", SINKS)
def test_a_job_that_is_killed_loses_and_doubles_nothing(
    finish: Callable[[list[str]], None], tmp_path: Path, sink: str
) -> None:
    found = killed_job(
        sink, KILLS[sink], tmp_path, seed=7, in_time=sink == "parquet", finish=finish
    )

    assert found.is_as_promised, found
