"""Files that are seen whole or not at all: written under a hidden name, then given their own."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_UNFINISHED = re.compile(r"\..+-[0-9a-f]{32}")


@contextmanager
def whole_file(path: Path, *, is_lasting: bool = True) -> Iterator[Path]:
    """Where to write a file, which takes its name at the end; if it lasts, a power cut spares it.

    Of one that could not be written nothing is left.
    """
    hidden = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        yield hidden
        if is_lasting:
            sync(hidden)
        hidden.rename(path)
    finally:
        hidden.unlink(missing_ok=True)


def write_whole(path: Path, text: bytes, *, is_lasting: bool = True) -> None:
    """Write a file of which nobody ever sees a part."""
    with whole_file(path, is_lasting=is_lasting) as hidden:
        hidden.write_bytes(text)


def write_secret(path: Path, text: bytes) -> None:
    """The same of a file that nobody else can read, not even for a moment."""
    with whole_file(path) as hidden:
        hidden.touch(0o600, exist_ok=False)
        hidden.write_bytes(text)


def clear_unfinished(folder: Path) -> None:
    """Drop the files that a process died over while it wrote them."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if _UNFINISHED.fullmatch(path.name):
            path.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, on disk when this returns."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
