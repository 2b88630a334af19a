"""Subscriptions told from neighbour to neighbour: see `purport.network.polyhierarchy`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled
from purport.network.control_kernel import Hearing, charge
from purport.network.paths_kernel import Graph

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]

TRANSMISSIONS, COPIES = 0, 1


class Tellings(NamedTuple):
    """Who tells which subscription in how many bits, and how many an answer to that has."""

    nodes: Numbers
    subscriptions: Numbers
    bits: Numbers
    answer_bits: int


class Interest(NamedTuple):
    """`asks[node, subscription]`, `covers[wider, narrower]`, and who has any subscription."""

    asks: Flags
    covers: Flags
    subscribes: Flags


class Tables(NamedTuple):
    """What nodes have learnt.

    `known[telling, node]` has reached it; `is_out[link, subscription]`: the neighbour at the end of
    a link has said that it has no interest in that, nor anybody beyond.
    """

    known: Flags
    is_out: Flags


class Waiting(NamedTuple):
    """Messages under way, by the links that they go over, with the hops that are left to them.

    `sources` are the nodes that links come from; `chosen` has room for one node's neighbours.
    """

    links: Numbers
    hops_left: Numbers
    sources: Numbers
    chosen: Numbers


class Telling(NamedTuple):
    """All that is told, along which links; what it takes is added to `cost_pj` and `counts`."""

    graph: Graph
    tellings: Tellings
    interest: Interest
    tables: Tables
    waiting: Waiting
    hearing: Hearing
    cost_pj: Places
    counts: Places


@compiled
def tell(this: Telling, hop_limit: int) -> None:
    """Tell all, one after the other; there is no `hop_limit` below 0."""
    tellings, waiting = this.tellings, this.waiting
    for telling in range(len(tellings.nodes)):
        origin = tellings.nodes[telling]
        this.tables.known[telling, origin] = True
        taken, count = 0, _forward(this, telling, origin, -1, hop_limit, 0)
        while taken < count:
            link, hops_left = waiting.links[taken], waiting.hops_left[taken]
            taken += 1
            count = _receive(this, telling, link, hops_left, count)


@compiled
def _receive(this: Telling, telling: int, link: int, hops_left: int, count: int) -> int:
    """Over a link a node has a message: it sends it on, or answers; how many there are then."""
    interest, subscription = this.interest, this.tellings.subscriptions[telling]
    node, sender = this.graph.others[link], this.waiting.sources[link]
    if this.tables.known[telling, node]:
        _answer(this, node, sender)
        return count
    this.tables.known[telling, node] = True
    before = count
    if hops_left != 0:
        count = _forward(this, telling, node, sender, hops_left, count)
    is_ending = count == before and interest.subscribes[node]
    if is_ending and not _is_relevant(interest, node, subscription):
        _answer(this, node, sender)
        for other in range(interest.covers.shape[1]):
            if interest.covers[subscription, other]:
                this.tables.is_out[link, other] = True
    return count


@compiled
def _is_relevant(interest: Interest, node: int, subscription: int) -> bool:
    """Whether a node has a subscription that is the same, or below."""
    for own in range(interest.asks.shape[1]):
        if interest.asks[node, own] and interest.covers[subscription, own]:
            return True
    return False


@compiled
def _forward(
    this: Telling, telling: int, node: int, sender: int, hops_left: int, count: int
) -> int:
    """Send on to all neighbours but the sender and those out of interest, at once."""
    graph, waiting = this.graph, this.waiting
    subscription, chosen = this.tellings.subscriptions[telling], 0
    for link in range(graph.starts[node], graph.starts[node + 1]):
        if graph.others[link] != sender and not this.tables.is_out[link, subscription]:
            waiting.links[count], waiting.hops_left[count] = link, hops_left - 1
            waiting.chosen[chosen] = graph.others[link]
            chosen += 1
            count += 1
    if chosen:
        _send(this, node, chosen, this.tellings.bits[telling])
    return count


@compiled
def _answer(this: Telling, node: int, sender: int) -> None:
    this.waiting.chosen[0] = sender
    _send(this, node, 1, this.tellings.answer_bits)


@compiled
def _send(this: Telling, node: int, count: int, bits: int) -> None:
    """One message to so many of those that are chosen."""
    this.counts[TRANSMISSIONS] += 1
    this.counts[COPIES] += count
    charge(this.hearing, node, this.waiting.chosen, 0, count, bits, 1, this.cost_pj)
