"""Under which of its rows is a subscription looked for?

Under one that must be answered if it is to match, or several of which one must be. Rows that few
events answer are best (the *evaluation order* of TOIT'14, which is sound where an exact predicate
that fails ends it): they are chosen by the number of subscriptions under them at first, later by
how often they were answered.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from purport.compilation import compiled
from purport.errors import InvalidInput
from purport.matching.flat_lists import Column, FlatLists, Integers, Lists, Places
from purport.matching.kernel import MOST_SLOTS, OTHER_ROW, Asked, Flags
from purport.matching.rows import Need, Reach


class Filing:
    """Subscriptions in slots, filed under rows; a slot that was left stays empty."""

    def __init__(self, *, by_order: bool) -> None:
        self._by_order = by_order
        self._starts, self._sizes = Column(np.int64), Column(np.int32)
        self._rows, self._defaults = Column(np.int32), Column(np.float64)
        self._is_necessary = Column(np.bool_)
        self._thresholds, self._needed = Column(np.float64), Column(np.float64)
        self._is_mean, self._access = Column(np.bool_), Column(np.int32)
        self._always: dict[int, None] = {}
        self._arrays: Asked | None = None
        self._filed = FlatLists(np.int64)

    def __len__(self) -> int:
        return len(self._sizes)

    def require_room(self) -> None:
        """Raise when there can be no more subscriptions."""
        if len(self._sizes) == MOST_SLOTS:
            raise InvalidInput(f"a matcher holds {MOST_SLOTS:,} subscriptions at most")

    def add(self, needs: Sequence[Need], reach: Reach) -> tuple[int, list[int]]:
        """Take up a subscription; its slot, and the rows that it is filed under."""
        self.require_room()
        self._arrays = None
        slot = len(self._sizes)
        access = 1 if any(one.is_necessary for one in needs) else reach.least_access()
        self._starts.extend([len(self._rows)])
        self._sizes.extend([len(needs)])
        self._rows.extend([one.row for one in needs])
        self._defaults.extend([one.default for one in needs])
        self._is_necessary.extend([one.is_necessary for one in needs])
        self._thresholds.extend([reach.threshold])
        self._needed.extend([reach.needed()])
        self._is_mean.extend([reach.is_mean])
        self._access.extend([access])
        most = max((one.row for one in needs), default=-1)
        if most >= self._filed.count:
            self._filed.new(most + 1 - self._filed.count)
        if needs and access == 0:
            self._always[slot] = None
        chosen = self._chosen(needs, access)
        for row, others in chosen:
            self._filed.append(row, slot, others)
        return slot, [row for row, _ in chosen]

    def remove(self, slot: int) -> None:
        """Drop a subscription."""
        start, size = int(self._starts.array()[slot]), int(self._sizes.array()[slot])
        for row in set(self._rows.array()[start : start + size].tolist()):
            if slot in self._filed.items(row):
                self._filed.remove(row, slot)
        self._sizes.array()[slot] = 0
        self._arrays = None
        self._always.pop(slot, None)

    def arrays(self) -> Asked:
        """The subscriptions for a kernel; to be asked for anew after a change."""
        if self._arrays is None:
            self._arrays = self._made_arrays()
        return self._arrays

    def _made_arrays(self) -> Asked:
        return Asked(
            self._starts.array(),
            self._sizes.array(),
            self._rows.array(),
            self._defaults.array(),
            self._thresholds.array(),
            self._needed.array(),
            self._is_mean.array(),
            np.fromiter(self._always, np.int32, len(self._always)),
        )

    def filed(self) -> Lists:
        """For each row the slots that are looked for under it, and two other rows of each.

        These have to be answered too; where there are no others it is the row itself.
        """
        return self._filed.arrays()

    def file_anew(self, answered: Places) -> None:
        """File every subscription under the rows that were answered least often."""
        if not self._by_order or not len(self._sizes):
            return
        asked = self.arrays()
        chosen = np.zeros(len(asked.rows), np.bool_)
        others = np.zeros(len(asked.rows), np.int64)
        necessary, access = self._is_necessary.array(), self._access.array()
        _choose(asked, necessary, access, answered, chosen, others)
        slots = np.repeat(
            np.arange(len(asked.sizes), dtype=np.int32),
            np.maximum(0, np.diff(asked.starts, append=len(asked.rows))),
        )[chosen]
        rows = asked.rows[chosen]
        order = np.argsort(rows, kind="stable")
        count = self._filed.count
        self._filed.clear()
        self._filed.new(count)
        sizes = np.bincount(rows, minlength=count).astype(np.int32)
        self._filed.place(np.arange(count), sizes)
        self._filed.arrays().items[: len(order)] = slots[order]
        self._filed.arrays().weights[: len(order)] = others[chosen][order]
        self._arrays = None

    def _chosen(self, needs: Sequence[Need], access: int) -> list[tuple[int, int]]:
        """The rows that a subscription is filed under, as long as no event was seen."""
        able = [one for one in needs if one.is_necessary or access > 1]
        if self._by_order:
            able.sort(key=lambda one: (one.is_range, len(self._filed.items(one.row))))
        if access == 1 and self._by_order:
            rows = [able[min(place, len(able) - 1)].row for place in range(3)]
            return [(rows[0], _packed(rows[1], rows[2]))]
        return [(row, _packed(row, row)) for row in {one.row: None for one in able[:access]}]


@compiled
def _choose(
    asked: Asked,
    is_necessary: Flags,
    access: Integers,
    answered: Places,
    chosen: Flags,
    others: Places,
) -> None:
    """Mark for each subscription the rows it is to be filed under, and write the other two."""
    for slot in range(len(asked.sizes)):
        start, size = asked.starts[slot], asked.sizes[slot]
        for _ in range(access[slot] if size else 0):
            best = -1
            for entry in range(start, start + size):
                row = asked.rows[entry]
                is_able = is_necessary[entry] or access[slot] > 1
                for other in range(start, start + size):
                    is_able &= not (chosen[other] and asked.rows[other] == row)
                if is_able and (best < 0 or answered[row] < answered[asked.rows[best]]):
                    best = entry
            if best < 0:
                continue
            chosen[best] = True
            second, third = best, best
            for entry in range(start, start + size):
                if entry == best or not is_necessary[entry] or access[slot] > 1:
                    continue
                times = answered[asked.rows[entry]]
                if second == best or times < answered[asked.rows[second]]:
                    second, third = entry, second
                elif third == best or times < answered[asked.rows[third]]:
                    third = entry
            others[best] = asked.rows[second] | np.int64(asked.rows[third]) << OTHER_ROW


def _packed(second: int, third: int) -> int:
    """Two rows as one number."""
    return second | third << OTHER_ROW
