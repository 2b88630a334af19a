"""Numbers as clients spell them."""

from __future__ import annotations

MOST = 2**63 - 1
_MOST_DIGITS = len(str(MOST))


def whole_number(told: str) -> int | None:
    """The number that a text spells, from 0 on; None if it is none, or greater than any of ours.

    >>> whole_number("12"), whole_number("-1"), whole_number("9" * 5_000)
    (12, None, None)
    """
    if not (told.isascii() and told.isdigit() and len(told) <= _MOST_DIGITS):
        return None
    number = int(told)
    return number if number <= MOST else None
