"""The order that some superiors of each name make: equivalent names in groups, groups in order."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from purport.ontology.reachable import reachable

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of group numbers, behind one another; that of a group ends where the next starts."""

    starts: array[int]
    items: array[int]

    def of(self, group: int) -> array[int]:
        """The list of one group."""
        return self.items[self.starts[group] : self.starts[group + 1]]


@dataclass(frozen=True, slots=True)
class Closure:
    """Groups of equivalent names, superiors first.

    `lineage` has of each group its ancestors in order, and last the group itself; `parents` those
    ancestors that are above no other one. Where names are unsatisfiable, they are the last group.
    """

    groups: tuple[tuple[str, ...], ...]
    lineage: Lists
    parents: Lists
    unsatisfiable: frozenset[str]


def closure(above: Mapping[str, Iterable[str]], unsatisfiable: Iterable[str]) -> Closure:
    """The groups, and what is above each, of names that each have some superiors."""
    listed = {name: tuple(superiors) for name, superiors in above.items()}
    empty = frozenset(_with_all_below(unsatisfiable, listed))
    names = sorted(set(listed).union(*listed.values()) - empty)
    numbers = {name: number for number, name in enumerate(names)}
    pairs = _pairs(listed, numbers)
    count, labels = _components(pairs, len(names))
    ranks = _ranks(labels[pairs], count)
    groups: list[list[str]] = [[] for _ in range(count)]
    for name, label in zip(names, labels.tolist(), strict=True):
        groups[ranks[label]].append(name)
    superiors = _superiors(ranks[labels[pairs]], count)
    if empty:
        groups.append(sorted(empty))
        superiors.append(list(range(count - 1, -1, -1)))
    return Closure(tuple(map(tuple, groups)), *_lineages(superiors), empty)


def _with_all_below(names: Iterable[str], above: Mapping[str, Sequence[str]]) -> set[str]:
    """These names, and what is below one of them."""
    tops = set(names)
    if not tops:
        return tops
    below = defaultdict(list)
    for name, superiors in above.items():
        for superior in superiors:
            below[superior].append(name)
    return reachable(tops, below.__getitem__)


def _pairs(above: Mapping[str, Sequence[str]], numbers: Mapping[str, int]) -> Numbers:
    """Who is above whom, as two rows of numbers."""
    known = {name: superiors for name, superiors in above.items() if name in numbers}
    wider = np.fromiter(
        map(numbers.__getitem__, chain.from_iterable(known.values())), dtype=np.int64
    )
    narrower = np.repeat(
        np.fromiter((numbers[name] for name in known), np.int64, len(known)),
        np.fromiter(map(len, known.values()), np.int64, len(known)),
    )
    return np.vstack((wider, narrower))


def _components(pairs: Numbers, count: int) -> tuple[int, Numbers]:
    """How many groups of names are above each other, and the group of each name."""
    if not count:
        return 0, np.zeros(0, np.int64)
    graph = csr_array((np.ones(pairs.shape[1], np.int8), (pairs[0], pairs[1])), (count, count))
    found, labels = connected_components(graph, directed=True, connection="strong")
    _, firsts, numbered = np.unique(labels, return_index=True, return_inverse=True)
    by_first_name = np.argsort(np.argsort(firsts))
    return int(found), by_first_name[numbered]


def _ranks(pairs: Numbers, count: int) -> Numbers:
    """A place for each group, after those of all above it; first by how far down, then by name."""
    wider, narrower = _different(pairs, count)
    ends = np.searchsorted(wider, np.arange(count + 1))
    missing = np.bincount(narrower, minlength=count)
    ranks = np.zeros(count, np.int64)
    level = np.flatnonzero(missing == 0)
    used = 0
    while len(level):
        ranks[level] = np.arange(used, used + len(level))
        used += len(level)
        below = np.concatenate([narrower[ends[one] : ends[one + 1]] for one in level])
        reached, counts = np.unique(below, return_counts=True)
        missing[reached] -= counts
        level = reached[missing[reached] == 0]
    return ranks


def _different(pairs: Numbers, count: int) -> Numbers:
    """Pairs of two different ones, each pair once, in order."""
    pairs = pairs[:, pairs[0] != pairs[1]]
    coded = np.unique(pairs[0] * count + pairs[1])
    return np.vstack((coded // max(count, 1), coded % max(count, 1)))


def _superiors(pairs: Numbers, count: int) -> list[list[int]]:
    """Those above each group that are known from the start, the last one first."""
    narrower, wider = _different(pairs[::-1], count)
    ends = np.searchsorted(narrower, np.arange(count + 1)).tolist()
    return [wider[ends[one] : ends[one + 1]][::-1].tolist() for one in range(count)]


def _lineages(superiors: Sequence[Sequence[int]]) -> tuple[Lists, Lists]:
    """All ancestors of each group, and its parents.

    Going from the last superior to the first, one that is not yet among the ancestors is above none
    of those before it: it is a parent.
    """
    lineage, parents = Lists(array("q", [0]), array("i")), Lists(array("q", [0]), array("i"))
    for group, listed in enumerate(superiors):
        found: set[int] = set()
        for superior in listed:
            if superior not in found:
                found.update(lineage.of(superior))
                parents.items.append(superior)
        lineage.items.extend(sorted(found))
        lineage.items.append(group)
        lineage.starts.append(len(lineage.items))
        parents.starts.append(len(parents.items))
    return lineage, parents
