"""An RDF dump, a file or a folder of files, as a table of lines."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from purport.errors import UnusablePath
from purport.pipeline.file_parts import PART_BYTES
from purport.pipeline.session import spark_pattern

_SYNTAXES = (".nt", ".nq")
_COMPRESSIONS = (".gz", ".bz2")
_TEXT_BYTES_PER_COMPRESSED_BYTE = 10  # or so: triples repeat themselves


@dataclass(frozen=True, slots=True)
class RdfDump:
    """N-Triples (`.nt`) or N-Quads (`.nq`), plain or compressed (`.gz`, `.bz2`)."""

    path: Path
    files: tuple[Path, ...]

    @classmethod
    def at(cls, path: Path) -> RdfDump:
        """The dump at a path; `UnusablePath` if it is missing, has no file or cannot be read."""
        try:
            files = sorted(_files_below(path)) if path.is_dir() else [path]
            for file in files:
                with file.open("rb"):
                    pass
        except OSError as error:
            raise UnusablePath(error.filename or path, error.strerror or str(error)) from None
        if not files:
            raise UnusablePath(path, "no file in it ends in .nt or .nq (or .gz, .bz2 after that)")
        return cls(path, tuple(files))

    def table(self, spark: SparkSession) -> DataFrame:
        """The lines of every file."""
        reader = spark.read.option("lineSep", "\n")
        folder = self.path if self.path.is_dir() else self.path.parent
        return _lines_below(folder, reader.text([spark_pattern(file) for file in self.files]))

    @property
    def parts(self) -> int:
        """About how many times 64 MiB of text there are, at least one."""
        text_bytes = sum(
            file.stat().st_size
            * (_TEXT_BYTES_PER_COMPRESSED_BYTE if file.suffix in _COMPRESSIONS else 1)
            for file in self.files
        )
        return -(-text_bytes // PART_BYTES) or 1


def _lines_below(folder: Path, text: DataFrame) -> DataFrame:
    """Lines with the file that they stand in; the cast keeps bytes that are not UTF-8."""
    path = f.regexp_replace(f.col("_metadata.file_path"), "^[a-z0-9]+:(//[^/]*)?", "")
    parts = f.split(f.regexp_replace(path, r"\+", "%2B"), "/")
    below = f.slice(parts, len(folder.resolve().parts) + 1, f.size(parts))
    return text.select(
        f.url_decode(f.array_join(below, "/")).alias("source"),
        f.col("_metadata.file_block_start").alias("offset"),
        f.col("value").cast("binary").alias("line"),
    )


def _files_below(folder: Path) -> list[Path]:
    """The files of a dump in a folder and those below it; hidden ones are none."""

    def fail(error: OSError) -> None:
        raise error

    found: list[Path] = []
    for place, folders, files in os.walk(folder, onerror=fail):
        folders[:] = [name for name in folders if name[0] not in "._"]
        found += [Path(place, name) for name in files if name[0] not in "._" and _is_dump(name)]
    return found


def _is_dump(name: str) -> bool:
    for compression in _COMPRESSIONS:
        name = name.removesuffix(compression)
    return name.endswith(_SYNTAXES)
