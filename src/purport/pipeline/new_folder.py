"""A folder that a job writes: a new one, there as a whole or not at all."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from purport.errors import InvalidInput, UnusablePath
from purport.writable import require_room


def require_new(folder: Path) -> None:
    """`UnusablePath` unless a folder is not there yet, or empty, and one can write where it is.

    Where rights say that one may, it is tried: some file systems take nothing all the same.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UnusablePath(folder, "expected an empty folder, or none")
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None
    if not folder.name:  # which cannot be put in the place of what is there
        raise UnusablePath(folder, "expected a folder by its name")
    require_room(folder)
    hidden = _hidden(folder)
    if hidden.parent.exists():
        try:
            hidden.mkdir()
            hidden.rmdir()
        except OSError as error:
            reason = error.strerror or str(error)
            raise UnusablePath(
                folder, f"no folder can be made in {hidden.parent}: {reason}"
            ) from None


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Where to write what takes the folder's name at the end; nothing is there yet.

    A job that could not write there any more is told so, not in the words of what it wrote with.
    """
    require_new(folder)
    place = folder.absolute()
    hidden = _hidden(folder)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        yield hidden
        hidden.rename(place)
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None
    except InvalidInput:
        require_new(folder)
        raise
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _hidden(folder: Path) -> Path:
    place = folder.absolute()
    return place.with_name(f".{place.name}-{uuid.uuid4().hex}")
