"""The files of a spool: segments named by their first position, an index beside each, and a mark.

The mark says how far everything is on disk. It is written after each sync and not synced itself:
after a power cut it may say less than is true, never more.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from purport.errors import UnusablePath

MAGIC = b"PURSPL1\n"
INDEX_EVERY = 1 << 16  # bytes of a segment
_NAME = re.compile(r"(\d{20})\.segment")
_MARK = struct.Struct("<QQQ")
_CHECKSUM = struct.Struct("<I")
_ENTRY = struct.Struct("<QQ")


@dataclass(frozen=True, slots=True)
class Segment:
    """A file of frames; the position of its first message is its name."""

    first: int
    path: Path

    @classmethod
    def named(cls, folder: Path, first: int) -> Segment:
        """The segment of a folder that begins at a position."""
        return cls(first, folder / f"{first:020}.segment")

    @property
    def index(self) -> Path:
        """The file that says where in it some positions are."""
        return self.path.with_suffix(".index")

    def size(self) -> int:
        """Its bytes; 0 if it is gone."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def remove(self) -> None:
        """Drop it with its index."""
        self.path.unlink(missing_ok=True)
        self.index.unlink(missing_ok=True)

    def offset_before(self, position: int) -> int:
        """Where a frame begins that is at this position or before it, as near as is known."""
        try:
            written = self.index.read_bytes()
        except OSError:
            return len(MAGIC)
        entries = list(_ENTRY.iter_unpack(written[: len(written) // _ENTRY.size * _ENTRY.size]))
        place = bisect_right(entries, position, key=lambda entry: int(entry[0]))
        return int(entries[place - 1][1]) if place else len(MAGIC)


def segments_of(folder: Path) -> list[Segment]:
    """The segments of a spool, the oldest first."""
    try:
        names = [entry.name for entry in os.scandir(folder)]
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None
    found = (_NAME.fullmatch(name) for name in names)
    return sorted(
        (Segment(int(one[1]), folder / one[0]) for one in found if one),
        key=lambda segment: segment.first,
    )


def index_entries(entries: Iterable[tuple[int, int]]) -> bytes:
    """Positions and where their frames begin, as an index has them."""
    return b"".join(_ENTRY.pack(*entry) for entry in entries)


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a spool is on disk: the position after the last one, and where that is."""

    end: int = 0
    segment: int = 0
    offset: int = 0

    @classmethod
    def read(cls, folder: Path) -> Mark | None:
        """The mark of a spool, if there is one that can be read."""
        for _ in range(100):  # it may be written at this moment
            try:
                written = mark_path(folder).read_bytes()
            except OSError:
                return None
            said, checksum = written[: _MARK.size], written[_MARK.size :]
            if len(said) == _MARK.size and checksum == _CHECKSUM.pack(zlib.crc32(said)):
                return cls(*_MARK.unpack(said))
        return None

    def write(self, handle: int) -> None:
        """Put it over the one that is there."""
        said = _MARK.pack(self.end, self.segment, self.offset)
        os.pwrite(handle, said + _CHECKSUM.pack(zlib.crc32(said)), 0)


def mark_path(folder: Path) -> Path:
    """Where a spool's mark is."""
    return folder / "end"


def drop_segments(folder: Path, through: int) -> int:
    """Remove the segments that have nothing after a position, but never the last one.

    How many messages went with them.
    """
    segments = segments_of(folder)
    dropped = 0
    for segment, following in pairwise(segments):
        if following.first > through + 1:
            break
        with suppress(FileNotFoundError):
            segment.remove()
        dropped += following.first - segment.first
    return dropped
