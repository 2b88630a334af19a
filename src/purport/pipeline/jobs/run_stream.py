"""A stream, run batch by batch: to its end, or for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from errno import EPIPE
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from purport.errors import PurportError, StreamFailed
from purport.pipeline.session import spark_address
from purport.pipeline.spark_errors import SPARK_ERRORS, reason_of

EVERY_SECONDS = 0.2
_PATIENCE_SECONDS = 30.0


def run_stream(
    records: DataFrame,
    take: Callable[[DataFrame, int], None],
    checkpoint: Path,
    *,
    name: str | None = None,
    until_end: bool = True,
    every_seconds: float = EVERY_SECONDS,
) -> None:
    """Have each batch taken, under its number; what goes wrong with one is raised here.

    Interrupted, it gives the batch at hand half a minute to be done; interrupted twice, none.
    """
    failures: list[Exception] = []
    is_busy, is_stopping = threading.Lock(), threading.Event()
    query: StreamingQuery | None = None

    def taken(some: DataFrame, batch: int) -> None:
        with is_busy:
            if is_stopping.is_set():
                raise StreamFailed(f"stopped before batch {batch}")
            try:
                take(some, batch)
            except PurportError as error:  # of which Spark would hand on no more than its text
                failures.append(error)
                raise
            except (BrokenPipeError, SystemExit):  # nobody reads what a sink prints: rich exits
                failures.append(BrokenPipeError(EPIPE, "nobody reads the output"))
                raise StreamFailed("nobody reads the output") from None
            except SPARK_ERRORS as error:  # in whose stacks Spark would look for what it knows
                if query is not None and not query.isActive:  # whoever stopped it knows why
                    is_stopping.set()
                failures.append(StreamFailed(f"the stream stopped: {reason_of(error)}"))
                raise failures[-1] from None

    writer = records.writeStream.foreachBatch(taken).option(
        "checkpointLocation", spark_address(checkpoint)
    )
    if name is not None:
        writer = writer.queryName(name)
    if until_end:
        writer = writer.trigger(availableNow=True)
    else:
        writer = writer.trigger(processingTime=f"{every_seconds} seconds")
    try:
        query = writer.start()
        query.awaitTermination()
    except KeyboardInterrupt:
        is_stopping.set()
        if is_busy.acquire(timeout=_PATIENCE_SECONDS):
            is_busy.release()
        raise
    except SPARK_ERRORS as error:
        if not is_stopping.is_set():
            stopped = StreamFailed(f"the stream stopped: {reason_of(error)}")
            raise (failures or [stopped])[-1] from error
    finally:
        if query is not None:
            with suppress(*SPARK_ERRORS, OSError):  # there may be no Spark any more
                query.stop()
