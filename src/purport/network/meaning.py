"""What is published and asked for, as coded messages, and which answers which.

Each different pair of an event and a subscription is judged once, by the matching of coded
messages; what a simulated node spends on it later was counted then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from purport.network.energy import Picojoules
from purport.network.interests import Pool
from purport.network.scenario import Computing

Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float32]


@dataclass(frozen=True)
class Meaning:
    """Different events and subscriptions, and who has which.

    `published` has the number of each node's event, -1 of those that publish none, and `asked` the
    numbers of its subscriptions. `answers[event, subscription]` is the matching, `work_pj` what it
    takes; `covers[wider, narrower]` tells which subscription takes in all that another one does.
    """

    events: tuple[str, ...]
    event_bytes: Numbers
    subscriptions: tuple[str, ...]
    subscription_bytes: Numbers
    published: Numbers
    asked: tuple[tuple[int, ...], ...]
    answers: Flags
    work_pj: Picojoules
    covers: Flags

    @cached_property
    def asks(self) -> Flags:
        """Which node has which subscription."""
        table = np.zeros((len(self.asked), len(self.subscriptions)), np.bool_)
        for node, numbers in enumerate(self.asked):
            table[node, list(numbers)] = True
        return table

    @cached_property
    def wanted(self) -> Flags:
        """Which event is wanted by which node."""
        return (self.answers.astype(np.int32) @ self.asks.T.astype(np.int32)) > 0

    @cached_property
    def own_work_pj(self) -> Picojoules:
        """What it takes to match an event with all subscriptions of a node."""
        return self.work_pj @ self.asks.T.astype(np.int64)

    def matching_pj(self, subscribers: Numbers) -> Picojoules:
        """What it takes to match each event with all different subscriptions of some nodes."""
        asked = self.asks[subscribers].any(axis=0)
        found: Picojoules = self.work_pj[:, asked].sum(axis=1)
        return found

    def descending_pj(self, asked: Flags) -> Picojoules:
        """What it takes to match each event with some subscriptions, from the widest down.

        What lies below one that does not match is left out.
        """
        which = np.flatnonzero(asked)
        is_ruled_out = self._refused[:, which] @ self._above[np.ix_(which, which)] > 0
        found: Picojoules = np.where(is_ruled_out, 0, self.work_pj[:, which]).sum(axis=1)
        return found

    @cached_property
    def _above(self) -> Reals:
        """1 where one subscription covers another one, and not the other way round."""
        return (self.covers & ~self.covers.T).astype(np.float32)

    @cached_property
    def _refused(self) -> Reals:
        return (~self.answers).astype(np.float32)


def drawn_meaning(
    pool: Pool,
    computing: Computing,
    roles: tuple[Sequence[int], Sequence[int], int],
    nodes: int,
    rng: Generator,
) -> Meaning:
    """What nodes publish and ask for.

    `roles` are publishers, subscribers, and how many subscriptions each of these has at most.
    """
    publishers, subscribers, most = roles
    drawn = rng.integers(0, len(pool.events), len(publishers))
    kinds, numbers = np.unique(drawn, return_inverse=True)
    published = np.full(nodes, -1, np.int32)
    published[list(publishers)] = numbers
    texts: list[tuple[str, ...]] = [()] * nodes
    for node in subscribers:
        count = int(rng.integers(1, most + 1))
        texts[node] = tuple(dict.fromkeys(pool.drawn_subscription(rng) for _ in range(count)))
    different = {text: None for one in texts for text in one}
    number = {text: place for place, text in enumerate(different)}
    asked = tuple(tuple(number[text] for text in one) for one in texts)
    events = tuple(pool.events[kind] for kind in kinds.tolist())
    return _coded(pool, computing, events, tuple(number), (published, asked))


def _coded(
    pool: Pool,
    computing: Computing,
    events: tuple[str, ...],
    subscriptions: tuple[str, ...],
    of_nodes: tuple[Numbers, tuple[tuple[int, ...], ...]],
) -> Meaning:
    """Everything as messages, and every pair of them matched."""
    works = pool.works(events, subscriptions)
    shape = len(events), len(subscriptions)
    answers = np.array([[one.matches for one in row] for row in works], np.bool_).reshape(shape)
    return Meaning(
        events,
        np.array([len(pool.event_message(text)) for text in events], np.int32),
        subscriptions,
        np.array([len(pool.subscription_message(text)) for text in subscriptions], np.int32),
        *of_nodes,
        answers,
        np.array([[one.picojoules(computing) for one in row] for row in works], np.int64).reshape(
            shape
        ),
        np.array(pool.covers(subscriptions, answers), np.bool_).reshape(shape[1], shape[1]),
    )
