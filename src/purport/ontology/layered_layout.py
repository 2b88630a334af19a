"""Boxes in layers, each below its parents, with few crossings and no line across a box.

After Sugiyama: a line that passes a layer gets a place of its own in it, so that every line runs
between neighbouring layers; then the places in each layer are put in order, and moved towards those
they are joined with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.optimize import isotonic_regression

_SWEEPS = 24
_PASSAGE = 0.12  # the room that a line takes, as boxes have theirs


@dataclass(frozen=True, slots=True)
class Layout:
    """The layer and the middle of each box across the layers, and the places each line passes."""

    layer: Mapping[int, int]
    middle: Mapping[int, float]
    lines: tuple[tuple[int, ...], ...]
    layers: tuple[tuple[int, ...], ...]


def layered(sizes: Mapping[int, float], parents: Mapping[int, Sequence[int]], gap: float) -> Layout:
    """Places for boxes of these sizes (across the layers); a box comes after its parents."""
    layer = _layers(sizes, parents)
    lines = _lines(layer, parents)
    room = {**sizes, **{place: _PASSAGE for line in lines for place in line[1:-1]}}
    orders = _ordered(layer, lines)
    middle = _middles(orders, lines, room, gap)
    return Layout(layer, middle, tuple(lines), tuple(map(tuple, orders)))


def _layers(boxes: Mapping[int, float], parents: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """How far down each box is; one without parents is right above its highest child."""
    layer: dict[int, int] = {}
    for box in boxes:  # parents first
        layer[box] = max((layer[one] + 1 for one in parents[box]), default=0)
    children = defaultdict(list)
    for box in boxes:
        for parent in parents[box]:
            children[parent].append(box)
    for box in boxes:
        if not parents[box] and children[box]:
            layer[box] = min(layer[one] for one in children[box]) - 1
    return layer


def _lines(layer: dict[int, int], parents: Mapping[int, Sequence[int]]) -> list[tuple[int, ...]]:
    """Each line with the places that it passes, numbered after the boxes."""
    lines = []
    fresh = max(layer, default=-1) + 1
    for box in list(layer):
        for parent in parents[box]:
            passed = range(fresh, fresh + layer[box] - layer[parent] - 1)
            fresh += len(passed)
            layer.update({place: layer[parent] + 1 + at for at, place in enumerate(passed)})
            lines.append((parent, *passed, box))
    return lines


def _ordered(layer: Mapping[int, int], lines: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """The places of each layer in the order that was found with the fewest crossings."""
    above, below = _neighbours(lines)
    orders = _by_walking(layer, below)
    best, fewest = [list(one) for one in orders], _crossings(orders, below)
    for sweep in range(_SWEEPS):
        is_down = sweep % 2 == 0
        near = above if is_down else below
        numbers = range(1, len(orders)) if is_down else range(len(orders) - 2, -1, -1)
        for number in numbers:
            fixed = orders[number - 1 if is_down else number + 1]
            orders[number] = _by_mean(orders[number], fixed, near)
        crossings = _crossings(orders, below)
        if crossings < fewest:
            best, fewest = [list(one) for one in orders], crossings
    return best


Neighbours = Mapping[int, Sequence[int]]


def _neighbours(lines: Sequence[tuple[int, ...]]) -> tuple[Neighbours, Neighbours]:
    above: dict[int, list[int]] = defaultdict(list)
    below: dict[int, list[int]] = defaultdict(list)
    for line in lines:
        for upper, lower in pairwise(line):
            below[upper].append(lower)
            above[lower].append(upper)
    return above, below


def _by_walking(layer: Mapping[int, int], below: Neighbours) -> list[list[int]]:
    """Places in the order in which one comes upon them from the top."""
    orders: list[list[int]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    seen: set[int] = set()
    for top in sorted(layer, key=lambda place: (layer[place], place)):
        waiting = [top]
        while waiting:
            place = waiting.pop()
            if place not in seen:
                seen.add(place)
                orders[layer[place]].append(place)
                waiting.extend(reversed(below.get(place, ())))
    return orders


def _by_mean(places: list[int], fixed: list[int], near: Neighbours) -> list[int]:
    """Places by where those they are joined with are on average; others stay where they are."""
    rank = {place: number for number, place in enumerate(fixed)}
    share = len(fixed) / max(len(places), 1)

    def wanted(number: int) -> float:
        joined = near.get(places[number], ())
        return sum(rank[one] for one in joined) / len(joined) if joined else number * share

    return [places[number] for number in sorted(range(len(places)), key=wanted)]


def _crossings(orders: list[list[int]], below: Neighbours) -> int:
    count = 0
    for upper, lower in pairwise(orders):
        rank = {place: number for number, place in enumerate(lower)}
        ends = [sorted(rank[one] for one in below.get(place, ())) for place in upper]
        flat = np.array([end for some in ends for end in some], np.int64)
        count += int(np.sum(np.triu(flat[:, None] > flat[None, :], 1)))
    return count


def _middles(
    orders: list[list[int]], lines: Sequence[tuple[int, ...]], room: Mapping[int, float], gap: float
) -> dict[int, float]:
    """Where each place is: near those it is joined with, in order and without overlap."""
    above, below = _neighbours(lines)
    middle: dict[int, float] = {}
    for order in orders:
        middle.update(_settled(order, room, gap, lambda _: 0.0))

    def mean(*near: Neighbours) -> Callable[[int], float]:
        def wanted(place: int) -> float:
            joined = [middle[one] for some in near for one in some.get(place, ())]
            return sum(joined) / len(joined) if joined else middle[place]

        return wanted

    for near in [(above,), (below,)] * 8 + [(above, below)] * 4:
        for order in orders if near == (above,) else reversed(orders):
            middle.update(_settled(order, room, gap, mean(*near)))
    least = min((middle[place] - room[place] / 2 for place in middle), default=0.0)
    return {place: at - least for place, at in middle.items()}


def _settled(
    order: Sequence[int], room: Mapping[int, float], gap: float, wanted: Callable[[int], float]
) -> dict[int, float]:
    """The places nearest to those wanted that are far enough apart."""
    apart = [(room[one] + room[other]) / 2 + gap for one, other in pairwise(order)]
    offsets = np.concatenate(([0.0], np.cumsum(apart)))[: len(order)]
    found = isotonic_regression(np.array([wanted(place) for place in order]) - offsets).x
    return dict(zip(order, (found + offsets).tolist(), strict=True))
