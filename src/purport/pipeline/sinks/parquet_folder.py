"""Matches and dead letters as Parquet, one folder a batch: written twice, it is there once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame

from purport.pipeline.matches import dead_letters, matches
from purport.pipeline.session import spark_address


@dataclass(frozen=True, slots=True)
class ParquetFolder:
    """Below `folder`: `matches/batch=N/`, `dead_letters/batch=N/` and the stream's `_checkpoint/`.

    A batch that is replayed after a crash overwrites its own folder, so that nothing is doubled.
    What was read is remembered beside what was written: the two are kept or lost together.
    """

    folder: Path

    def write(self, outcomes: DataFrame, batch: int) -> None:
        """Keep what became of one batch."""
        self._overwrite(matches(outcomes), self.matches, batch)
        self._overwrite(dead_letters(outcomes), self.dead_letters, batch)

    @property
    def matches(self) -> Path:
        """Where the matches are."""
        return self.folder / "matches"

    @property
    def dead_letters(self) -> Path:
        """Where the lines are that were refused."""
        return self.folder / "dead_letters"

    @property
    def checkpoint(self) -> Path:
        """Where the stream remembers how far it has come."""
        return self.folder / "_checkpoint"

    def _overwrite(self, rows: DataFrame, folder: Path, batch: int) -> None:
        rows.write.mode("overwrite").parquet(spark_address(folder / f"batch={batch}"))
