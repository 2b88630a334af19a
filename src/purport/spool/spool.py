"""Writes a spool: what `append` has taken is there after any crash."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from purport.errors import InvalidInput, UnusablePath
from purport.mqtt.message import Message
from purport.spool.errors import SpoolDamaged, SpoolFailed, SpoolFull, SpoolTaken
from purport.spool.frames import Change, write_frame
from purport.spool.reader import SpoolReader
from purport.spool.segments import (
    INDEX_EVERY,
    MAGIC,
    Mark,
    Segment,
    drop_segments,
    index_entries,
    mark_path,
    segments_of,
)
from purport.spool.tail import Tail, read_tail
from purport.whole_file import clear_unfinished, sync, write_whole

MOST_BYTES = 1 << 30
SEGMENT_BYTES = 1 << 26
_PARTS = 4  # of which a spool has at least, so that dropping one makes room


class Spool:
    """A durable log of messages in a folder, and of the packet ids that are open in a session.

    One process writes at a time; any number read, each with a `SpoolReader`.
    """

    def __init__(self, folder: Path, most_bytes: int, segment_bytes: int) -> None:
        self.folder, self.most_bytes, self.segment_bytes = folder, most_bytes, segment_bytes
        self.reader = SpoolReader(folder)
        self._lock = threading.Lock()
        self._is_in_doubt = False  # whether what is after the tail in the file is ours
        self._claim = _claim(folder)
        try:
            clear_unfinished(folder)
            self._mark = os.open(mark_path(folder), os.O_RDWR | os.O_CREAT, 0o644)
            self._segment, self._tail = _opened(folder)
            self._file = os.open(self._segment.path, os.O_RDWR)
            self._mend()
        except OSError as error:
            self._claim.close()
            raise UnusablePath(folder, error.strerror or str(error)) from None
        except SpoolDamaged:
            self._claim.close()
            raise

    @classmethod
    def open(
        cls, folder: Path, *, most_bytes: int = MOST_BYTES, segment_bytes: int | None = None
    ) -> Spool:
        """Open a spool to write it, or make one; a frame that was not finished is cut off."""
        size = min(SEGMENT_BYTES, most_bytes // _PARTS) if segment_bytes is None else segment_bytes
        if size < 1 or size * _PARTS > most_bytes:
            raise InvalidInput(
                f"a spool of {most_bytes:,} bytes: expected segments of 1 to "
                f"{most_bytes // _PARTS:,} bytes, got {size:,}"
            )
        return cls(folder, most_bytes, size)

    @property
    def first(self) -> int:
        """The position of the oldest message that is there, or of the next to come."""
        return self.reader.first

    @property
    def end(self) -> int:
        """The position after the last message."""
        return self._tail.end

    @property
    def session(self) -> str:
        """The session whose packet ids are open."""
        return self._tail.session

    @property
    def open_ids(self) -> frozenset[int]:
        """The packet ids of QoS 2 that are open."""
        return self._tail.open_ids

    @property
    def held_bytes(self) -> int:
        """The bytes of all segments."""
        return sum(segment.size() for segment in segments_of(self.folder))

    def append(
        self,
        messages: Sequence[Message],
        *,
        opened: Collection[int] = (),
        released: Collection[int] = (),
    ) -> int:
        """Keep messages, and what became of packet ids; the position of the first message.

        `SpoolFull` or `SpoolFailed` if they could not be kept: then nothing of them is there.
        """
        change = None
        if opened or released:
            change = Change(self.session, tuple(sorted(opened)), tuple(sorted(released)))
        return self._append(messages, change)

    def adopt(self, session: str) -> frozenset[int]:
        """The ids that are open in this session; those of any other are forgotten."""
        if session != self.session:
            self._append((), Change(session, is_whole=True))
        return self.open_ids

    def read(self, begin: int, end: int) -> Iterator[list[Message]]:
        """The messages from a position to before another, in order, some at a time."""
        return self.reader.read(begin, end)

    def drop(self, through: int) -> int:
        """Remove what nobody needs: segments with nothing after a position; how many messages."""
        return drop_segments(self.folder, through)

    def drop_oldest(self) -> int:
        """Remove the oldest segment, unless it is the only one; how many messages it had."""
        segments = segments_of(self.folder)
        return self.drop(segments[1].first - 1) if len(segments) > 1 else 0

    def close(self) -> None:
        """Let others write it."""
        with self._lock:
            for handle in (self._file, self._mark):
                with suppress(OSError):
                    os.close(handle)
            self._claim.close()

    def _append(self, messages: Sequence[Message], change: Change | None) -> int:
        with self._lock:
            try:
                if self._is_in_doubt:
                    self._mend()
                if self._tail.offset >= self.segment_bytes and self._has_messages:
                    self._begin_segment()
                if messages:  # what is only said of packet ids is short, and frees the broker
                    self._require_room()
                return self._write(messages, change)
            except OSError as error:
                self._is_in_doubt = True
                raise SpoolFailed(
                    f"{self._segment.path}: {error.strerror or error}; nothing more is kept there"
                ) from error

    @property
    def _has_messages(self) -> bool:
        return self._tail.end > self._segment.first

    def _require_room(self) -> None:
        held = self.held_bytes
        if held >= self.most_bytes:
            raise SpoolFull(
                f"{self.folder}: the spool has {held:,} bytes, of at most {self.most_bytes:,}; "
                f"its oldest message is {self.first:,}, its last {self.end - 1:,}"
            )

    def _write(self, messages: Sequence[Message], change: Change | None) -> int:
        first, offset = self._tail.end, self._tail.offset
        frame = write_frame(first, messages, change)
        _write_all(self._file, frame, offset)
        os.fdatasync(self._file)
        tail = self._tail.after(len(messages), change, len(frame))
        self._write_mark(tail)
        self._tail = tail  # later, so that whoever sees its end can read up to there
        self._note(first, offset)
        return first

    def _begin_segment(self) -> None:
        """Go on in a new file, which begins with the ids that are open."""
        segment, tail = _new_segment(self.folder, self._tail)
        file = os.open(segment.path, os.O_RDWR)
        os.close(self._file)
        self._segment, self._tail, self._file = segment, tail, file
        self._write_mark(self._tail)

    def _mend(self) -> None:
        """Have the file end where the tail does, on disk, and say so."""
        os.ftruncate(self._file, self._tail.offset)
        os.fsync(self._file)
        self._write_mark(self._tail)
        self._is_in_doubt = False

    def _write_mark(self, tail: Tail) -> None:
        Mark(tail.end, self._segment.first, tail.offset).write(self._mark)

    def _note(self, position: int, offset: int) -> None:
        """Put a frame into the index, if the last one there is far enough away."""
        if offset - self._tail.indexed < INDEX_EVERY:
            return
        self._tail = self._tail.noted(offset)
        with suppress(OSError), self._segment.index.open("ab") as index:  # a help, not a need
            index.write(index_entries([(position, offset)]))


def _claim(folder: Path) -> _Claim:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _Claim(folder)
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None


class _Claim:
    """A lock on a file in the folder, in which the process that has it is named."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / ".lock").open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            owner = self._file.read(20).decode(errors="replace").strip()
            self._file.close()
            raise SpoolTaken(
                f"{folder}: the spool is written by {f'process {owner}' if owner else 'another'}"
            ) from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()).encode())
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def _opened(folder: Path) -> tuple[Segment, Tail]:
    """The last segment and what is whole in it; a first one where there is none."""
    segments, mark = segments_of(folder), Mark.read(folder)
    if not segments:
        return _new_segment(folder, Tail(end=mark.end if mark else 0))
    segment = segments[-1]
    tail, entries = read_tail(segment)
    if mark is not None and _lacks(tail, segment, mark):
        raise SpoolDamaged(
            f"{segment.path}: {mark.end - tail.end:,} messages that were kept cannot be read, from "
            f"{tail.end:,} on, byte {tail.offset:,}; to begin anew, move {folder} away"
        )
    write_whole(segment.index, index_entries(entries), is_lasting=False)
    return segment, tail


def _lacks(tail: Tail, segment: Segment, mark: Mark) -> bool:
    """Whether something is not there that was on disk once."""
    is_cut = segment.first == mark.segment and tail.offset < mark.offset
    return is_cut or tail.end < mark.end


def _new_segment(folder: Path, tail: Tail) -> tuple[Segment, Tail]:
    """A file that begins with the ids that are open; on disk, and so is its name."""
    segment = Segment.named(folder, tail.end)
    opening = Change(tail.session, tuple(sorted(tail.open_ids)), is_whole=True)
    begin = MAGIC + write_frame(tail.end, (), opening)
    write_whole(segment.path, begin)
    sync(folder)
    segment.index.unlink(missing_ok=True)
    return segment, Tail(tail.end, tail.session, tail.open_ids, len(begin), 0)


def _write_all(handle: int, written: bytes, offset: int) -> None:
    view = memoryview(written)
    while view:
        done = os.pwrite(handle, view, offset)
        view, offset = view[done:], offset + done
