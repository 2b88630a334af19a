"""Text files that people write."""

from __future__ import annotations

from pathlib import Path

from purport.errors import UnusablePath


def read_text(path: str | Path) -> str:
    """The text of a file in UTF-8; `UnusablePath` says why it cannot be had."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnusablePath(path, f"not UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None


def file_state(path: str | Path) -> tuple[int, int, int] | None:
    """What changes when a file does, found out at little cost; None if it is gone."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
