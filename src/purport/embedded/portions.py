"""Entries of a journal in portions: whoever reads many holds nobody up meanwhile.

The lock is held until it is known what is read, and no longer: a journal can be read while another
thread writes, also what is dropped or sealed meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from purport.broker.journal import Journal
from purport.broker.records import Entry
from purport.embedded.ledger import Ledger

_AT_ONCE = 256


class Portions:
    """Reads a journal that others write to."""

    def __init__(self, ledger: Ledger, journal: Journal) -> None:
        self._ledger, self._journal = ledger, journal

    @property
    def first(self) -> int:
        """The sequence of the first entry that is kept."""
        with self._ledger.lock:
            self._ledger.require_open()
            return self._journal.first

    @property
    def last(self) -> int:
        """The sequence of the last entry."""
        with self._ledger.lock:
            self._ledger.require_open()
            return self._journal.last

    def entries(self, after: int = 0, through: int | None = None) -> Iterator[Entry]:
        """The entries after a sequence, in order; those that come meanwhile are not among them."""
        with self._ledger.lock:
            last = self.last if through is None else min(through, self.last)
            found = self._journal.read(after, last) if after < last else iter(())
        while some := tuple(islice(found, _AT_ONCE)):
            yield from some
            self._ledger.require_open()

    def entry(self, sequence: int) -> Entry | None:
        """One entry, if it is kept."""
        return next(self.entries(sequence - 1, sequence), None)

    def since(self, at: int) -> int:
        """The first sequence of an entry at or after a time; one more than the last if none is."""
        low, high = self._journal.first, self.last + 1
        for one in self._journal.stretches():  # which say it without being read
            if one.last_at >= at:
                high = min(high, one.last)
                break
            low = max(low, one.last + 1)
        while low < high:
            middle = (low + high) // 2
            entry = self.entry(middle)
            if entry is None or entry.at < at:  # what is not kept is older than what is
                low = middle + 1
            else:
                high = middle
        return low
