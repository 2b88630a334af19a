"""Which rows does a number answer? Kept for each pair of an attribute and a scale, in sorted order.

Equalities are found by a binary search. What lies above or below a bound is answered by half of all
numbers: such rows are listed only where a subscription is filed under nothing better, and are
looked up otherwise when a subscription that has them is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from purport.matching.flat_lists import Integers, Numbers, Places
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


@dataclass(slots=True)
class OnScale:
    """The rows that numbers on one scale may answer under one attribute.

    `always` are rows that each of them answers, with weights.
    """

    attribute: int
    code: int
    rows_covered: int = 0
    always: list[tuple[int, float]] = field(default_factory=list)
    sections: tuple[_Section, ...] = (_Section(),) * 4

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


def packed(on_scale: Iterable[OnScale], numbers: Integers, is_range: Flags) -> Bounds:
    """Bounds for a kernel; `numbers` gives the place of each telling among them, or -1."""
    sections = [section for one in on_scale for section in one.sections]
    ends: Places = np.cumsum([0, *map(len, sections)], dtype=np.int64)
    starts = np.lib.stride_tricks.sliding_window_view(ends, 5)[::4] if sections else ends[:0]
    sections = sections or [_Section()]
    return Bounds(
        numbers,
        np.ascontiguousarray(starts).reshape(-1, 5),
        np.concatenate([section.lows for section in sections]),
        np.concatenate([section.highs for section in sections]),
        np.concatenate([section.rows for section in sections]),
        np.concatenate([section.weights for section in sections]),
        is_range,
    )
