"""JSON lines files in a folder, as a table of lines: those there now, or also those yet to come."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from purport.errors import UnusablePath
from purport.pipeline.session import spark_pattern


@dataclass(frozen=True, slots=True)
class JsonLinesFolder:
    """A folder of JSON lines files (`.gz` too): Spark reads lines, Purport's parser the JSON."""

    folder: Path
    files_per_batch: int | None = None

    def stream(self, spark: SparkSession) -> DataFrame:
        """The lines of every file, and of each that appears later."""
        reader = spark.readStream.option("lineSep", "\n")
        if self.files_per_batch is not None:
            reader = reader.option("maxFilesPerTrigger", self.files_per_batch)
        return self._lines(reader.text(self._readable_folder()))

    def table(self, spark: SparkSession) -> DataFrame:
        """The lines of the files that are there now."""
        reader = spark.read.option("lineSep", "\n")
        return self._lines(reader.text(self._readable_folder()))

    def _lines(self, text: DataFrame) -> DataFrame:
        """Lines with the file they stand in; the cast keeps bytes that are not UTF-8."""
        path = f.regexp_replace(f.col("_metadata.file_path"), "^[a-z0-9]+:(//[^/]*)?", "")
        parts = f.split(f.regexp_replace(path, r"\+", "%2B"), "/")
        below = f.slice(parts, len(self.folder.resolve().parts) + 1, f.size(parts))
        return text.select(
            f.url_decode(f.array_join(below, "/")).alias("source"),
            f.col("_metadata.file_block_start").alias("offset"),
            f.col("value").cast("binary").alias("line"),
        )

    def _readable_folder(self) -> str:
        try:
            next(self.folder.iterdir(), None)
        except OSError as error:
            raise UnusablePath(self.folder, error.strerror or str(error)) from None
        return spark_pattern(self.folder)
