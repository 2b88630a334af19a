"""A job on Spark as commands run it: on this machine, with its steps shown as it goes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")


def quiet_py4j() -> None:
    """Keep py4j from logging the loss of its connection, with a traceback.

    It happens after an interrupt, of which the user who pressed Ctrl-C knows.
    """
    logging.disable(logging.CRITICAL)


def on_spark(
    name: str,
    job: Callable[[SparkSession, Callable[[str], None]], T],
    settings: Mapping[str, str] | None = None,
) -> T:
    """What a job gives on a session of its own."""
    from purport.pipeline.session import local_session, stop_session

    quiet_py4j()
    started = time.perf_counter()
    console = Console(stderr=True, highlight=False)
    with console.status("starting Spark on this machine ...") as status:
        spark = local_session(name, settings=settings)
        try:
            result = job(spark, lambda step: status.update(f"{step} ..."))
        finally:
            stop_session(spark)
    console.print(f"done in {time.perf_counter() - started:.0f} s")
    return result
