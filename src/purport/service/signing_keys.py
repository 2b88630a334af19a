"""The keys that sign tokens: from files, or one that is made on first start."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from purport.errors import InvalidInput, UnusablePath

_SHORTEST = 32  # bytes


def signing_keys(files: Sequence[Path], folder: Path | None) -> tuple[bytes, ...]:
    """The keys of some files; else the one of a folder, or one for as long as the process lasts."""
    if files:
        return tuple(map(_read, files))
    if folder is None:
        return (secrets.token_hex(32).encode(),)
    path = folder / "signing.key"
    if not path.exists():
        _make(path)
    return (_read(path),)


def _make(path: Path) -> None:
    """Make a key that nobody else can read, not even for a moment."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(32) + "\n")
            file.flush()
            os.fsync(handle)
    except FileExistsError:  # another process has just made it
        return
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None


def _read(path: Path) -> bytes:
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    if len(key) < _SHORTEST:
        raise InvalidInput(f"{path}: expected a key of {_SHORTEST} bytes or more, got {len(key)}")
    return key
