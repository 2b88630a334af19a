"""Text that Spark has read, as a table of lines with the place of each."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as f


def lines_below(folder: Path, text: DataFrame) -> DataFrame:
    """Lines with the file that they stand in; the cast keeps bytes that are not UTF-8."""
    path = f.regexp_replace(f.col("_metadata.file_path"), "^[a-z0-9]+:(//[^/]*)?", "")
    parts = f.split(f.regexp_replace(path, r"\+", "%2B"), "/")
    below = f.slice(parts, len(folder.resolve().parts) + 1, f.size(parts))
    return text.select(
        f.url_decode(f.array_join(below, "/")).alias("source"),
        f.col("_metadata.file_block_start").alias("offset"),
        f.col("value").cast("binary").alias("line"),
    )
