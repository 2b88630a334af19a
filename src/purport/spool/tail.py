"""What the last segment of a spool leaves behind: how far it goes, and what is open there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from purport.spool.errors import SpoolDamaged
from purport.spool.frames import Change, read_frames
from purport.spool.segments import INDEX_EVERY, MAGIC, Segment


@dataclass(frozen=True, slots=True)
class Tail:
    """The state after the last frame that is whole."""

    end: int = 0
    session: str = ""
    open_ids: frozenset[int] = frozenset()
    offset: int = 0  # in the segment
    indexed: int = 0  # the offset of the last frame in the index

    def after(self, count: int, change: Change | None, size: int) -> Tail:
        """The state after one more frame."""
        if change is None:
            return replace(self, end=self.end + count, offset=self.offset + size)
        return Tail(
            self.end + count,
            change.session,
            change.applied_to(self.open_ids),
            self.offset + size,
            self.indexed,
        )

    def noted(self, offset: int) -> Tail:
        """The same, with a frame in the index."""
        return replace(self, indexed=offset)


def read_tail(segment: Segment) -> tuple[Tail, list[tuple[int, int]]]:
    """What is whole in a segment, and the entries of its index."""
    written = segment.path.read_bytes()
    if not written.startswith(MAGIC):
        raise SpoolDamaged(f"{segment.path}: expected a segment of a spool, version 1")
    tail, entries = Tail(segment.first, offset=len(MAGIC)), list[tuple[int, int]]()
    for frame in read_frames(written, len(MAGIC)):
        if frame.first != tail.end:
            break
        tail = tail.after(frame.count, frame.read_change(), frame.end - frame.begin)
        if frame.count and frame.begin - tail.indexed >= INDEX_EVERY:
            tail = tail.noted(frame.begin)
            entries.append((frame.first, frame.begin))
    if tail.offset == len(MAGIC):
        raise SpoolDamaged(f"{segment.path}: its first frame, with what was open, cannot be read")
    return tail, entries
