"""What a job keeps of events in time: batch by batch what mattered, and how far it had come."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from purport.errors import UnusablePath
from purport.temporal.progress import BEGINNING

_MARK = "mark.json"
_BATCH = "batch="


class KeptMark(msgspec.Struct, frozen=True):
    """How far a job has come in time; times are microseconds since 1970.

    `since` has, for each subscription by its text, the sequence after which it is told of events.
    """

    watermark: int = BEGINNING
    last_instant: int = BEGINNING
    sequence: int = 0
    since: dict[str, int] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TimedFolder:
    """Below `folder`: `batch=N/` with the table TIMED_EVENTS of a batch, and its mark."""

    folder: Path

    def batches(self, after: int, before: int) -> list[int]:
        """The batches between these, in their order."""
        found = (one.name.removeprefix(_BATCH) for one in self.folder.glob(f"{_BATCH}*"))
        numbers = sorted(int(one) for one in found if one.isdigit())
        return [one for one in numbers if after < one < before]

    def files(self, batch: int) -> list[Path]:
        """The files of a batch."""
        return timed_files(self.place(batch))

    def place(self, batch: int) -> Path:
        """Where a batch is kept."""
        return self.folder / f"{_BATCH}{batch}"

    def mark(self, before: int) -> KeptMark:
        """How far the job had come before a batch."""
        numbers = self.batches(-1, before)
        return read_mark(self.place(numbers[-1])) if numbers else KeptMark()


def timed_files(folder: Path) -> list[Path]:
    """The files of the table TIMED_EVENTS in a folder."""
    return sorted(folder.glob("*.parquet"))


def write_mark(folder: Path, mark: KeptMark) -> None:
    """Leave a mark beside the events of a batch."""
    (folder / _MARK).write_bytes(msgspec.json.encode(mark))


def read_mark(folder: Path) -> KeptMark:
    """The mark beside the events of a batch."""
    path = folder / _MARK
    try:
        return msgspec.json.decode(path.read_bytes(), type=KeptMark)
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    except msgspec.MsgspecError as error:
        raise UnusablePath(path, str(error)) from None
