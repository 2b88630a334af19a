"""What subscribers were told a moment ago, so that a journal on a disk need not be asked for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice

from purport.broker.records import Entry

MOST_RECENT = 20_000  # notifications


class RecentEntries:
    """The last entries that some were told of, of each without gaps.

    >>> recent = RecentEntries()
    >>> recent.add("hot", 7, Entry(30, 0, None))
    >>> recent.told("hot", 6, 10, last=7), recent.told("hot", 5, 10, last=7)
    ([Entry(sequence=30, at=0, record=None, event=None)], None)
    """

    def __init__(self, most: int = MOST_RECENT) -> None:
        self._most = most
        self._told: dict[str, deque[tuple[int, Entry]]] = {}
        self._order: deque[tuple[str, int]] = deque()

    def add(self, subscription: str, number: int, entry: Entry) -> None:
        """A subscription was told of an entry; if it missed some here, it begins anew."""
        kept = self._told.get(subscription)
        if kept is None:
            kept = self._told[subscription] = deque()
        elif kept[-1][0] != number - 1:
            kept.clear()
        kept.append((number, entry))
        self._order.append((subscription, number))
        if len(self._order) > self._most:
            self.forget(*self._order.popleft())

    def told(
        self, subscription: str, after: int, most: int, *, last: int
    ) -> Sequence[Entry] | None:
        """What it was told under numbers after this one, of those up to the last.

        None if some of that is not known here.
        """
        kept = self._told.get(subscription)
        if kept is None:
            return None
        place, last = after + 1 - kept[0][0], min(last, after + most)
        if place < 0 or last > kept[-1][0]:
            return None
        return [entry for _, entry in islice(kept, place, place + last - after)]

    def forget(self, subscription: str, through: int) -> None:
        """What was received is not asked for so soon again."""
        kept = self._told.get(subscription)
        if kept is not None:
            while kept and kept[0][0] <= through:
                kept.popleft()
            if not kept:
                del self._told[subscription]

    def forget_all(self, subscription: str) -> None:
        """It has ended."""
        self._told.pop(subscription, None)
