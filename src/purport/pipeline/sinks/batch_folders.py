"""Matches as files, one folder a batch, each of which appears whole and once."""

from __future__ import annotations

import shutil
import uuid
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from purport.errors import InvalidInput, UnusablePath
from purport.pipeline.found_matches import Matches, write_part
from purport.pipeline.notes import Notes
from purport.pipeline.session import spark_address
from purport.whole_file import write_whole

_STAGING = "_staging"
OWNER = "_job"
_STATE = "_purport"


class FileKind(StrEnum):
    """How matches are written, as addresses say it."""

    PARQUET = "parquet"
    JSON_LINES = "jsonl"


@dataclass(frozen=True, slots=True)
class BatchFolders:
    """Below `folder`: `batch=N/` with the matches of a batch, as Parquet or JSON lines.

    A batch is written elsewhere and moved into its place at the end: who reads sees all of it or
    nothing. Written once more, it takes the place of what was there.
    """

    folder: Path
    kind: FileKind = FileKind.PARQUET

    @property
    def place(self) -> str:
        """The folder, in full."""
        return f"{self.kind}:{self.folder.resolve()}"

    @property
    def home(self) -> Path:
        """Beside the matches: what was read and what was written are kept or lost together."""
        return self.folder / _STATE

    def claim(self, job: str) -> None:
        """Take the folder for a job; one with other things in it is refused."""
        try:
            self.home.mkdir(parents=True, exist_ok=True)  # where workers look for it, see `Notes`
            owner = self.folder / OWNER
            if not owner.exists():
                others = (one.name for one in self.folder.iterdir() if one.name[0] not in "._")
                if (found := next(others, None)) is not None:
                    raise InvalidInput(f"{self.folder}: expected an empty folder, found {found!r}")
                write_whole(owner, job.encode("ascii"))
            if owner.read_text(encoding="ascii") != job:
                raise InvalidInput(
                    f"{self.folder} holds the matches of another job; name another folder, or give "
                    "that job's checkpoint"
                )
            shutil.rmtree(self.folder / _STAGING, ignore_errors=True)
        except OSError as error:
            raise UnusablePath(self.folder, error.strerror or str(error)) from None

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        """Keep the matches of one batch."""
        place = self.folder / f"batch={batch}"
        attempt = self.folder.resolve() / _STAGING / uuid.uuid4().hex
        if self.kind is FileKind.PARQUET:
            attempt.mkdir(parents=True)
            matches.pass_to(partial(write_part, attempt))
        else:
            matches.table.write.json(spark_address(attempt))
        if place.exists():
            shutil.rmtree(place)
        attempt.rename(place)
