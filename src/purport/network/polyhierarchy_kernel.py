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

TRANSMISSIONS, COPIES, DUPLICATES, OUT_OF_INTEREST = 0, 1, 2, 3


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


@compiled
def tell(
    graph: Graph,
    tellings: Tellings,
    interest: Interest,
    tables: Tables,
    hop_limit: int,
    waiting: Waiting,
    hearing: Hearing,
    cost_pj: Places,
    counts: Places,
) -> None:
    """Tell all, one after the other, and add what it takes; there is no `hop_limit` below 0."""
    for telling in range(len(tellings.nodes)):
        subscription = tellings.subscriptions[telling]
        known = tables.known[telling]
        known[tellings.nodes[telling]] = True
        taken = 0
        count = _forward(
            graph,
            tellings,
            tables,
            waiting,
            hearing,
            cost_pj,
            counts,
            telling,
            tellings.nodes[telling],
            -1,
            hop_limit,
            0,
        )
        while taken < count:
            link, hops_left = waiting.links[taken], waiting.hops_left[taken]
            taken += 1
            node, sender = graph.others[link], waiting.sources[link]
            if known[node]:
                counts[DUPLICATES] += 1
                _answer(waiting, tellings, hearing, cost_pj, counts, node, sender)
                continue
            known[node] = True
            before = count
            if hops_left != 0:
                count = _forward(
                    graph,
                    tellings,
                    tables,
                    waiting,
                    hearing,
                    cost_pj,
                    counts,
                    telling,
                    node,
                    sender,
                    hops_left,
                    count,
                )
            is_ending = count == before and interest.subscribes[node]
            if is_ending and not _is_relevant(interest, node, subscription):
                counts[OUT_OF_INTEREST] += 1
                _answer(waiting, tellings, hearing, cost_pj, counts, node, sender)
                for other in range(interest.covers.shape[1]):
                    if interest.covers[subscription, other]:
                        tables.is_out[link, other] = True


@compiled
def _is_relevant(interest: Interest, node: int, subscription: int) -> bool:
    """Whether a node has a subscription that is the same, or below."""
    for own in range(interest.asks.shape[1]):
        if interest.asks[node, own] and interest.covers[subscription, own]:
            return True
    return False


@compiled
def _forward(
    graph: Graph,
    tellings: Tellings,
    tables: Tables,
    waiting: Waiting,
    hearing: Hearing,
    cost_pj: Places,
    counts: Places,
    telling: int,
    node: int,
    sender: int,
    hops_left: int,
    count: int,
) -> int:
    """Send on to all neighbours but the sender and those out of interest, at once."""
    subscription, chosen = tellings.subscriptions[telling], 0
    for link in range(graph.starts[node], graph.starts[node + 1]):
        if graph.others[link] != sender and not tables.is_out[link, subscription]:
            waiting.links[count], waiting.hops_left[count] = link, hops_left - 1
            waiting.chosen[chosen] = graph.others[link]
            chosen += 1
            count += 1
    if chosen:
        counts[TRANSMISSIONS] += 1
        counts[COPIES] += chosen
        bits = tellings.bits[telling]
        charge(hearing, node, waiting.chosen, 0, chosen, bits, 1, cost_pj)
    return count


@compiled
def _answer(
    waiting: Waiting,
    tellings: Tellings,
    hearing: Hearing,
    cost_pj: Places,
    counts: Places,
    node: int,
    sender: int,
) -> None:
    waiting.chosen[0] = sender
    counts[TRANSMISSIONS] += 1
    counts[COPIES] += 1
    charge(hearing, node, waiting.chosen, 0, 1, tellings.answer_bits, 1, cost_pj)
