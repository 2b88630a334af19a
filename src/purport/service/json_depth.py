"""How deep JSON may be nested, found out before anything reads it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.errors import InvalidInput

_PORTION = 256 * 1024  # letters that are looked at together
_QUOTE, _BACKSLASH = b'"\\'
_STEPS = np.zeros(256, np.int8)
_STEPS[list(b"[{")], _STEPS[list(b"]}")] = 1, -1


def require_shallow(text: bytes, depth: int) -> None:
    """Raise `InvalidInput` if JSON, or what would be some, is nested deeper than it may be.

    >>> require_shallow(b'{"a": ["[[["]}', 2)
    >>> require_shallow(b"[[[]]]", 2)
    Traceback (most recent call last):
    purport.errors.InvalidInput: JSON is nested deeper than 2 levels
    """
    if text.count(b"[") + text.count(b"{") > depth and _depth(text) > depth:
        raise InvalidInput(f"JSON is nested deeper than {depth} levels")


def _depth(text: bytes) -> int:
    """How many brackets are open at the same time, those in strings left out."""
    deepest = level = 0
    is_in_string = is_escaped = False
    for start in range(0, len(text), _PORTION):
        letters = np.frombuffer(text[start : start + _PORTION], np.uint8)
        quotes = letters == _QUOTE
        escaped = _escaped(letters, is_escaped)
        is_escaped = bool(escaped.size) and int(escaped[-1]) == len(letters)
        quotes[escaped[: len(escaped) - is_escaped]] = False
        strings = (np.cumsum(quotes, dtype=np.uint8) + np.uint8(is_in_string)) & np.uint8(1)
        is_in_string = bool(strings[-1])
        steps = _STEPS[letters]
        steps[strings.view(np.bool_)] = 0
        levels = np.cumsum(steps, dtype=np.int32)
        deepest = max(deepest, level + int(levels.max()))
        level += int(levels[-1])
    return deepest


def _escaped(letters: NDArray[np.uint8], is_first: bool) -> NDArray[np.intp]:
    """The places after a backslash that is not itself after one; the last may be past the end."""
    backslashes = np.flatnonzero(letters == _BACKSLASH)
    if is_first and backslashes.size and backslashes[0] == 0:
        backslashes = backslashes[1:]
    places = np.arange(backslashes.size)
    begins = np.diff(backslashes, prepend=-2) != 1  # a row of them
    in_row = places - np.maximum.accumulate(np.where(begins, places, 0))
    escaped = backslashes[in_row % 2 == 0] + 1
    return np.concatenate(([0], escaped)) if is_first else escaped
