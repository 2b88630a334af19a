"""How subscriptions and announcements get to others, by control messages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.network.control import Control
from purport.network.network import Network

Numbers = NDArray[np.int32]


def message_bits(network: Network, payload_bytes: Numbers) -> Numbers:
    """The bits of messages that tell so many bytes."""
    found: Numbers = 8 * (network.scenario.radio.header_bytes + payload_bytes).astype(np.int32)
    return found


def told_subscriptions(network: Network, nodes: Numbers) -> tuple[Numbers, Numbers]:
    """Of each subscription that some nodes have: who tells it, and in how many bits."""
    asked = network.meaning.asked
    who = [node for node in nodes.tolist() for _ in asked[node]]
    which = [number for node in nodes.tolist() for number in asked[node]]
    sizes = network.meaning.subscription_bytes[which].astype(np.int32)
    return np.array(who, np.int32), message_bits(network, sizes)


def flooded(network: Network, origins: Numbers, bits: Numbers) -> Control:
    """Messages that each node sends on once, to all its linked neighbours at a time.

    With a hop limit, those that are so many hops away do not send them on.
    """
    graph = network.trees.graph
    nodes = len(network)
    limit = network.scenario.hop_limit
    total = Control.nothing(nodes)
    if not len(origins):
        return total
    trees = network.trees if limit is None else network.hop_trees
    rows = trees.rows(origins)
    is_sending = trees.parents[rows] >= 0
    if limit is not None:
        is_sending &= trees.hops[rows] < limit
    senders = np.arange(nodes, dtype=np.int32)
    first = graph.starts.astype(np.int64)
    for size in np.unique(bits).tolist():
        times = is_sending[bits == size].sum(axis=0).astype(np.int64)
        times[np.diff(first) == 0] = 0
        each = np.full(nodes, size, np.int32)
        total += Control.of(network.hearing, senders, (first, graph.others), each, times)
    return total


def announced(network: Network, origins: Numbers, bits: Numbers) -> Control:
    """Messages that are sent once each, so loud that everybody in range hears them."""
    if not len(origins):
        return Control.nothing(len(network))
    everybody = np.flatnonzero(network.up)
    reach_m2 = network.scenario.radio.reach_m**2
    receivers = []
    for origin in origins.tolist():
        apart = ((network.positions[everybody] - network.positions[origin]) ** 2).sum(axis=1)
        receivers.append(everybody[(apart <= reach_m2) & (everybody != origin)])
    first = np.concatenate(([0], np.cumsum([len(one) for one in receivers]))).astype(np.int64)
    everyone = np.concatenate(receivers).astype(np.int32)
    return Control.of(network.hearing, origins, (first, everyone), bits)


def relayed(network: Network, sources: Numbers, targets: Numbers, bits: Numbers) -> Control:
    """Messages to single nodes along links; none where there is no way."""
    rows = network.trees.rows(sources)
    senders, receivers, sizes = [], [], []
    for row, source, target, size in zip(rows, sources, targets, bits, strict=True):
        node = int(target)
        while node != source and network.trees.parents[row, node] >= 0:
            before = int(network.trees.parents[row, node])
            senders.append(before)
            receivers.append(node)
            sizes.append(int(size))
            node = before
    count = len(senders)
    return Control.of(
        network.hearing,
        np.array(senders, np.int32),
        (np.arange(count + 1, dtype=np.int64), np.array(receivers, np.int32)),
        np.array(sizes, np.int32),
    )


def greeted(network: Network, pairs: Numbers) -> Control:
    """New links: both ends say so, with a header."""
    both = np.concatenate((pairs, pairs[:, ::-1]))
    count = len(both)
    return Control.of(
        network.hearing,
        both[:, 0].copy(),
        (np.arange(count + 1, dtype=np.int64), both[:, 1].copy()),
        message_bits(network, np.zeros(count, np.int32)),
    )
