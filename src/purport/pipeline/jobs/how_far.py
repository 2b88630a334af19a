"""How far Spark is with what it is at."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from pyspark.sql import SparkSession

from purport.pipeline.spark_errors import SPARK_ERRORS

_SECONDS = 0.5


@contextmanager
def tasks_told(spark: SparkSession, tell: Callable[[int, int], None]) -> Iterator[None]:
    """Tells now and then how many tasks are done, and how many there are, of the stage at work."""
    tracker = spark.sparkContext.statusTracker()
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(_SECONDS):
            with suppress(*SPARK_ERRORS, OSError):
                for stage in tracker.getActiveStageIds():
                    found = tracker.getStageInfo(stage)
                    if found is not None:
                        tell(found.numCompletedTasks, found.numTasks)

    watcher = threading.Thread(target=watch, name="purport progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()
