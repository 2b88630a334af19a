"""The journal: everything that was done, in order; the one durable thing of a broker."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from purport.broker.records import Entry, addressees
from purport.broker.retention import Stretch
from purport.errors import InvalidInput, PurportError


class JournalError(PurportError):
    """A journal cannot be read or written: the disk is full, a page is damaged, it is gone."""


class JournalTaken(InvalidInput):
    """Another process has the journal open."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state after a sequence, so that what came before need not be applied again."""

    sequence: int
    state: bytes


class Journal(Protocol):
    """Keeps entries. One process writes; when `append` returns, a crash no longer loses them."""

    @property
    def mended(self) -> str | None:
        """What was wrong with it when it was opened and has been put right, in words."""

    @property
    def first(self) -> int:
        """The sequence of the first entry that is still kept; one more than the last if none is."""

    @property
    def last(self) -> int:
        """The sequence of the last entry; 0 if there never was one."""

    def append(self, entries: Sequence[Entry]) -> None:
        """Keep entries that follow the last one, all or none; `JournalError` if it cannot."""

    def read(self, after: int = 0, through: int | None = None) -> Iterator[Entry]:
        """The entries after a sequence, in order; from the first that is kept on."""

    def told(self, subscription: str, after: int, most: int) -> Sequence[Entry]:
        """The entries that a subscription was told of under numbers after this one, in order.

        At most so many, of those that are kept.
        """

    def numbered_since(self, subscription: str, at: int) -> int | None:
        """The first number under which a subscription was told of something at or after a time."""

    def keep_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a state, in the place of older ones."""

    def snapshot(self) -> Snapshot | None:
        """The last state that was kept and can be read."""

    def seal(self, *, all_of_it: bool = False) -> Stretch | None:
        """Write the oldest entries that are in no stretch into one, if there are enough of them.

        With `all_of_it` any number is enough. None if nothing was to be done, or if this kind of
        journal has no stretches. It may run beside `append` in another thread.
        """

    def stretches(self) -> Sequence[Stretch]:
        """The stretches that are kept, oldest first."""

    def droppable_before(self, at: int) -> int:
        """The last sequence that `drop` can drop of entries before a time."""

    def drop(self, through: int) -> int:
        """Drop old entries through this sequence, but no part of a stretch; gives how many.

        What is not in a stretch is dropped only by a journal that has none.
        """

    def close(self) -> None:
        """Let go of it; nothing can be done with it any more."""


class MemoryJournal:
    """A journal that lasts as long as the process: a list."""

    mended: str | None = None

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self._told: dict[str, dict[int, Entry]] = {}  # by subscription and number
        self._last = 0
        self._snapshot: Snapshot | None = None

    @property
    def first(self) -> int:
        return self._last + 1 - len(self._entries)

    @property
    def last(self) -> int:
        return self._last

    def append(self, entries: Sequence[Entry]) -> None:
        require_following(entries, self._last)
        for entry in entries:
            self._last += 1
            self._entries.append(entry)
            for told in addressees(entry.record):
                self._told.setdefault(told.subscription, {})[told.number] = entry

    def read(self, after: int = 0, through: int | None = None) -> Iterator[Entry]:
        begin = max(0, after + 1 - self.first)
        end = None if through is None else max(begin, through + 1 - self.first)
        return iter(tuple(islice(self._entries, begin, end)))

    def told(self, subscription: str, after: int, most: int) -> Sequence[Entry]:
        kept = self._told.get(subscription)
        if not kept:
            return ()
        begin = max(after + 1, next(iter(kept)))
        return tuple(kept[number] for number in range(begin, begin + most) if number in kept)

    def numbered_since(self, subscription: str, at: int) -> int | None:
        kept = self._told.get(subscription, {})
        return next((number for number, entry in kept.items() if entry.at >= at), None)

    def keep_snapshot(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def snapshot(self) -> Snapshot | None:
        return self._snapshot

    def seal(self, *, all_of_it: bool = False) -> Stretch | None:
        return None

    def stretches(self) -> Sequence[Stretch]:
        return ()

    def droppable_before(self, at: int) -> int:
        return next((one.sequence - 1 for one in self._entries if one.at >= at), self._last)

    def drop(self, through: int) -> int:
        dropped = self._drop_entries(through)
        for name in tuple(self._told):
            self._drop_told(name, through, math.inf)
        return dropped

    def forget(self, through: int, acknowledged: Mapping[str, int]) -> None:
        """Drop entries through this sequence; what waits for a subscriber can still be told."""
        self._drop_entries(through)
        for name in tuple(self._told):
            self._drop_told(name, through, acknowledged.get(name, math.inf))

    def _drop_entries(self, through: int) -> int:
        dropped = 0
        while self._entries and self._entries[0].sequence <= through:
            self._entries.popleft()
            dropped += 1
        return dropped

    def _drop_told(self, name: str, through: int, last: float) -> None:
        """Forget what was told of entries through a sequence, under numbers up to the last."""
        kept = self._told[name]
        while kept:
            number = next(iter(kept))
            if number > last or kept[number].sequence > through:
                return
            del kept[number]
        del self._told[name]

    def close(self) -> None:
        self._entries.clear()
        self._told.clear()


def require_following(entries: Sequence[Entry], last: int) -> None:
    """Raise `JournalError` if these are not the entries after `last`, without gaps."""
    for expected, entry in enumerate(entries, last + 1):
        if entry.sequence != expected:
            raise JournalError(
                f"entry {expected} of the journal is next, got entry {entry.sequence}"
            )
