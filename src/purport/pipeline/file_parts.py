"""Files in parts: what one task reads of a file, whatever the number of cores.

A line belongs to the part in which it begins. So a line has the same place, and an event without
an id the same name, on every machine.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from purport.errors import UnusablePath
from purport.model.event_lines import LONGEST_LINE

PART_BYTES = 64 * 1024 * 1024
_BLOCK_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FilePart:
    """A part of a file; `name` is the file's, below the folder that is read."""

    path: Path
    name: str
    begin: int = 0
    end: int | None = None

    @property
    def source(self) -> str:
        """What places are named by: the file, and where in it the part begins."""
        return f"{self.name}@{self.begin}" if self.begin else self.name

    @classmethod
    def of(cls, folder: Path, source: str) -> FilePart:
        """The part that a source names."""
        name, _, begin = source.rpartition("@")
        if not begin.isdigit() or (folder / source).exists():
            is_packed = source.endswith(".gz")  # and so never cut
            return cls(folder / source, source, 0, None if is_packed else PART_BYTES)
        return cls(folder / name, name, int(begin), int(begin) + PART_BYTES)


def line_blocks(part: FilePart) -> Iterator[bytes]:
    """The lines of a part, some at a time, without the end of the last one.

    Of a line that is too long for an event, only so much is given that it can be seen to be.
    """
    with opened(part.path) as file:
        position, rest = _first_line(file, part.begin)
        end = part.end
        while end is None or position < end:
            block = _next_block(file)
            text = rest + block
            if not block:
                if not text:
                    return
                text += b"" if text.endswith(b"\n") else b"\n"
            if end is not None and position + len(text) >= end:
                cut = text.find(b"\n", max(0, end - position - 1)) + 1
            else:
                cut = 0
            cut = cut or text.rfind(b"\n") + 1
            if cut:
                yield text[: cut - 1]
            position, rest = position + cut, text[cut:]
            if len(rest) > LONGEST_LINE and (end is None or position < end):
                yield rest[: LONGEST_LINE + 1]
                skipped, rest = _next_line(file, rest)
                position += skipped


def whole_text(part: FilePart, most_bytes: int) -> bytes:
    """All that a file says; `UnusablePath` if that is too much."""
    with opened(part.path) as file:
        text = file.read(most_bytes + 1)
    if len(text) > most_bytes:
        raise UnusablePath(part.path, f"larger than {most_bytes // 1024**2} MiB")
    return text


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file, unpacked as it is read; `UnusablePath` if that cannot be done."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield cast(BinaryIO, file)
    except (OSError, EOFError, zlib.error) as error:
        raise UnusablePath(path, getattr(error, "strerror", None) or str(error)) from None


def _next_block(file: BinaryIO) -> bytes:
    """The next bytes; of a file that is damaged further on, first all that come before."""
    parts: list[bytes] = []
    size = 0
    try:
        while size < _BLOCK_BYTES and (part := file.read1(_BLOCK_BYTES - size)):  # type: ignore[attr-defined]
            parts.append(part)
            size += len(part)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        if not parts:
            raise
    return b"".join(parts)


def _first_line(file: BinaryIO, begin: int) -> tuple[int, bytes]:
    """Where the first line begins that begins in the part, and what was read of it."""
    if begin == 0:
        return 0, b""
    file.seek(begin - 1)
    skipped, rest = _next_line(file, b"")
    return begin - 1 + skipped, rest


def _next_line(file: BinaryIO, text: bytes) -> tuple[int, bytes]:
    """How many bytes the line has of which some text was read, and what follows it."""
    skipped = 0
    while (end := text.find(b"\n")) < 0:
        skipped += len(text)
        text = file.read(_BLOCK_BYTES)
        if not text:
            return skipped, b""
    return skipped + end + 1, text[end + 1 :]
