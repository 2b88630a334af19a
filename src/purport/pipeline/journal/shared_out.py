"""Subscriptions shared out to tasks, each of which goes through a journal for its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from purport.pipeline.tables import record_batches

_ROWS_AT_ONCE = 1_000


def told_in_shares(
    spark: SparkSession,
    count: int,
    told: Callable[[range], Iterator[tuple[object, ...]]],
    table: StructType,
) -> DataFrame:
    """What so many subscriptions are told, as rows of a table; a task is given its numbers."""
    tasks = min(count, spark.sparkContext.defaultParallelism)

    def rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column("id").to_pylist():
                yield from record_batches(table, told(range(task, count, tasks)), _ROWS_AT_ONCE)

    return spark.range(0, tasks, 1, tasks).mapInArrow(rows, table)
