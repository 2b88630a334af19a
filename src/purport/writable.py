"""Whether something can be written at a path: asked before the work that it is for, not after."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from purport.errors import UnusablePath


def require_room(path: Path) -> None:
    """`UnusablePath` unless something new can take this path: where it lies, one can write."""
    _require_writable(path, path.absolute().parents)


def require_room_in(folder: Path) -> None:
    """`UnusablePath` unless one can write in a folder, or make it if it is not there."""
    whole = folder.absolute()
    _require_writable(folder, (whole, *whole.parents))


def require_file(path: Path) -> None:
    """`UnusablePath` unless a file can be written at a path; what is there is written over."""
    if path.is_dir():
        raise UnusablePath(path, "is a folder")
    if not path.exists():
        require_room(path)


def _require_writable(path: Path, places: Iterable[Path]) -> None:
    """Look at the first of some places that is there."""
    try:
        place = next(place for place in places if place.exists())
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    if not place.is_dir():
        raise UnusablePath(path, f"{place} is not a folder")
    if not os.access(place, os.W_OK | os.X_OK):
        raise UnusablePath(path, f"nothing may be written in {place}")
