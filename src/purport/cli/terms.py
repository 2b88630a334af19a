"""Files of terms, as several commands take them."""

from __future__ import annotations

from pathlib import Path

from purport.errors import InvalidInput, UnusablePath
from purport.model.text_file import read_text


def require_readable(path: Path) -> None:
    """`UnusablePath` unless there is a file that can be read."""
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None


def terms_in(path: Path) -> list[str]:
    """The terms in a file, one on each line."""
    lines = read_text(path).splitlines()
    terms = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not terms:
        raise InvalidInput(f"{path}: no term in it; expected one on each line")
    return terms
