"""Fields out of files: a line `node NAME X Y` (metres) or `link NAME NAME` for each."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from purport.errors import InvalidInput, UnusablePath
from purport.network.bounds import FARTHEST


def read_field(path: Path) -> tuple[NDArray[np.float64], list[tuple[int, int]]]:
    """Positions and links, nodes in the order of their lines; `InvalidInput` names the line.

    What follows a `#` is a comment.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnusablePath(path, getattr(error, "strerror", None) or "not UTF-8") from None
    places: dict[str, tuple[float, float]] = {}
    numbers: dict[str, int] = {}
    links: dict[tuple[int, int], None] = {}
    for number, line in enumerate(lines, 1):
        where = f"{path}, line {number}"
        match line.partition("#")[0].split():
            case []:
                pass
            case ["node", name, x, y]:
                if name in places:
                    raise InvalidInput(f"{where}: there is a node {name!r} already")
                numbers[name] = len(places)
                places[name] = _metres(x, where), _metres(y, where)
            case ["link", one, other]:
                for name in (one, other):
                    if name not in places:
                        raise InvalidInput(f"{where}: no node {name!r} above")
                if one == other:
                    raise InvalidInput(f"{where}: expected two nodes, got {one!r} twice")
                links[min(numbers[one], numbers[other]), max(numbers[one], numbers[other])] = None
            case _:
                expected = "`node NAME X Y` or `link NAME NAME`"
                raise InvalidInput(f"{where}: expected {expected}, got {line.strip()!r:.60}")
    if len(places) < 2:
        raise InvalidInput(f"{path}: expected 2 nodes or more, got {len(places)}")
    return np.array(list(places.values())), list(links)


def _metres(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise InvalidInput(f"{where}: expected metres, got {text!r}")
    if abs(number) > float(FARTHEST):
        raise InvalidInput(f"{where}: expected metres, at most {FARTHEST}, got {text!r}")
    return number
