"""JSON lines files in a folder, as a table of lines: those there now, or also those yet to come."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from purport.errors import UnusablePath
from purport.pipeline.session import spark_pattern
from purport.pipeline.sources.text_lines import lines_below


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
        return lines_below(self.folder, reader.text(self._readable_folder()))

    def table(self, spark: SparkSession) -> DataFrame:
        """The lines of the files that are there now."""
        reader = spark.read.option("lineSep", "\n")
        return lines_below(self.folder, reader.text(self._readable_folder()))

    def _readable_folder(self) -> str:
        try:
            next(self.folder.iterdir(), None)
        except OSError as error:
            raise UnusablePath(self.folder, error.strerror or str(error)) from None
        return spark_pattern(self.folder)
