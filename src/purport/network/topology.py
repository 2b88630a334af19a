"""Where nodes are, and who is linked to whom while some die, leave, return or move."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from purport.network.errors import ScenarioError
from purport.network.field_file import read_field
from purport.network.scenario import Field, Wiring
from purport.network.wiring_kernel import wire

Positions = NDArray[np.float64]
Flags = NDArray[np.bool_]
Pairs = NDArray[np.int32]  # two columns, the smaller number first, in rising order

_EDGE = 1 + 1e-9  # neighbours of a grid are as far apart as this allows


class Topology(Protocol):
    """Links nodes."""

    def links(self, positions: Positions, up: Flags, moved: Flags) -> Pairs:
        """Who is linked to whom among nodes that are up; `moved` have moved or come back."""
        ...


def placed(field: Field, reach_m: float, rng: Generator) -> tuple[Positions, Topology]:
    """Where the nodes of a field are at the beginning, and what links them.

    `ScenarioError` if they are not all connected.
    """
    positions, topology = _placed(field, reach_m, rng)
    everybody = np.ones(len(positions), np.bool_)
    pairs = topology.links(positions, everybody, everybody)
    apart = components(len(positions), pairs)
    if apart.max() > 0:
        lost = len(positions) - int(np.bincount(apart).max())
        raise ScenarioError(
            "field",
            f"expected all nodes to be connected, but links of {len(positions)} leave {lost} apart"
            f" ({_remedy(field, reach_m)})",
        )
    return positions, topology


def components(nodes: int, pairs: Pairs) -> NDArray[np.int32]:
    """The number of the part of the network that each node is in."""
    ones = np.ones(len(pairs), np.int8)
    graph = coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(nodes, nodes))
    found: NDArray[np.int32] = connected_components(graph, directed=False)[1]
    return found


def _placed(field: Field, reach_m: float, rng: Generator) -> tuple[Positions, Topology]:
    match field.wiring:
        case Wiring.FILE:
            assert field.file is not None
            positions, links = read_field(field.file)
            return positions, _Fixed(links, reach_m)
        case Wiring.GRID:
            positions, spacing = grid(field.nodes, field.side_m)
            return positions, _Near(min(spacing * _EDGE, reach_m))
        case Wiring.GEOMETRIC:
            assert field.link_m is not None
            return _anywhere(field, rng), _Near(min(field.link_m, reach_m))
        case Wiring.WEIGHTED:
            positions = _anywhere(field, rng)
            positions[0] = field.side_m / 2
            return positions, _Weighted(field, reach_m)


def grid(nodes: int, side_m: float) -> tuple[Positions, float]:
    """Nodes row by row in a square, and how far apart neighbours are."""
    across = math.ceil(math.sqrt(nodes))
    spacing = side_m / (across - 1)
    numbers = np.arange(nodes)
    places = np.stack((numbers % across, numbers // across), axis=1).astype(np.float64) * spacing
    return places, spacing


def _anywhere(field: Field, rng: Generator) -> Positions:
    return rng.uniform(0, field.side_m, (field.nodes, 2))


def _remedy(field: Field, reach_m: float) -> str:
    if field.wiring is Wiring.FILE:
        return f"add links to {field.file}"
    if field.wiring is Wiring.GEOMETRIC and (field.link_m or 0) < reach_m:
        return f"try more than link_m = {field.link_m:g}"
    return f"try a larger radio.range_m than {reach_m:g}"


class _Fixed:
    """Links that are given; one that the radio does not reach over is none."""

    def __init__(self, links: list[tuple[int, int]], reach_m: float) -> None:
        self._pairs = np.array(sorted(links), np.int32).reshape(-1, 2)
        self._reach_m = reach_m

    def links(self, positions: Positions, up: Flags, moved: Flags) -> Pairs:
        one, other = self._pairs.T
        apart = np.hypot(*(positions[one] - positions[other]).T)
        found: Pairs = self._pairs[up[one] & up[other] & (apart <= self._reach_m)]
        return found


class _Near:
    """All that are near each other are linked."""

    def __init__(self, link_m: float) -> None:
        self._link_m = link_m

    def links(self, positions: Positions, up: Flags, moved: Flags) -> Pairs:
        alive = np.flatnonzero(up)
        pairs = cKDTree(positions[alive]).query_pairs(self._link_m, output_type="ndarray")
        return _sorted(alive[pairs].astype(np.int32))


class _Weighted:
    """Each node has chosen some before it, and chooses again when one of them is gone."""

    def __init__(self, field: Field, reach_m: float) -> None:
        self._side_m = field.side_m
        self._weights = np.array(field.weights)
        self._reach = reach_m / field.side_m
        self._chosen = np.full((field.nodes, len(field.weights)), -1, np.int32)
        edges = 2 * self._chosen.size
        self._room = (
            np.empty(field.nodes, np.int32),
            np.empty(field.nodes, np.int32),
            np.empty((edges, 2), np.int32),
            np.empty(edges + field.nodes, np.int32),
        )

    def links(self, positions: Positions, up: Flags, moved: Flags) -> Pairs:
        chosen = self._chosen
        is_gone = (chosen >= 0) & (~up[chosen] | moved[chosen])
        chosen[is_gone | (moved | ~up)[:, None]] = -1
        wire(positions / self._side_m, up, self._weights, self._reach, chosen, *self._room)
        node, place = np.nonzero(chosen >= 0)
        pairs = np.stack((chosen[node, place], node.astype(np.int32)), axis=1)
        return _sorted(np.unique(pairs, axis=0))


def _sorted(pairs: Pairs) -> Pairs:
    pairs = np.sort(pairs, axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
