"""The keys that sign tokens: from files, or one that is made on first start."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from purport.errors import InvalidInput, UnusablePath
from purport.whole_file import write_secret

_SHORTEST = 32  # bytes


def new_key() -> bytes:
    """A key nobody can guess."""
    return secrets.token_hex(32).encode()


def signing_keys(files: Sequence[Path], folder: Path | None) -> tuple[bytes, ...]:
    """The keys of some files; else the one of a folder; none if there is neither."""
    if files:
        return tuple(map(_read, files))
    if folder is None:
        return ()
    path = folder / "signing.key"
    if not path.exists():
        _make(path)
    return (_read(path),)


def _make(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_secret(path, new_key() + b"\n")
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
