"""A job on Spark as commands run it: with its steps shown as it goes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")


@contextmanager
def quiet_py4j() -> Iterator[None]:
    """Keep py4j from logging the loss of its connection, with a traceback.

    It happens after an interrupt, of which the user who pressed Ctrl-C knows.
    """
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def on_spark(
    name: str,
    job: Callable[[SparkSession, Callable[[str], None]], T],
    settings: Mapping[str, str] | None = None,
) -> T:
    """What a job gives on a session of its own."""
    from purport.pipeline.session import job_session

    started = time.perf_counter()
    console = Console(stderr=True, highlight=False)
    with (
        quiet_py4j(),
        console.status("starting Spark on this machine ...") as status,
        job_session(name, settings=settings) as spark,
    ):
        result = job(spark, lambda step: status.update(f"{step} ..."))
    console.print(f"done in {time.perf_counter() - started:.0f} s")
    return result
