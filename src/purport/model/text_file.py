"""Text files that people write."""

from __future__ import annotations

from pathlib import Path

from purport.errors import UnusablePath


def read_text(path: Path) -> str:
    """The text of a file in UTF-8; `UnusablePath` says why it cannot be had."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UnusablePath(path, "not UTF-8") from None
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
