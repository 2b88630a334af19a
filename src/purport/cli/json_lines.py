"""Lines of JSON, as commands print them for programs."""

from __future__ import annotations

import sys

import msgspec


def print_json(row: object) -> None:
    """Print one line of JSON."""
    sys.stdout.write(msgspec.json.encode(row).decode() + "\n")
