"""The cheapest paths between nodes along links, kept until links change."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purport.network.paths_kernel import Graph, Heap, grow_trees, mend_trees

Numbers = NDArray[np.int32]
Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]


def graph_of(nodes: int, pairs: Numbers, weights: Reals) -> Graph:
    """Links in both directions, those of each node together, by the numbers of its neighbours."""
    senders = np.concatenate((pairs[:, 0], pairs[:, 1]))
    others = np.concatenate((pairs[:, 1], pairs[:, 0]))
    order = np.lexsort((others, senders))
    starts = np.searchsorted(senders[order], np.arange(nodes + 1)).astype(np.int32)
    both = np.concatenate((weights, weights))
    return Graph(starts, others[order].astype(np.int32), both[order])


class Trees:
    """Trees of cheapest paths, one for each source that was asked about.

    `parents[row, node]` comes before a node on the way from the source of a row, -1 if there is no
    way; `hops` and `costs` are those of the whole way.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        nodes = len(graph.starts) - 1
        self._row_of = np.full(nodes, -1, np.int32)
        self._count = 0
        self._heap = Heap(np.empty(nodes + 1, np.int32), np.empty(nodes, np.int32))
        self.parents = np.empty((0, nodes), np.int32)
        self.hops = np.empty((0, nodes), np.int32)
        self.costs = np.empty((0, nodes), np.float64)

    def rows(self, sources: ArrayLike) -> Numbers:
        """The rows of some sources, which are made if they were not there."""
        asked = np.asarray(sources, np.int32)
        missing = np.unique(asked[self._row_of[asked] < 0])
        if len(missing):
            self._make_room(self._count + len(missing))
            rows = np.arange(self._count, self._count + len(missing), dtype=np.int32)
            tables = self.parents, self.hops, self.costs
            grow_trees(self.graph, missing, rows, self._heap, *tables)
            self._row_of[missing] = rows
            self._count += len(missing)
        found: Numbers = self._row_of[asked]
        return found

    def mend(self, graph: Graph, gone: Flags, new_pairs: Numbers) -> None:
        """Have the same trees in a graph from which nodes have gone, and to which links have come.

        No other links may be gone than those of these nodes.
        """
        self.graph = graph
        for node in np.flatnonzero(gone & (self._row_of >= 0)).tolist():
            self._row_of[node] = -1  # its row is of no more use
        marks = np.empty(len(gone), np.int32)
        news = np.unique(new_pairs).astype(np.int32)
        tables = self.parents, self.hops, self.costs
        mend_trees(graph, gone, news, self._count, self._heap, marks, *tables)

    def _make_room(self, rows: int) -> None:
        if rows <= len(self.parents):
            return
        nodes = len(self.graph.starts) - 1
        more = max(rows, 2 * len(self.parents)) - len(self.parents)
        for name in ("parents", "hops", "costs"):
            table = getattr(self, name)
            setattr(self, name, np.concatenate((table, np.empty((more, nodes), table.dtype))))
