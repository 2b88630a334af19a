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
_FEW_GONE = 64


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
    """Marks of nodes by their slots, which are numbered in the order in which they come."""

    def __init__(self) -> None:
        self._needs: dict[Mark, Column] = {}
        self._needs_of: dict[Mark, Column] = {}  # marks of a family, whichever
        self._has: dict[Mark, Column] = {}
        self._has_any_of: dict[Mark, Column] = {}
        self._needed_spans: dict[Line, _Spans] = {}
        self._given_spans: dict[Line, _Spans] = {}
        self._counts = Column(np.int32)  # how much each slot needs; -1 for those that have gone
        self._gone = 0

    @property
    def is_worn_out(self) -> bool:
        """Whether most slots are of nodes that have gone, so that it is better made anew."""
        return self._gone > _FEW_GONE + len(self._counts) // 2

    def add(self, needed: Marks, given: Marks) -> int:
        """Take up a node; its slot."""
        slot = len(self._counts)
        count = len(needed.marks)
        for mark in needed.marks:
            _file(self._needs, mark, slot)
            if isinstance(mark, ClassMark):
                _file(self._needs_of, mark.family, slot)
        for line, spans in needed.spans.items():
            count += len(spans)
            for span in spans:
                self._needed_spans.setdefault(line, _Spans()).add(slot, span)
        for mark in given.marks:
            _file(self._has, mark, slot)
        for family in given.families:
            _file(self._has_any_of, family, slot)
        for line, spans in given.spans.items():
            for span in spans:
                self._given_spans.setdefault(line, _Spans()).add(slot, span)
        self._counts.extend((count,))
        return slot

    def remove(self, slot: int) -> None:
        """Never find a slot again."""
        self._counts.array()[slot] = -1
        self._gone += 1

    def above(self, given: Marks) -> list[int]:
        """The slots of all that may cover what has these marks."""
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
        return np.flatnonzero(counts == met).tolist()

    def below(self, needed: Marks) -> list[int]:
        """The slots of all that may be covered by what needs these marks."""
        is_left = self._counts.array() >= 0
        for mark in needed.marks:
            is_left &= self._having(mark)
        for line, spans in needed.spans.items():
            for span in spans:
                is_inside = np.zeros(len(is_left), np.bool_)
                if line in self._given_spans:
                    is_inside[self._given_spans[line].inside(span)] = True
                is_left &= is_inside
        return np.flatnonzero(is_left).tolist()

    def _having(self, mark: Mark) -> NDArray[np.bool_]:
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
