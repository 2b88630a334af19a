"""A folder of files that grows: JSON lines, CSV, Parquet, N-Triples and Turtle, or some of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from purport.errors import UnusablePath
from purport.pipeline.file_parts import PART_BYTES
from purport.pipeline.formats.catalogue import FORMATS, IN_PARTS
from purport.pipeline.readers import FileReader
from purport.pipeline.session import spark_pattern
from purport.pipeline.tables import FILES

BATCH_BYTES = 256 * 1024 * 1024
_FILES_OF_SPARK = "path string, modificationTime timestamp, length long, content binary"
_LONGEST_NAME = 1 << 20
_FOR_EVER = "36500d"  # or a file that comes late with an old date would never be read


@dataclass(frozen=True, slots=True)
class Files:
    """The files below a folder, those there now and those yet to come, or one file.

    A file is read once it is there and not again when it changes: write it elsewhere and move it
    in. Names that begin with `.` or `_` are left alone. `since` leaves out files that were changed
    before a time, or whose names below the folder come before a name.
    """

    path: Path
    format: str | None = None
    since: datetime | str | None = None
    files_per_batch: int | None = None
    bytes_per_batch: int = BATCH_BYTES

    @property
    def folder(self) -> Path:
        """The folder below which files are named."""
        return self.path.resolve().parent if self.path.is_file() else self.path

    @property
    def place(self) -> str:
        """The folder or file, in full."""
        return f"{self.format or 'file'}:{self.path.resolve()}"

    @property
    def reader(self) -> FileReader:
        """What reads the files, in the workers."""
        return FileReader(self.folder.resolve(), self.format)

    def records(self, spark: SparkSession) -> DataFrame:
        """The stream of files, in parts, as the table FILES."""
        self._require_readable()
        reader = (
            spark.readStream.format("binaryFile")
            .schema(_FILES_OF_SPARK)
            .option("recursiveFileLookup", True)
            .option("maxFileAge", _FOR_EVER)
        )
        if self.files_per_batch is not None:
            reader = reader.option("maxFilesPerTrigger", self.files_per_batch)
        else:
            reader = reader.option("maxBytesPerTrigger", self.bytes_per_batch)
        return self._parts(reader.load(spark_pattern(self.path)))

    def _parts(self, files: DataFrame) -> DataFrame:
        """Rows of Spark's files, cut; the column `content` is never asked for, so never read."""
        name = f.substring(f.col("path"), len(f"file:{self.folder.resolve()}/") + 1, _LONGEST_NAME)
        named = files.select(
            name.alias("name"), f.col("modificationTime").alias("appeared"), "length"
        )
        step = f.lit(PART_BYTES).cast("long")
        begins = f.sequence(f.lit(0).cast("long"), f.greatest(f.col("length") - 1, f.lit(0)), step)
        whole = f.array(f.lit(0).cast("long"))
        is_cut = self._is_cut(f.col("name")) & (f.col("length") > PART_BYTES)
        return (
            named.where(self._is_wanted())
            .withColumn("is_cut", is_cut)
            .withColumn("begin", f.explode(f.when(f.col("is_cut"), begins).otherwise(whole)))
            .withColumn("end", f.when(f.col("is_cut"), f.col("begin") + step))
            .select(*FILES.fieldNames())
        )

    def _is_cut(self, name: Column) -> Column:
        """Whether a file of this name is one that can be read from the middle on."""
        if self.format is not None:
            return f.lit(self.format == IN_PARTS) & ~name.endswith(".gz")
        endings = (end for kind, one in FORMATS.items() if kind != IN_PARTS for end in one.endings)
        return ~f.lower(name).rlike(rf"({'|'.join(map(re.escape, endings))}|\.gz)$")

    def _is_wanted(self) -> Column:
        if isinstance(self.since, datetime):
            return f.col("appeared") >= f.lit(self.since)
        return f.col("name") >= f.lit(self.since or "")

    def _require_readable(self) -> None:
        try:
            if self.path.is_file():
                self.path.open("rb").close()
            else:
                next(self.path.iterdir(), None)
        except OSError as error:
            raise UnusablePath(self.path, error.strerror or str(error)) from None
