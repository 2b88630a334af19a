"""The ways that events are to go, as a routing plans them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from purport.network.traffic_kernel import Legs, Numbers


class Why(IntEnum):
    """Why no way leads to a node that an event is due to."""

    FORBIDDEN = 0  # by hop limit or range
    UNCONNECTED = 1


@dataclass(frozen=True)
class Ways:
    """Legs of events, along trees with `parents`, and whom none leads to.

    `unserved` has a row for each: event, node, and `Why`.
    """

    legs: Legs
    parents: Numbers
    unserved: Numbers

    @classmethod
    def along_trees(
        cls, event: Numbers, source: Numbers, target: Numbers, row: Numbers, parents: Numbers
    ) -> Ways:
        """One leg from the publisher for each target, without more."""
        count = len(event)
        legs = Legs(
            event,
            source,
            np.full(count, -1, np.int32),
            row,
            target,
            np.zeros(count + 1, np.int64),
            np.empty(0, np.int32),
            np.zeros(count, np.int64),
        )
        return cls(legs, parents, np.empty((0, 3), np.int32))

    @classmethod
    def one_by_one(cls, event: Numbers, source: Numbers, receiver: Numbers) -> Ways:
        """One transmission from the publisher for each receiver."""
        count = len(event)
        legs = Legs(
            event,
            source,
            np.full(count, -1, np.int32),
            np.full(count, -1, np.int32),
            np.full(count, -1, np.int32),
            np.arange(count + 1, dtype=np.int64),
            receiver,
            np.zeros(count, np.int64),
        )
        return cls(legs, np.empty((0, 0), np.int32), np.empty((0, 3), np.int32))

    def without(self, event: Numbers, node: Numbers, why: Why) -> Ways:
        """The same, and some more whom no way leads to."""
        more = np.stack((event, node, np.full(len(event), why)), axis=1).astype(np.int32)
        return replace(self, unserved=np.concatenate((self.unserved, more)))


def pairs_in(table: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Where a table is true: rows and columns, row by row."""
    rows, columns = np.nonzero(table)
    return rows.astype(np.int32), columns.astype(np.int32)


class WayBuilder:
    """Ways that are put together leg by leg, those of one event after the other."""

    def __init__(self) -> None:
        self._legs: list[tuple[int, int, int, int, int, int]] = []
        self._receivers: list[int] = []
        self._first = [0]
        self._unserved: list[tuple[int, int, int]] = []

    def along(
        self, event: int, source: int, target: int, row: int, via: int = -1, work_pj: int = 0
    ) -> int:
        """A leg along a tree; its number."""
        self._legs.append((event, source, via, row, target, work_pj))
        self._first.append(len(self._receivers))
        return len(self._legs) - 1

    def at_once(
        self, event: int, source: int, receivers: Sequence[int], via: int = -1, work_pj: int = 0
    ) -> int:
        """A leg of one transmission to several nodes; its number."""
        self._receivers.extend(receivers)
        return self.along(event, source, -1, -1, via, work_pj)

    def unserved(self, event: int, node: int, why: Why) -> None:
        """There is no way to a node."""
        self._unserved.append((event, node, why))

    def ways(self, parents: Numbers) -> Ways:
        """All of them as arrays."""
        table = np.array(self._legs, np.int64).reshape(-1, 6)
        event, source, via, row, target = (table[:, one].astype(np.int32) for one in range(5))
        legs = Legs(
            event,
            source,
            via,
            row,
            target,
            np.array(self._first, np.int64),
            np.array(self._receivers, np.int32),
            table[:, 5].copy(),
        )
        return Ways(legs, parents, np.array(self._unserved, np.int32).reshape(-1, 3))
