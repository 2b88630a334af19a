"""What the tasks of a batch note beside their matches: dead letters and counts.

A task writes its notes when it is done, under the number of its partition: done again, or twice at
once, it puts the same ones in the place of the old. The driver reads them when the batch is
written, so that nothing has to be counted in a second pass.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
from pyspark import TaskContext

from purport.model.event_lines import DeadLetter
from purport.pipeline.outcomes import dead_letter_rows
from purport.pipeline.readers import require_shared

_LETTERS_AT_ONCE = 10_000


class Counts(msgspec.Struct):
    """What was done in a task, or in all tasks of a batch; times are in seconds of one core."""

    events: int = 0
    matches: dict[str, int] = msgspec.field(default_factory=dict)  # by subscription
    dead_letters: int = 0
    undelivered: int = 0  # matches that are among them
    late: int = 0  # events in time that came too late to count
    without_time: int = 0  # events that subscriptions to events in time ask for, but for a time
    appeared: float | None = None  # when the oldest of the sources last changed, since 1970
    reading: float = 0.0
    matching: float = 0.0
    handing_over: float = 0.0
    problems: list[str] = msgspec.field(default_factory=list)  # that stop nothing

    @property
    def work(self) -> dict[str, float]:
        """The seconds of cores, by what was done in them."""
        return {
            "reading": self.reading,
            "matching": self.matching,
            "handing_over": self.handing_over,
        }

    def count_matches(self, found: Mapping[str, int]) -> None:
        """Count matches, by their subscriptions."""
        for subscription, count in found.items():
            self.matches[subscription] = self.matches.get(subscription, 0) + count

    def add(self, other: Counts) -> None:
        """Count what another task did."""
        self.events += other.events
        self.count_matches(other.matches)
        self.dead_letters += other.dead_letters
        self.undelivered += other.undelivered
        self.late += other.late
        self.without_time += other.without_time
        self.reading += other.reading
        self.matching += other.matching
        self.handing_over += other.handing_over
        self.problems = list(dict.fromkeys([*self.problems, *other.problems]))
        known = [one.appeared for one in (self, other) if one.appeared is not None]
        self.appeared = min(known, default=None)


@dataclass(frozen=True, slots=True)
class Notes:
    """A folder for the notes of one attempt at a batch.

    It is made before the batch, so that a worker that does not see it, or one of the other
    `places`, lacks what the nodes of a cluster have to share.
    """

    folder: Path
    places: tuple[Path, ...] = ()

    def require_shared(self) -> None:
        """Raises `UnusablePath` in a worker that does not see this folder or one of the places."""
        for place in (self.folder, *self.places):
            require_shared(place)

    def refuse(self, letters: Iterable[DeadLetter], name: str) -> None:
        """Note matches that a sink could not deliver, in a task that has a name of its own.

        They are taken as they come, so that there may be any number of them.
        """
        task = TaskNotes(self.folder, name)
        task.refuse(letters)
        task.counts.undelivered = task.counts.dead_letters
        task.finish()

    def counts(self) -> Counts:
        """What all tasks did."""
        total = Counts()
        for path in sorted(self.folder.glob("*.json")):
            total.add(msgspec.json.decode(path.read_bytes(), type=Counts))
        return total

    def dead_letter_files(self) -> list[Path]:
        """The dead letters, as Parquet."""
        return sorted(self.folder.glob("*.parquet"))

    @property
    def timed(self) -> Path:
        """Where what matters to time is noted, if somebody asks for it."""
        return self.folder / "timed"

    def task(self) -> TaskNotes:
        """The notes of the task that this runs in."""
        return TaskNotes(self.folder, task_name("part"))


def task_name(what: str) -> str:
    """The name of the task that this runs in: done again, it has the same."""
    context = TaskContext.get()
    return f"{what}-{context.partitionId() if context else 0:05}"


@dataclass(slots=True)
class TaskNotes:
    """The notes of one task."""

    folder: Path
    name: str
    counts: Counts = field(default_factory=Counts)
    _letters: pq.ParquetWriter | None = None
    _waiting: list[DeadLetter] = field(default_factory=list)
    _attempt: str = field(default_factory=lambda: uuid.uuid4().hex)

    def refuse(self, letters: Iterable[DeadLetter]) -> None:
        """Note dead letters."""
        for letter in letters:
            self._waiting.append(letter)
            self.counts.dead_letters += 1
            if len(self._waiting) >= _LETTERS_AT_ONCE:
                self._write_letters()

    def finish(self) -> None:
        """Write what is left, and the counts at last: by them a task is known to be done."""
        if self._waiting:
            self._write_letters()
        if self._letters is not None:
            self._letters.close()
            self._hidden("parquet").rename(self.folder / f"{self.name}.parquet")
        else:  # there may be some of an earlier attempt
            (self.folder / f"{self.name}.parquet").unlink(missing_ok=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        counts = self._hidden("json")
        counts.write_bytes(msgspec.json.encode(self.counts))
        counts.rename(self.folder / f"{self.name}.json")

    def _write_letters(self) -> None:
        rows = dead_letter_rows(self._waiting)
        if self._letters is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._letters = pq.ParquetWriter(self._hidden("parquet"), rows.schema)
        self._letters.write_batch(rows)
        self._waiting.clear()

    def _hidden(self, ending: str) -> Path:
        """Where this attempt writes: one given up for dead may still be at it somewhere."""
        return self.folder / f".{self.name}.{ending}-{self._attempt}"
