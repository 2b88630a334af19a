"""Which nodes may cover a subscription, or be covered by it? Found by marks, for all at once.

Nodes have slots. Under each mark stand the slots that need it, and those that have it; for each
line the spans of slots stand in columns. To find what may cover a subscription, all that its marks
and spans satisfy is counted for each slot; what needs no more is a candidate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from purport.covering.marks import ClassMark, Line, Mark, Marks, Span
from purport.matching.flat_lists import Column

Slots = NDArray[np.int32]
Flags = NDArray[np.bool_]  # by slot


@dataclass(slots=True)
class _Spans:
    """The spans of slots on one line."""

    slots: Column = field(default_factory=lambda: Column(np.int32))
    lows: Column = field(default_factory=lambda: Column(np.float64))
    highs: Column = field(default_factory=lambda: Column(np.float64))

    def add(self, slot: int, span: Span) -> None:
        self.slots.extend((slot,))
        self.lows.extend((span.low,))
        self.highs.extend((span.high,))

    def discard(self, slot: int) -> None:
        others = self.slots.array() != slot
        for column in (self.slots, self.lows, self.highs):
            _keep(column, others)

    def around_any(self, spans: Iterable[Span]) -> Slots:
        """The slots of each span that lies around one of some others."""
        lows, highs = self.lows.array(), self.highs.array()
        is_around = np.zeros(len(lows), np.bool_)
        for low, high in spans:
            is_around |= (lows <= low) & (highs >= high)
        return self.slots.array()[is_around]

    def inside(self, span: Span) -> Slots:
        """The slots of each span that lies inside another one."""
        is_inside = (self.lows.array() >= span.low) & (self.highs.array() <= span.high)
        return self.slots.array()[is_inside]


class Candidates:
    """Marks of nodes by their slots; that of a node which has gone is used again."""

    def __init__(self) -> None:
        self._needs: dict[Mark, Column] = {}
        self._needs_of: dict[Mark, Column] = {}  # marks of a family, whichever
        self._has: dict[Mark, Column] = {}
        self._has_any_of: dict[Mark, Column] = {}
        self._needed_spans: dict[Line, _Spans] = {}
        self._given_spans: dict[Line, _Spans] = {}
        self._counts = Column(np.int32)  # how much each slot needs; -1 where there is no node
        self._free: list[int] = []

    def add(self, needed: Marks, given: Marks) -> int:
        """Take up a node; its slot."""
        slot = self._new_slot()
        for mark in needed.marks:
            _file(self._needs, mark, slot)
            if isinstance(mark, ClassMark):
                _file(self._needs_of, mark.family, slot)
        for mark in given.marks:
            _file(self._has, mark, slot)
        for family in given.families:
            _file(self._has_any_of, family, slot)
        for filed, marks in ((self._needed_spans, needed), (self._given_spans, given)):
            for line, spans in marks.spans.items():
                for span in spans:
                    filed.setdefault(line, _Spans()).add(slot, span)
        count = len(needed.marks) + sum(map(len, needed.spans.values()))
        self._counts.array()[slot] = count
        return slot

    def remove(self, slot: int, needed: Marks, given: Marks) -> None:
        """Drop a node, which has these marks."""
        for mark in needed.marks:
            _unfile(self._needs, mark, slot)
            if isinstance(mark, ClassMark):
                _unfile(self._needs_of, mark.family, slot)
        for mark in given.marks:
            _unfile(self._has, mark, slot)
        for family in given.families:
            _unfile(self._has_any_of, family, slot)
        for filed, marks in ((self._needed_spans, needed), (self._given_spans, given)):
            for line in marks.spans:
                filed[line].discard(slot)
                if not len(filed[line].slots):
                    del filed[line]
        self._counts.array()[slot] = -1
        self._free.append(slot)

    def above(self, given: Marks) -> Flags:
        """All that may cover what has these marks."""
        found = [
            self._needs[mark].array()
            for mark in given.marks
            if mark in self._needs
            and not (isinstance(mark, ClassMark) and mark.family in given.families)
        ]
        found += [self._needs_of[one].array() for one in given.families if one in self._needs_of]
        for line, spans in given.spans.items():
            if line in self._needed_spans:
                found.append(self._needed_spans[line].around_any(spans))
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
        return left

    def _new_slot(self) -> int:
        if self._free:
            return self._free.pop()
        self._counts.extend((-1,))
        return len(self._counts) - 1

    def _having(self, mark: Mark) -> Flags:
        has = np.zeros(len(self._counts), np.bool_)
        if mark in self._has:
            has[self._has[mark].array()] = True
        if isinstance(mark, ClassMark) and mark.family in self._has_any_of:
            has[self._has_any_of[mark.family].array()] = True
        return has


def _file(filed: dict[Mark, Column], mark: Mark, slot: int) -> None:
    if mark not in filed:
        filed[mark] = Column(np.int32)
    filed[mark].extend((slot,))


def _unfile(filed: dict[Mark, Column], mark: Mark, slot: int) -> None:
    """Take all of a slot away; another one may have been filed under the same family twice."""
    if mark in filed:
        column = filed[mark]
        _keep(column, column.array() != slot)
        if not len(column):
            del filed[mark]


def _keep(column: Column, kept: Flags) -> None:
    left = column.array()[kept]
    column.count = 0
    column.extend(left)
