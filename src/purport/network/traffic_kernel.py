"""Legs of events laid out as single transmissions, in flat arrays: `purport.network.traffic`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled, inlined

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]

ANYHOW = -2  # of a leg, instead of the one that it goes on from


class Legs(NamedTuple):
    """Ways that events go, those of one event together, each after the one that it goes on from.

    A leg with a tree's `row` goes from its source to its target along that tree; without one (-1)
    it is a single transmission to `receivers[first[leg]:first[leg + 1]]`. Its source has the event
    from the leg `via`, or, if that is -1, publishes it, or, if it is `ANYHOW`, has it from the
    first copy that it receives, which takes `target` hops. `work_pj` is what the source computes
    before.
    """

    event: Numbers
    source: Numbers
    via: Numbers
    row: Numbers
    target: Numbers
    first: Places
    receivers: Numbers
    work_pj: Places


class Laid(NamedTuple):
    """Transmissions: those of one event together, each after the one that it goes on from.

    The copies of transmission t are at `first[t]` to `first[t + 1]`: `receiver` of each, after how
    many `hops`. `origin` is the copy by which the sender has the event, -1 if it publishes it,
    `ANYHOW` if any will do.
    """

    event: Numbers
    sender: Numbers
    origin: Places
    work_pj: Places
    first: Places
    receiver: Numbers
    hops: Numbers


class Room(NamedTuple):
    """For each node the copy that has reached it in this group of legs; for each leg its last one.

    `path` has room for as many nodes as there are.
    """

    reached: Places
    groups: Numbers
    path: Numbers
    ends: Places


@compiled
def count_laid(legs: Legs, parents: Numbers, is_shared: bool, room: Room) -> tuple[int, int]:
    """How many transmissions and copies there will be."""
    transmissions, copies, group = 0, 0, 0
    for node in range(len(room.groups)):
        room.groups[node] = -1
    for leg in range(len(legs.event)):
        group += _begins_group(legs, leg, is_shared)
        if legs.row[leg] < 0:
            transmissions += 1
            copies += legs.first[leg + 1] - legs.first[leg]
            continue
        node = legs.target[leg]
        while node != legs.source[leg] and room.groups[node] != group:
            room.groups[node] = group
            node = parents[legs.row[leg], node]
            transmissions += 1
            copies += 1
    return transmissions, copies


@compiled
def lay(legs: Legs, parents: Numbers, is_shared: bool, room: Room, laid: Laid) -> None:
    """Write the transmissions; legs of one group share what is the same from its source on."""
    count, copy, group = 0, 0, 0
    for node in range(len(room.groups)):
        room.groups[node] = -1
    laid.first[0] = 0
    for leg in range(len(legs.event)):
        group += _begins_group(legs, leg, is_shared)
        source = legs.source[leg]
        origin = _origin(legs, room, laid, leg)
        if legs.row[leg] < 0:
            hops = 1 + (laid.hops[origin] if origin >= 0 else 0)
            if origin == ANYHOW:
                hops = 1 + legs.target[leg]
            room.ends[leg] = copy
            for place in range(legs.first[leg], legs.first[leg + 1]):
                laid.receiver[copy], laid.hops[copy] = legs.receivers[place], hops
                copy += 1
            _write(laid, count, legs, leg, source, origin, copy)
            laid.work_pj[count] = legs.work_pj[leg]
            count += 1
            continue
        length, node = 0, legs.target[leg]
        while node != source and room.groups[node] != group:
            room.path[length] = node
            length += 1
            node = parents[legs.row[leg], node]
        at = origin if node == source else room.reached[node]
        for place in range(length - 1, -1, -1):
            there = room.path[place]
            laid.receiver[copy] = there
            laid.hops[copy] = 1 + (laid.hops[at] if at >= 0 else 0)
            room.groups[there], room.reached[there] = group, copy
            _write(laid, count, legs, leg, node, at, copy + 1)
            laid.work_pj[count] = legs.work_pj[leg] if place == length - 1 else 0
            node, at = there, copy
            copy += 1
            count += 1
        room.ends[leg] = at


@inlined
def _begins_group(legs: Legs, leg: int, is_shared: bool) -> int:
    if leg == 0 or not is_shared:
        return 1
    is_same = (
        legs.event[leg] == legs.event[leg - 1]
        and legs.source[leg] == legs.source[leg - 1]
        and legs.via[leg] == legs.via[leg - 1]
        and legs.row[leg] == legs.row[leg - 1]
    )
    return 0 if is_same else 1


@inlined
def _origin(legs: Legs, room: Room, laid: Laid, leg: int) -> int:
    """The copy by which the source of a leg has the event."""
    via = legs.via[leg]
    if via < 0:
        return int(via)
    copy = room.ends[via]
    if legs.row[via] < 0:
        while laid.receiver[copy] != legs.source[leg]:
            copy += 1
    return int(copy)


@inlined
def _write(
    laid: Laid, count: int, legs: Legs, leg: int, sender: int, origin: int, end: int
) -> None:
    laid.event[count], laid.sender[count] = legs.event[leg], sender
    laid.origin[count], laid.first[count + 1] = origin, end


@compiled
def measure_reach(laid: Laid, positions: Reals, reach_m2: Reals) -> None:
    """The square of how far each transmission has to go."""
    for one in range(len(laid.sender)):
        farthest = 0.0
        for copy in range(laid.first[one], laid.first[one + 1]):
            farthest = max(farthest, squared(positions, laid.sender[one], laid.receiver[copy]))
        reach_m2[one] = farthest


@inlined
def squared(positions: Reals, one: int, other: int) -> float:
    """The square of the distance of two nodes."""
    x = positions[one, 0] - positions[other, 0]
    y = positions[one, 1] - positions[other, 1]
    return float(x * x + y * y)


@compiled
def follow(laid: Laid, starts: Places, following: Numbers, anyhow: Numbers) -> None:
    """Which transmissions go on from which copy: `following[starts[copy]:starts[copy + 1]]`.

    Those that go on from none, of event e, are at place `copies + e`; that of a node that has the
    event anyhow is `anyhow[e, node]`. `starts` comes in zeroed, with room for two more than there
    are places, `anyhow` with -1.
    """
    copies = len(laid.receiver)
    for one in range(len(laid.sender)):
        if laid.origin[one] == ANYHOW:
            anyhow[laid.event[one], laid.sender[one]] = one
        else:
            starts[_place(laid, copies, one) + 2] += 1
    for place in range(1, len(starts)):
        starts[place] += starts[place - 1]
    for one in range(len(laid.sender)):
        if laid.origin[one] == ANYHOW:
            continue
        place = _place(laid, copies, one)
        following[starts[place + 1]] = one
        starts[place + 1] += 1


@inlined
def _place(laid: Laid, copies: int, one: int) -> int:
    return int(laid.origin[one] if laid.origin[one] >= 0 else copies + laid.event[one])
