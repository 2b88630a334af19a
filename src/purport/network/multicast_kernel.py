"""Trees from a publisher to all who want an event, that cost little and spare who has little left.

A node of a tree sends once, as far as to the farthest of those it is to reach; once it sends so
far, others that are nearer cost no more than what they take to receive. A tree grows from the
publisher: whoever wants the event and is cheapest to reach from the tree joins it, by the cheapest
path, until all have (after Takahashi & Matsuyama 1980; with what sending takes counted as in the
broadcast incremental power algorithm of Wieselthier, Nguyen & Ephremides 2000).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled, inlined
from purport.network.paths_kernel import Heap, rise, sink
from purport.network.traffic_kernel import squared

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]

_ROUNDING = 1 + 1e-12


class Arcs(NamedTuple):
    """Who may send to whom: `others[starts[i]:starts[i + 1]]`, the nearest first.

    `sending` is what it costs to send over an arc, with those who overhear it; the costs are in
    picojoules a bit, weighed by how little a node has left.
    """

    starts: Numbers
    others: Numbers
    sending: Reals


class Weighing(NamedTuple):
    """What nodes weigh, where they are, all others by distance, and what a bit takes.

    There is nobody in `near` where nothing is overheard.
    """

    weights: Reals
    positions: Reals
    near: Numbers
    up: Flags
    electronics: float
    amplifier: float
    overhearing: float


class Growing(NamedTuple):
    """Room for one tree while it grows: see `_grow`."""

    heap: Heap
    costs: Reals
    before: Numbers
    hops: Numbers
    reached: Reals
    direct: Reals
    path: Numbers


class Grown(NamedTuple):
    """Trees, one a row: who sends to each node (-1: it is not in the tree), and nodes in order.

    Who sends comes before those it sends to; the first is the publisher. `steps` counts how often a
    cost was looked at.
    """

    parents: Numbers
    order: Numbers
    counts: Numbers
    steps: Places


@compiled
def weigh_arcs(weighing: Weighing, arcs: Arcs) -> None:
    """Fill in what sending costs."""
    for node in range(len(arcs.starts) - 1):
        place, heard = 0, 0.0
        near = weighing.near[node]
        for arc in range(arcs.starts[node], arcs.starts[node + 1]):
            apart = squared(weighing.positions, node, arcs.others[arc])
            place, heard = _heard(weighing, node, near, place, heard, apart)
            arcs.sending[arc] = _sending(weighing, node, apart, heard)


@inlined
def _heard(
    weighing: Weighing, node: int, near: Numbers, place: int, heard: float, apart: float
) -> tuple[int, float]:
    """Go on to those who hear a node so far: the place of the next one, and what all weigh."""
    limit = apart * _ROUNDING
    while place < len(near) and squared(weighing.positions, node, near[place]) <= limit:
        if weighing.up[near[place]]:
            heard += weighing.weights[near[place]]
        place += 1
    return place, heard


@inlined
def _sending(weighing: Weighing, node: int, apart: float, heard: float) -> float:
    own = (weighing.electronics + weighing.amplifier * apart) * weighing.weights[node]
    return float(own + weighing.overhearing * heard)


@inlined
def _receiving(weighing: Weighing, node: int) -> float:
    """What receiving costs a node beyond what it overhears anyway."""
    more = weighing.electronics
    if weighing.near.shape[1]:
        more -= weighing.overhearing
    return float(more * weighing.weights[node])


@compiled
def grow_all(
    weighing: Weighing,
    arcs: Arcs,
    publishers: Numbers,
    wanted: Flags,
    reach_m2: float,
    hop_limit: int,
    room: Growing,
    grown: Grown,
) -> None:
    """Grow a tree for each publisher, to all in its row of `wanted` who can be reached."""
    for row in range(len(publishers)):
        _weigh_direct(weighing, publishers[row], wanted[row], reach_m2, room)
        count, steps = _grow(
            weighing,
            arcs,
            publishers[row],
            wanted[row],
            hop_limit,
            room,
            grown.parents[row],
            grown.order[row],
        )
        grown.counts[row], grown.steps[row] = count, steps


@compiled
def _weigh_direct(
    weighing: Weighing, publisher: int, wanted: Flags, reach_m2: float, room: Growing
) -> None:
    """What it costs the publisher to send to each who wants the event; infinite for all others."""
    near = weighing.near[publisher]
    place, heard = 0, 0.0
    room.direct[:] = np.inf
    if len(near):
        for node in near:
            apart = squared(weighing.positions, publisher, node)
            if apart > reach_m2:
                break
            place, heard = _heard(weighing, publisher, near, place, heard, apart)
            if wanted[node]:
                room.direct[node] = _sending(weighing, publisher, apart, heard)
        return
    for node in range(len(wanted)):
        apart = squared(weighing.positions, publisher, node)
        if wanted[node] and node != publisher and apart <= reach_m2:
            room.direct[node] = _sending(weighing, publisher, apart, 0.0)


@compiled
def _grow(
    weighing: Weighing,
    arcs: Arcs,
    publisher: int,
    wanted: Flags,
    hop_limit: int,
    room: Growing,
    parents: Numbers,
    order: Numbers,
) -> tuple[int, int]:
    """Grow one tree; how many nodes it has, and in how many steps.

    `reached` is what a node of the tree spends on sending, below 0 of others. What waits in the
    heap is not in the tree; its `costs` are those of coming to it from the tree, `before` is who
    comes before it, and `hops` how far it is from the publisher.
    """
    missing = 0
    for node in range(len(parents)):
        parents[node], room.before[node], room.hops[node] = -1, -1, 0
        room.costs[node], room.reached[node], room.heap.places[node] = np.inf, -1.0, -1
        missing += 1 if wanted[node] and node != publisher else 0
    parents[publisher], room.reached[publisher] = publisher, 0.0
    order[0], count = publisher, 1
    size, steps = _spread(weighing, arcs, publisher, publisher, hop_limit, room, parents, 0)
    while missing and size:
        here = room.heap.nodes[0]
        size -= 1
        room.heap.places[here] = -1
        if size:
            sink(room.heap, room.costs, size, room.heap.nodes[size])
        if parents[here] >= 0:
            continue
        if not wanted[here]:
            size, more = _spread(weighing, arcs, publisher, here, hop_limit, room, parents, size)
            steps += more
            continue
        tail, length = _path_to(here, publisher, hop_limit, room, parents)
        if not length:
            missing -= 1
            continue
        missing -= _join_all(arcs, tail, length, wanted, room, parents, order, count)
        count += length
        size, more = _spread(weighing, arcs, publisher, tail, hop_limit, room, parents, size)
        steps += more
        for place in range(length):
            node = room.path[place]
            size, more = _spread(weighing, arcs, publisher, node, hop_limit, room, parents, size)
            steps += more
    return count, steps


@compiled
def _spread(
    weighing: Weighing,
    arcs: Arcs,
    publisher: int,
    here: int,
    hop_limit: int,
    room: Growing,
    parents: Numbers,
    size: int,
) -> tuple[int, int]:
    """Look what it costs to go on from a node; how many wait now, and how many were looked at."""
    hops = room.hops[here] + 1
    if 0 <= hop_limit < hops:
        return size, 0
    base, spent = room.costs[here], 0.0
    if parents[here] >= 0:
        base, spent = 0.0, room.reached[here]
    first, end = arcs.starts[here], arcs.starts[here + 1]
    for arc in range(first, end):
        there = arcs.others[arc]
        if parents[there] >= 0:
            continue
        cost = base + max(arcs.sending[arc] - spent, 0.0) + _receiving(weighing, there)
        size = _offer(room, parents, here, there, cost, hops, size)
    if here != publisher:
        return size, int(end - first)
    for there in range(len(parents)):
        if parents[there] < 0 and room.direct[there] < np.inf:
            cost = max(room.direct[there] - spent, 0.0) + _receiving(weighing, there)
            size = _offer(room, parents, here, there, cost, hops, size)
    return size, int(end - first) + len(parents)


@inlined
def _offer(
    room: Growing, parents: Numbers, here: int, there: int, cost: float, hops: int, size: int
) -> int:
    """Come to a node that has not joined from another one, if this is cheaper than before.

    Of two in the tree from whom it costs the same, the one with the smaller number is taken.
    """
    is_same = cost == room.costs[there] and parents[here] >= 0 and here < room.before[there]
    if cost >= room.costs[there] and not is_same:
        return size
    room.costs[there], room.before[there], room.hops[there] = cost, here, hops
    if room.heap.places[there] < 0:
        room.heap.places[there] = size
        size += 1
    rise(room.heap, room.costs, there)
    return size


@inlined
def _path_to(
    here: int, publisher: int, hop_limit: int, room: Growing, parents: Numbers
) -> tuple[int, int]:
    """Where a path to a node leaves the tree, and its length; it is in `path`, the end first.

    One that has come to have too many hops is changed for a direct one; the length is 0 if there is
    none.
    """
    length, node = 0, here
    while parents[node] < 0:
        room.path[length] = node
        length += 1
        node = room.before[node]
    if 0 <= hop_limit < room.hops[node] + length:
        return publisher, 1 if room.direct[here] < np.inf else 0
    return node, length


@inlined
def _join_all(
    arcs: Arcs,
    tail: int,
    length: int,
    wanted: Flags,
    room: Growing,
    parents: Numbers,
    order: Numbers,
    count: int,
) -> int:
    """Have a path join the tree; how many of its nodes want the event."""
    found = 0
    for place in range(length - 1, -1, -1):
        node = room.path[place]
        parents[node] = tail
        room.hops[node], room.reached[node] = room.hops[tail] + 1, 0.0
        room.reached[tail] = max(room.reached[tail], _spent(arcs, tail, node, room))
        found += 1 if wanted[node] else 0
        order[count] = node
        count += 1
        tail = node
    return found


@inlined
def _spent(arcs: Arcs, tail: int, node: int, room: Growing) -> float:
    """What sending from one node to another costs: over an arc, or directly from the publisher."""
    for arc in range(arcs.starts[tail], arcs.starts[tail + 1]):
        if arcs.others[arc] == node:
            return float(arcs.sending[arc])
    return float(room.direct[node])


@compiled
def shape(
    order: Numbers, parents: Numbers, place: Numbers, behind: Numbers, first: Places, to: Numbers
) -> None:
    """Put a tree together by who sends: node `order[i]` to `to[first[i]:first[i + 1]]`.

    `place` finds a node in `order`, `behind` counts the nodes that come after one.
    """
    for number in range(len(order)):
        place[order[number]] = number
        behind[number], first[number] = 0, 0
    first[len(order)] = 0
    for number in range(len(order) - 1, 0, -1):
        sender = place[parents[order[number]]]
        behind[sender] += behind[number] + 1
        first[sender] += 1
    total = 0
    for number in range(len(order)):
        total, first[number] = total + first[number], total
    for number in range(1, len(order)):
        sender = place[parents[order[number]]]
        to[first[sender]] = order[number]
        first[sender] += 1
    for number in range(len(order), 0, -1):
        first[number] = first[number - 1]
    first[0] = 0
