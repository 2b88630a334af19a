"""Which rows does a number answer? Kept for each pair of an attribute and a scale, in sorted order.

Equalities are found by a binary search. What lies above or below a bound is answered by half of all
numbers: such rows are listed only where a subscription is filed under nothing better, and are
looked up otherwise when a subscription that has them is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purport.matching.flat_lists import Column, Integers, Numbers, Places
from purport.matching.kernel import Bounds, Flags
from purport.matching.scales import EVERYTHING, Interval
from purport.matching.tellings_kernel import Rows


@dataclass(frozen=True, slots=True)
class _Section:
    """Intervals and their rows, sorted by `keys`."""

    keys: Numbers = field(default_factory=lambda: np.zeros(0))
    lows: Numbers = field(default_factory=lambda: np.zeros(0))
    highs: Numbers = field(default_factory=lambda: np.zeros(0))
    rows: Integers = field(default_factory=lambda: np.zeros(0, np.int32))
    weights: Numbers = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.keys)

    def with_more(self, keys: Numbers, entries: Numbers) -> _Section:
        """More intervals: columns of low, high, row and weight."""
        if not len(keys):
            return self
        order = np.argsort(keys, kind="stable")
        keys, entries = keys[order], entries[order]
        places = np.searchsorted(self.keys, keys, side="right")
        return _Section(
            np.insert(self.keys, places, keys),
            np.insert(self.lows, places, entries[:, 0]),
            np.insert(self.highs, places, entries[:, 1]),
            np.insert(self.rows, places, entries[:, 2].astype(np.int32)),
            np.insert(self.weights, places, entries[:, 3]),
        )


Sections = tuple[_Section, ...]  # equalities, listed ones from above and from below, ranges


@dataclass(slots=True)
class RowsOnScale:
    """The rows that numbers on one scale may answer under one attribute.

    `always` are rows that each of them answers, with weights.
    """

    attribute: int
    code: int
    rows_covered: int = 0
    always: list[tuple[int, float]] = field(default_factory=list)
    sections: Sections = (_Section(),) * 4

    def cover(
        self,
        rows: Rows,
        names: Numbers,
        is_wanted: Flags,
        intervals_of: Callable[[int], Iterable[Interval]],
    ) -> None:
        """Look at the rows that came since; `names` is how the attribute scores with each."""
        first = self.rows_covered
        floors = rows.floors[first:]
        kept = (names >= rows.cuts[first:]) & (rows.keeps_all[first:] | (names > floors))
        kept &= (names > 0) | rows.is_near_name[first:]
        entries = []
        for place in np.flatnonzero(kept).tolist():
            row, weight = first + place, max(float(names[place]), float(floors[place]))
            for low, high in intervals_of(row):
                if (low, high) == EVERYTHING:
                    self.always.append((row, weight))
                else:
                    entries.append((low, high, row, weight))
        self.rows_covered = len(rows.names)
        if entries:
            self._add(np.array(entries), is_wanted)

    def _add(self, entries: Numbers, is_wanted: Flags) -> None:
        lows, highs, rows = entries[:, 0], entries[:, 1], entries[:, 2].astype(np.int64)
        is_point = lows == highs
        is_listed = ~is_point & is_wanted[rows]
        above, below = is_listed & (lows > -np.inf), is_listed & (lows == -np.inf)
        equal, listed_above, listed_below, ranges = self.sections
        self.sections = (
            equal.with_more(lows[is_point], entries[is_point]),
            listed_above.with_more(lows[above], entries[above]),
            listed_below.with_more(-highs[below], entries[below]),
            ranges.with_more(rows[~is_point].astype(np.float64), entries[~is_point]),
        )


class BoundTable:
    """The sections of all that is on scales, behind one another."""

    def __init__(self) -> None:
        self._starts: Places = np.zeros((16, 5), np.int64)
        self._columns = (
            Column(np.float64), Column(np.float64), Column(np.int32), Column(np.float64),
        )  # fmt: skip
        self._sections: dict[int, Sections] = {}
        self._kept = 0  # intervals, without those that were replaced

    @property
    def used(self) -> int:
        """How many intervals there are, with those that were replaced."""
        return len(self._columns[0])

    def put(self, number: int, sections: Sections) -> None:
        """Write the sections of a number, in place of those that it had."""
        replaced = self._sections.get(number, ())
        self._kept += sum(map(len, sections)) - sum(map(len, replaced))
        self._sections[number] = sections
        if number >= len(self._starts):
            larger = np.zeros((2 * number, 5), np.int64)
            larger[: len(self._starts)] = self._starts
            self._starts = larger
        if self.used > 2 * self._kept + 1000:
            self._write_anew()
        else:
            self._write(number, sections)

    def arrays(self, numbers: Integers, is_range: Flags) -> Bounds:
        """Bounds for a kernel; `numbers` gives the place of each telling among them, or -1."""
        lows, highs, rows, weights = (column.array() for column in self._columns)
        return Bounds(numbers, self._starts, lows, highs, rows, weights, is_range)

    def _write_anew(self) -> None:
        for column in self._columns:
            column.count = 0
        for number, sections in self._sections.items():
            self._write(number, sections)

    def _write(self, number: int, sections: Sections) -> None:
        ends = np.cumsum([self.used, *map(len, sections)])
        for section in sections:
            fields: tuple[NDArray[Any], ...] = (
                section.lows, section.highs, section.rows, section.weights,
            )  # fmt: skip
            for column, values in zip(self._columns, fields, strict=True):
                column.extend(values)
        self._starts[number] = ends
