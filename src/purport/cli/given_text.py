"""A text that is typed, in a file, or in the input."""

from __future__ import annotations

import sys
from pathlib import Path

from purport.errors import InvalidInput
from purport.model.text_file import read_text


def given_text(text: str) -> str:
    """The text itself, what is in the file of that name, or for `-` what is in the input."""
    if text == "-":
        try:
            return sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"the input is not UTF-8 (byte {error.start})") from None
    return read_text(text) if is_file(text) else text


def is_file(text: str) -> bool:
    """Whether a file is called so."""
    try:
        return Path(text).is_file()
    except OSError:  # too long for the name of a file
        return False
