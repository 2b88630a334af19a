"""Reads a spool, also while another process writes it: what is on disk, nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from purport.errors import UnusablePath
from purport.mqtt.message import Message
from purport.spool.errors import MessagesGone, SpoolDamaged
from purport.spool.frames import Frame, read_frames, wanted_bytes
from purport.spool.segments import MAGIC, Mark, Segment, drop_segments, segments_of

_AT_ONCE = 1 << 20


class SpoolReader:
    """The messages in a folder, by their positions: numbers from 0 that never mean another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def first(self) -> int:
        """The position of the oldest message that is there, or of the next to come."""
        segments = segments_of(self.folder)
        return segments[0].first if segments else self.end

    @property
    def end(self) -> int:
        """The position after the last message that is on disk."""
        mark = Mark.read(self.folder)
        if mark is None:
            segments_of(self.folder)
            raise UnusablePath(self.folder, "no spool: nobody has written one here yet")
        return mark.end

    def read(self, begin: int, end: int) -> Iterator[list[Message]]:
        """The messages from a position to before another, in order, some at a time.

        `MessagesGone` if some of them are not there: dropped, or not written yet.
        """
        if begin >= end:
            return
        if end > self.end:
            raise MessagesGone(f"{self.folder}: message {end - 1:,} is not there yet")
        position = begin
        for frame in self._frames(begin, end):
            if frame.first > position:
                raise self._gone(position)
            messages = frame.read_messages()
            if frame.first < position or frame.first + frame.count > end:
                messages = messages[position - frame.first : end - frame.first]
            if messages:
                yield messages
                position += len(messages)
        if position < end:
            raise self._gone(position)

    def drop(self, through: int) -> int:
        """Remove what nobody needs: segments with nothing after a position; how many messages."""
        return drop_segments(self.folder, through)

    def _frames(self, begin: int, end: int) -> Iterator[Frame]:
        """The frames that have these positions."""
        segments = segments_of(self.folder)
        for segment, following in zip(segments, [*segments[1:], None], strict=True):
            if segment.first >= end or (following is not None and following.first <= begin):
                continue
            try:
                file = segment.path.open("rb")
            except FileNotFoundError:
                raise self._gone(max(begin, segment.first)) from None
            with file:
                last = end if following is None else min(end, following.first)
                yield from frames_of(file, segment, begin, last)

    def _gone(self, position: int) -> MessagesGone:
        return MessagesGone(
            f"{self.folder}: message {position:,} is gone; the first that is there is "
            f"{self.first:,}"
        )


def frames_of(file: BinaryIO, segment: Segment, begin: int, end: int) -> Iterator[Frame]:
    """The frames of a segment that have positions from one to before another."""
    offset = segment.offset_before(begin)
    if not _is_frame(file, offset, begin):
        offset = len(MAGIC)
    file.seek(offset)
    buffer, position = b"", segment.first
    while position < end:
        more = file.read(max(_AT_ONCE, wanted_bytes(buffer, 0) - len(buffer)))
        if not more:
            raise SpoolDamaged(f"{segment.path}: message {position:,} cannot be read")
        buffer += more
        used = 0
        for frame in read_frames(buffer):
            used, position = frame.end, frame.first + frame.count
            if position > begin:
                yield frame
            if position >= end:
                return
        buffer = buffer[used:]


def _is_frame(file: BinaryIO, offset: int, begin: int) -> bool:
    """Whether a frame begins here indeed, at the position or before it."""
    file.seek(offset)
    head = file.read(_AT_ONCE)
    wanted = wanted_bytes(head, 0)
    if wanted > len(head):
        head += file.read(wanted - len(head))
    found = next(read_frames(head), None)
    return found is not None and found.first <= begin
