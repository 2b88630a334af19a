"""How many rows may be made at once: a few patterns without a common variable make very many."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from purport.sparql.errors import TooManyRows

_MOST: ContextVar[int | None] = ContextVar("most rows", default=None)


@contextmanager
def at_most(rows: int | None) -> Iterator[None]:
    """Let so many rows be made at a time meanwhile; None: as many as there are."""
    before = _MOST.set(rows)
    try:
        yield
    finally:
        _MOST.reset(before)


def most_rows() -> int | None:
    """How many rows may be made at a time now."""
    return _MOST.get()


def require_few(rows: int) -> None:
    """Raise `TooManyRows` if more rows are to be made than may be."""
    most = _MOST.get()
    if most is not None and rows > most:
        raise TooManyRows(most)
