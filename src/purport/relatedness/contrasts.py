"""Words that are said of the same things and never mean the same, such as indoor and outdoor."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def contrasts() -> dict[str, frozenset[int]]:
    """For each word the groups it is in; two different words of one group keep each other apart."""
    text = files("purport.relatedness").joinpath("contrasts.txt").read_text(encoding="utf-8")
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(text.splitlines()):
        if not line.startswith("#"):
            for word in line.split():
                groups.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups.items()}
