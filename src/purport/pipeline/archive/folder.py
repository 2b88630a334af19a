"""The folder of an archive: what is in it, and how a batch of events comes in whole or not at all.

    archive.json                  what it is, and in which version
    events/batch=000000/          events with statement ids, and _batch.json; moved in at last
    statements/batch=000000/      the statements that were new in the batch: what ids mean
    dead_letters/batch=000000/    the records that are no events
    _purport/                     how far the source was read

Ids never change: a later batch only adds to them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from purport.errors import InvalidInput, UnusablePath
from purport.relatedness.array_store import StoreError
from purport.whole_file import write_whole
from purport.writable import require_room_in

VERSION = 1
STATEMENTS_FILE = "statements.parquet"
_MANIFEST = "archive.json"
_BATCH = "_batch.json"
_STATE = "_purport"


class ArchiveManifest(msgspec.Struct, frozen=True):
    """What an archive is."""

    version: int
    id: str
    source: str  # what was read


class ArchivedBatch(msgspec.Struct, frozen=True):
    """What one batch brought; `finished` is in seconds since 1970."""

    batch: int
    first_id: int  # of the statements that were new
    statements: int
    events: int
    files: int
    dead_letters: int
    finished: float

    @property
    def end_id(self) -> int:
        """The first id that a later batch may give."""
        return self.first_id + self.statements


class ArchiveSummary(msgspec.Struct, frozen=True):
    """What is in an archive."""

    source: str
    events: int
    statements: int  # different ones
    dead_letters: int
    batches: int
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive that can be read."""

    folder: Path
    manifest: ArchiveManifest

    @classmethod
    def open(cls, folder: Path) -> Archive:
        """The archive in a folder; `StoreError` if there is none that can be read."""
        path = folder / _MANIFEST
        try:
            text = path.read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(f"{folder} is not an archive: {_MANIFEST}: {reason}") from None
        try:
            version = msgspec.json.decode(text, type=dict[str, Any]).get("version")
            if version != VERSION:
                raise StoreError(f"{folder} is of version {version}; this Purport reads {VERSION}")
            return cls(folder, msgspec.json.decode(text, type=ArchiveManifest))
        except msgspec.MsgspecError as error:
            raise StoreError(f"{path}: the archive's manifest is damaged: {error}") from None

    @classmethod
    def claim(cls, folder: Path, job: str, source: str) -> Archive:
        """The archive that a job adds to, a new one if there is none; another job's is refused."""
        if not (folder / _MANIFEST).exists():
            try:
                for name in ("events", "statements", "dead_letters"):
                    (folder / name).mkdir(exist_ok=True)
                manifest = ArchiveManifest(VERSION, job, source)
                write_whole(folder / _MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
            except OSError as error:
                raise UnusablePath(folder, error.strerror or str(error)) from None
        archive = cls.open(folder)
        if archive.manifest.id != job:
            raise InvalidInput(
                f"{folder}: how far the archive's source was read is not known any more "
                f"({state_folder(folder)}): nothing can be added to it"
            )
        return archive

    @property
    def events(self) -> Path:
        """Where events are."""
        return self.folder / "events"

    @property
    def statements(self) -> Path:
        """Where it is said what statement ids mean."""
        return self.folder / "statements"

    @property
    def dead_letters(self) -> Path:
        """Where records are that are no events."""
        return self.folder / "dead_letters"

    def batches(self) -> list[ArchivedBatch]:
        """The batches that are in, in their order; `StoreError` if something of them is missing."""
        found = sorted(self._found_batches(), key=lambda one: one.batch)
        next_id = 0
        for one in found:
            if one.first_id != next_id:
                raise self.damaged(f"before batch {one.batch}, a batch is missing")
            if one.statements and not self.statements_of(one.batch).is_file():
                raise self.damaged(f"the statements of batch {one.batch} are missing")
            next_id = one.end_id
        return found

    def summary(self) -> ArchiveSummary:
        """What is in all batches."""
        batches = self.batches()
        kept = (path for path in self.folder.glob("[!_]*/*/*.parquet"))
        return ArchiveSummary(
            self.manifest.source,
            sum(one.events for one in batches),
            sum(one.statements for one in batches),
            sum(one.dead_letters for one in batches),
            len(batches),
            sum(one.files for one in batches),
            sum(path.stat().st_size for path in kept),
        )

    def events_of(self, batch: int) -> Path:
        """The folder of the events of a batch."""
        return self.events / _name(batch)

    def statements_of(self, batch: int) -> Path:
        """The table of the statements that were new in a batch."""
        return self.statements / _name(batch) / STATEMENTS_FILE

    def has(self, batch: int) -> bool:
        """Whether a batch is in."""
        return self.events_of(batch).is_dir()

    def take(self, staged: Path, batch: ArchivedBatch) -> None:
        """Move a batch in, from a folder with the same folders in it.

        The events come last. Until they are there nobody looks at the rest, and what a process
        leaves that dies here gives way to another attempt.
        """
        manifest = msgspec.json.format(msgspec.json.encode(batch))
        write_whole(staged / "events" / _BATCH, manifest)
        for name in ("statements", "dead_letters", "events"):
            place = self.folder / name / _name(batch.batch)
            shutil.rmtree(place, ignore_errors=True)
            if (staged / name).is_dir():
                (staged / name).rename(place)

    def damaged(self, what: str) -> StoreError:
        """The error of an archive that is not as it was written."""
        return StoreError(f"{self.folder}: the archive is damaged: {what}")

    def _found_batches(self) -> Iterator[ArchivedBatch]:
        for folder in self.events.glob("batch=*"):
            path = folder / _BATCH
            try:
                yield msgspec.json.decode(path.read_bytes(), type=ArchivedBatch)
            except (OSError, msgspec.MsgspecError) as error:
                raise self.damaged(f"{path}: {error}") from None


def require_place(folder: Path) -> None:
    """`UnusablePath` unless an archive may be kept here: nothing else is in the way."""
    if folder.exists() and not folder.is_dir():
        raise UnusablePath(folder, "not a folder")
    if folder.is_dir() and not (folder / _MANIFEST).exists():
        ours = ("events", "statements", "dead_letters", _STATE)  # one that was just begun
        others = [
            one.name for one in folder.iterdir() if one.name not in ours and one.name[0] != "."
        ]
        if others:
            raise UnusablePath(folder, f"there is something here that is no archive: {min(others)}")
    require_room_in(folder)


def state_folder(folder: Path) -> Path:
    """Where an archive's job remembers how far it came."""
    return folder / _STATE


def _name(batch: int) -> str:
    return f"batch={batch:06}"
