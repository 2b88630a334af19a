"""Lines of JSON, as commands print them for programs."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec


def print_json(row: object) -> None:
    """Print one line of JSON."""
    sys.stdout.write(msgspec.json.encode(row, enc_hook=_plain).decode() + "\n")


def _plain(value: object) -> str:
    """What else is printed."""
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} in a line of JSON")
