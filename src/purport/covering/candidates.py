"""Which nodes may cover a subscription, or be covered by it? Found by marks, for all at once.

Nodes have slots. Under each mark stand the slots that need it, and those that have it; for each
line the spans of slots stand in columns. To find what may cover a subscription, all that its marks
and spans satisfy is counted for each slot; what needs no more is a candidate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.covering.limits import Limit
from purport.covering.marks import Line, Mark, Marks
from purport.covering.ranges import Lists, Spans, keep
from purport.matching.flat_lists import Column
from purport.matching.keys import Key

Flags = NDArray[np.bool_]  # by slot


class Candidates:
    """Marks of nodes by their slots; that of a node which has gone is used again."""

    def __init__(self) -> None:
        self._needs: dict[Mark, Column] = {}
        self._has: dict[Mark, Column] = {}
        self._has_any_list: dict[Mark, Column] = {}  # by attribute
        self._needed_spans: dict[Line, Spans] = {}
        self._given_spans: dict[Line, Spans] = {}
        self._needed_lists: dict[Key, Lists] = {}
        self._given_lists: dict[Key, Lists] = {}
        self._counts = Column(np.int32)  # how much each slot needs; -1 where there is no node
        self._free: list[int] = []

    def add(self, needed: Marks, given: Marks) -> int:
        """Take up a node; its slot."""
        slot = self._new_slot()
        for mark in needed.marks:
            _file(self._needs, mark, slot)
        for mark in given.marks:
            _file(self._has, mark, slot)
        for attribute in given.any_list:
            _file(self._has_any_list, attribute, slot)
        for filed, marks in ((self._needed_spans, needed), (self._given_spans, given)):
            for line, spans in marks.spans.items():
                for span in spans:
                    filed.setdefault(line, Spans()).add(slot, span)
        for listed, marks in ((self._needed_lists, needed), (self._given_lists, given)):
            for attribute, lists in marks.lists.items():
                for values in lists:
                    listed.setdefault(attribute, Lists()).add(slot, values)
        self._counts.array()[slot] = needed.count
        return slot

    def remove(self, slot: int, needed: Marks, given: Marks) -> None:
        """Drop a node, which has these marks."""
        for mark in needed.marks:
            _unfile(self._needs, mark, slot)
        for mark in given.marks:
            _unfile(self._has, mark, slot)
        for attribute in given.any_list:
            _unfile(self._has_any_list, attribute, slot)
        for filed, marks in ((self._needed_spans, needed), (self._given_spans, given)):
            for line in marks.spans:
                filed[line].discard(slot)
                if not len(filed[line]):
                    del filed[line]
        for listed, marks in ((self._needed_lists, needed), (self._given_lists, given)):
            for attribute in marks.lists:
                listed[attribute].discard(slot)
                if not len(listed[attribute]):
                    del listed[attribute]
        self._counts.array()[slot] = -1
        self._free.append(slot)

    def above(self, given: Marks) -> Flags:
        """All that may cover what has these marks."""
        found = [self._needs[mark].array() for mark in given.marks if mark in self._needs]
        for line, spans in given.spans.items():
            if line in self._needed_spans:
                found.append(self._needed_spans[line].around_any(spans))
        for attribute, filed in self._needed_lists.items():
            if attribute in given.any_list:
                found.append(filed.slots)
            elif attribute in given.lists:
                found.append(filed.around_any(given.lists[attribute]))
        counts = self._counts.array()
        met = np.bincount(np.concatenate(found), minlength=len(counts)) if found else 0
        return np.asarray(counts == met, np.bool_)

    def below(self, needed: Marks) -> Flags:
        """All that may be covered by what needs these marks."""
        left: Flags = self._counts.array() >= 0
        for mark in needed.marks:
            left &= self._having(mark)
        for line, spans in needed.spans.items():
            for span in spans:
                is_inside = np.zeros(len(left), np.bool_)
                if line in self._given_spans:
                    is_inside[self._given_spans[line].inside(span)] = True
                left &= is_inside
        for attribute, lists in needed.lists.items():
            for values in lists:
                left &= self._within(attribute, values)
        return left

    def _new_slot(self) -> int:
        if self._free:
            return self._free.pop()
        self._counts.extend((-1,))
        return len(self._counts) - 1

    def _within(self, attribute: Key, values: frozenset[Limit]) -> Flags:
        is_inside = np.zeros(len(self._counts), np.bool_)
        if attribute in self._given_lists:
            is_inside[self._given_lists[attribute].inside(values)] = True
        if attribute in self._has_any_list:
            is_inside[self._has_any_list[attribute].array()] = True
        return is_inside

    def _having(self, mark: Mark) -> Flags:
        has = np.zeros(len(self._counts), np.bool_)
        if mark in self._has:
            has[self._has[mark].array()] = True
        return has


def _file(filed: dict[Mark, Column], mark: Mark, slot: int) -> None:
    if mark not in filed:
        filed[mark] = Column(np.int32)
    filed[mark].extend((slot,))


def _unfile(filed: dict[Mark, Column], mark: Mark, slot: int) -> None:
    column = filed[mark]
    keep(column, column.array() != slot)
    if not len(column):
        del filed[mark]
