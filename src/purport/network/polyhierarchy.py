"""Who knows of whose subscriptions, by algorithm 1 of SemPS'12 (section 4.1).

A node that receives a subscription for the first time sends it on to its neighbours as long as it
has hops left; one that has it already says `duplicate`, and one that can send it to nobody and has
nothing like it says `out of interest`. To a neighbour that has said so, nothing is sent any more
that such a subscription covers. Two things the paper leaves open: subscriptions are told one after
the other, and who subscribes to nothing (publishers, relays) never says `out of interest`, because
it keeps what it hears to know where events go. What is told at once is one transmission.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purport.network.control import Control
from purport.network.dissemination import message_bits, told_subscriptions
from purport.network.network import Network
from purport.network.polyhierarchy_kernel import (
    COPIES,
    TRANSMISSIONS,
    Interest,
    Tables,
    Telling,
    Tellings,
    Waiting,
    tell,
)

Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]

_ANSWER_BYTES = 3  # which answer, and to what


@dataclass(frozen=True)
class Told:
    """What came of telling: `known[i, node]` of the i-th subscription, and what it takes."""

    nodes: Numbers
    subscriptions: Numbers
    known: Flags
    control: Control


def told(network: Network, nodes: Numbers) -> Told:
    """Some nodes tell all their subscriptions, along links as they are now."""
    graph, meaning = network.trees.graph, network.meaning
    who, bits = told_subscriptions(network, nodes)
    asked = [number for node in nodes.tolist() for number in meaning.asked[node]]
    tellings = Tellings(
        who,
        np.array(asked, np.int32),
        bits,
        int(message_bits(network, np.array([_ANSWER_BYTES]))[0]),
    )
    links = len(graph.others)
    tables = Tables(
        np.zeros((len(who), len(network)), np.bool_),
        np.zeros((links, len(meaning.subscriptions)), np.bool_),
    )
    waiting = Waiting(
        np.empty(links + 1, np.int32),
        np.empty(links + 1, np.int32),
        np.repeat(np.arange(len(network), dtype=np.int32), np.diff(graph.starts)),
        np.empty(len(network) + 1, np.int32),
    )
    interest = Interest(meaning.asks, meaning.covers, np.asarray(meaning.asks.any(axis=1)))
    limit = network.scenario.hop_limit
    cost_pj, counts = np.zeros(len(network), np.int64), np.zeros(2, np.int64)
    all_of_it = Telling(
        graph, tellings, interest, tables, waiting, network.hearing, cost_pj, counts
    )
    tell(all_of_it, -1 if limit is None else limit)
    nothing = np.zeros(len(network), np.int64)
    control = Control(cost_pj, int(counts[TRANSMISSIONS]), int(counts[COPIES]), nothing)
    return Told(who, tellings.subscriptions, tables.known, control)
