"""Attributes of nested objects: the steps of a dotted name, and what is told of one object."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

MOST_LEVELS = 64  # of objects within objects, that an event may tell of
_REMEMBERED = 65_536
_SCHEME = r"[A-Za-z][A-Za-z0-9+-]*://"
_STEP = re.compile(rf"(?:{_SCHEME}(?:(?!\.{_SCHEME}).)*[/#])?[^.]*", re.S)


@lru_cache(maxsize=_REMEMBERED)
def path_steps(name: str) -> tuple[str, ...]:
    """The names that a dotted name is made of; the dots of an IRI part nothing.

    >>> path_steps("alarm.http://example.org/v1.2#minutes")
    ('alarm', 'http://example.org/v1.2#minutes')
    """
    if "://" not in name:
        return tuple(name.split("."))
    steps, at = [], 0
    while at <= len(name):
        found = _STEP.match(name, at)
        step = found[0] if found is not None else ""
        steps.append(step)
        at += len(step) + 1
    return tuple(steps)


def told_objects(names: Iterable[str]) -> list[list[int]]:
    """The places of names by the object that they are of, as a list of objects tells them.

    A list of values repeats a name at once. One that comes again after others begins a new object.

    >>> told_objects(["type", "age", "age", "type", "age"])
    [[0, 1, 2], [3, 4]]
    """
    objects: list[list[int]] = []
    seen: set[str] = set()
    last = None
    for place, name in enumerate(names):
        if not objects or (name in seen and name != last):
            objects.append([])
            seen = set()
        seen.add(name)
        last = name
        objects[-1].append(place)
    return objects
