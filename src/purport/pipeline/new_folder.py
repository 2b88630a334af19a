"""A folder that a job writes: a new one, there as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from purport.errors import UnusablePath


def require_new(folder: Path) -> None:
    """`UnusablePath` unless a folder is not there yet, or empty, and one can write where it is."""
    above = next(path for path in folder.absolute().parents if path.exists())
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UnusablePath(folder, "expected an empty folder, or none")
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None
    if not folder.name:  # which cannot be put in the place of what is there
        raise UnusablePath(folder, "expected a folder by its name")
    if not above.is_dir():
        raise UnusablePath(folder, f"{above} is not a folder")
    if not os.access(above, os.W_OK | os.X_OK):
        raise UnusablePath(folder, f"nothing may be written in {above}")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Where to write what takes the folder's name at the end; nothing is there yet."""
    require_new(folder)
    place = folder.absolute()
    hidden = place.with_name(f".{place.name}-{uuid.uuid4().hex}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        yield hidden
        hidden.rename(place)
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
