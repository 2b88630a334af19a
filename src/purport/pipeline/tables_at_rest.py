"""Tables written down between the steps of a job."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
from pyspark.sql import DataFrame, SparkSession

from purport.pipeline.session import spark_address, spark_pattern


def at_rest(spark: SparkSession, table: DataFrame, folder: Path) -> DataFrame:
    """A table written down, so that what follows reads it instead of making it again."""
    table.write.parquet(spark_address(folder))
    return spark.read.parquet(spark_pattern(folder))


def written_batches(folder: Path, size: int = 4096) -> Iterator[Any]:
    """The rows of a table that Spark wrote, in its order and a few at a time."""
    parts = sorted(str(path) for path in folder.glob("part-*.parquet"))
    return iter(ds.dataset(parts, format="parquet").to_batches(batch_size=size))
