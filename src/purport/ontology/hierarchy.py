"""Which name is above which: classes or properties, each with any number of parents."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike

from purport.ontology.closure import Closure, Lists, closure
from purport.ontology.errors import UnknownName
from purport.ontology.reachable import reachable
from purport.ontology.subsumption_kernel import (
    Answers,
    Bits,
    Groups,
    Marks,
    Places,
    find_subsumed,
    mark_lineages,
)

_FEW = 16


class Hierarchy:
    """An order of names, in which those that are above each other are equivalent.

    Names that can have no members are equivalent to each other and below all others.

    >>> order = Hierarchy.of({"Dog": ["Animal"], "Poodle": ["Dog"], "Hound": ["Dog"]})
    >>> order.subsumes("Animal", "Poodle"), order.subsumes("Hound", "Poodle")
    (True, False)
    """

    def __init__(self, closed: Closure) -> None:
        self._closed = closed
        self.names: tuple[str, ...] = tuple(chain.from_iterable(closed.groups))
        self.unsatisfiable: frozenset[str] = closed.unsatisfiable
        self._starts = closed.lineage.starts
        self._items = closed.lineage.items
        self._indices = {name: index for index, name in enumerate(self.names)}
        self._group_of = {
            name: group for group, names in enumerate(closed.groups) for name in names
        }

    @classmethod
    def of(cls, above: Mapping[str, Iterable[str]], unsatisfiable: Iterable[str] = ()) -> Hierarchy:
        """The order in which some superiors of each name are told, parents or others.

        What is below an unsatisfiable name is unsatisfiable, too.
        """
        return cls(closure(above, unsatisfiable))

    def __reduce__(self) -> tuple[type[Hierarchy], tuple[Closure]]:
        return type(self), (self._closed,)

    def __contains__(self, name: object) -> bool:
        return name in self._indices

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self._closed == other._closed

    def __hash__(self) -> int:
        return hash(self.names)

    def subsumes(self, wider: str, narrower: str) -> bool:
        """Whether the first name is above the second, or equivalent to it."""
        try:
            one, other = self._group_of[wider], self._group_of[narrower]
        except KeyError as error:
            raise UnknownName("name", error.args[0]) from None
        if one >= other:
            return one == other
        bits, marks = self._marks
        if not marks[other] >> bits[one] & 1:
            return False
        starts, items = self._starts, self._items
        return items[bisect_left(items, one, starts[other], starts[other + 1])] == one

    def subsumes_pairs(self, wider: ArrayLike, narrower: ArrayLike) -> Answers:
        """The same for many pairs: arrays of as many indices each."""
        pairs = (np.asarray(wider, np.int64).ravel(), np.asarray(narrower, np.int64).ravel())
        if pairs[0].shape != pairs[1].shape:
            raise ValueError(f"{len(pairs[0])} wider names, but {len(pairs[1])} narrower ones")
        answers = np.empty(len(pairs[0]), np.bool_)
        if not find_subsumed(pairs, *self._arrays, answers):
            raise ValueError(f"indices are from 0 to {len(self.names) - 1}")
        return answers

    def index(self, name: str) -> int:
        """The place of a name in `names`; each of several equivalent ones has its own."""
        try:
            return self._indices[name]
        except KeyError:
            raise UnknownName("name", name) from None

    def equivalents(self, name: str) -> frozenset[str]:
        """Those that are above and below a name, itself among them."""
        return frozenset(self._closed.groups[self._group(name)])

    def parents(self, name: str) -> frozenset[str]:
        """Those right above a name."""
        return self._named(self._closed.parents.of(self._group(name)))

    def children(self, name: str) -> frozenset[str]:
        """Those right below a name; unsatisfiable ones are below those that have no others."""
        return self._named(self._children.of(self._group(name)))

    def ancestors(self, name: str) -> frozenset[str]:
        """All above a name, without its equivalents."""
        return self._named(self._closed.lineage.of(self._group(name))[:-1])

    def descendants(self, name: str) -> frozenset[str]:
        """All below a name, without its equivalents."""
        group = self._group(name)
        return self._named(reachable([group], self._children.of) - {group})

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The names, equivalent ones together, superiors first."""
        return self._closed.groups

    @property
    def lineage(self) -> Lists:
        """The numbers of the groups above each group, and last its own."""
        return self._closed.lineage

    def _group(self, name: str) -> int:
        try:
            return self._group_of[name]
        except KeyError:
            raise UnknownName("name", name) from None

    def _named(self, groups: Iterable[int]) -> frozenset[str]:
        return frozenset(chain.from_iterable(map(self._closed.groups.__getitem__, groups)))

    @cached_property
    def _children(self) -> Lists:
        parents = self._closed.parents
        wider = np.array(parents.items, np.int32)
        narrower = np.repeat(np.arange(len(self.groups)), np.diff(np.array(parents.starts)))
        starts = np.searchsorted(np.sort(wider), np.arange(len(self.groups) + 1))
        items = narrower[np.argsort(wider, kind="stable")]
        return Lists(array("q", starts.tolist()), array("i", items.tolist()))

    @cached_property
    def _marks(self) -> tuple[bytes, list[int]]:
        """The bit of each group, and the bits of its lineage: most pairs are ruled out by them."""
        bits, marks = self._arrays[2]
        return bits.tobytes(), marks.tolist()

    @cached_property
    def _arrays(self) -> tuple[Groups, tuple[Places, Groups], tuple[Bits, Marks]]:
        """What the kernel reads: groups by indices of names, lineages, and their marks.

        Groups that many have above them share a few bits, so that they do not fill the marks.
        """
        sizes = [len(names) for names in self.groups]
        group_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        starts: Places = np.array(self._starts, np.int64)
        items: Groups = np.array(self._items, np.int32)
        is_frequent = np.bincount(items, minlength=len(sizes)) > max(_FEW, len(sizes) // 256)
        numbers = np.arange(len(sizes))
        bits: Bits = np.where(is_frequent, numbers % 4, 4 + numbers % 60).astype(np.uint8)
        marks: Marks = np.zeros(len(sizes), np.uint64)
        mark_lineages(starts, items, bits, marks)
        return group_of, (starts, items), (bits, marks)
