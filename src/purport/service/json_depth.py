"""How deep JSON may be nested, found out before anything reads it."""

from __future__ import annotations

import re

from purport.errors import InvalidInput

_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_OTHERS = bytes(set(range(256)) - set(b"[]{}"))
_AS_ONE = bytes.maketrans(b"{}", b"[]")


def require_shallow(text: bytes, depth: int) -> None:
    """Raise `InvalidInput` if JSON, or what would be some, is nested deeper than it may be.

    Of a text only its brackets stay; each round takes the innermost pairs away.

    >>> require_shallow(b'{"a": ["[[["]}', 2)
    >>> require_shallow(b"[[[]]]", 2)
    Traceback (most recent call last):
    purport.errors.InvalidInput: JSON is nested deeper than 2 levels
    """
    if text.count(b"[") + text.count(b"{") <= depth:
        return
    left = _STRINGS.sub(b"", text).translate(_AS_ONE, _OTHERS)
    for _ in range(depth):
        fewer = left.replace(b"[]", b"")
        if len(fewer) == len(left):
            break
        left = fewer
    if b"[]" in left or left.count(b"[") > depth:
        raise InvalidInput(f"JSON is nested deeper than {depth} levels")
