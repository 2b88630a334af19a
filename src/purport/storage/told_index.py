"""Under which numbers a subscription was told of which entries.

The table `told` has runs: consecutive numbers of one subscription, and the entries' sequences,
packed. If each publication wrote to it, each would touch as many pages as there are subscribers; so
it is filled now and then, for many entries at once. What it does not have follows from the entries
and stands in a `ToldTail`.

All of it follows from the entries, so it never keeps one from being appended: of numbers that come
again the last ones count, and what no row can have is left out.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, Select, delete, func, select, text

from purport.broker.records import Entry, addressees
from purport.storage import tables
from purport.storage.notes import set_value, value_of

_RUNS_AT_ONCE = 4
_ROWS_AT_ONCE = 2_000
_NUMBER = itemgetter(0)
_MOST = 2**63 - 1  # that a column can have
_KEY_BYTES = 1_000  # an index of PostgreSQL has room for 2,704
_DIGEST = "sha256:"


class Numbered(NamedTuple):
    """A number of a subscription, and the sequence of the entry that it was told of."""

    number: int
    sequence: int


class ToldTail:
    """What the entries through `through` say that the table does not have yet."""

    def __init__(self, through: int, entries: Iterable[Entry] = ()) -> None:
        self.through = through
        self.size = 0  # in entries and numbers
        self._by_subscription: dict[str, list[tuple[int, int]]] = {}  # numbers and sequences
        self.add(entries)

    def add(self, entries: Iterable[Entry]) -> None:
        """Take up the entries that follow."""
        for entry in entries:
            self.through = entry.sequence
            self.size += 1
            for told in addressees(entry.record):
                self.size += 1
                known = self._by_subscription.setdefault(told.subscription, [])
                if known and told.number <= known[-1][0]:
                    del known[bisect_left(known, told.number, key=_NUMBER) :]
                if _is_storable(told.number):
                    known.append((told.number, entry.sequence))

    def after(self, subscription: str, number: int) -> Sequence[Numbered]:
        """The numbers of a subscription after this one."""
        known = self._by_subscription.get(subscription, [])
        return [Numbered(*one) for one in known[bisect_right(known, number, key=_NUMBER) :]]

    def keep(self, connection: Connection) -> None:
        """Put all of it into the table."""
        runs = [
            run
            for subscription, known in sorted(self._by_subscription.items())
            for run in _runs(_key_of(subscription), known)
        ]
        if runs:
            connection.execute(_REPLACE, runs)
        set_value(connection, tables.meta, tables.TOLD, self.through)


def told_after(
    connection: Connection, subscription: str, number: int, *, since: int, most: int
) -> list[Numbered]:
    """Numbers of a subscription after this one, out of the table, for entries from `since` on."""
    if not _is_storable(number + 1):
        return []
    key = _key_of(subscription)
    found: list[Numbered] = []
    while len(found) < most:
        runs = connection.execute(_runs_after(key, number, since)).all()
        if not runs:
            break
        for first, last, packed in runs:
            begin = max(number + 1, first)
            sequences = np.frombuffer(packed, _PACKED)[begin - first :].tolist()
            found += (
                Numbered(one, sequence)
                for one, sequence in enumerate(sequences, begin)
                if sequence >= since
            )
            number = max(number, last)
    return found[:most]


def untell(connection: Connection, sequence: int) -> None:
    """Take the last entry out of the table, which says that it has this sequence."""
    told = tables.told.c
    runs = connection.execute(select(tables.told).where(told.through >= sequence)).all()
    connection.execute(delete(tables.told).where(told.through >= sequence))
    for subscription, first, _, _, packed in runs:
        sequences = np.frombuffer(packed, _PACKED)
        kept = [one for one in enumerate(sequences.tolist(), first) if one[1] < sequence]
        if kept:
            connection.execute(_REPLACE, list(_runs(subscription, kept)))
    if int(value_of(connection, tables.meta, tables.TOLD)) >= sequence:
        set_value(connection, tables.meta, tables.TOLD, sequence - 1)


def forget_told(connection: Connection, through: int) -> bool:
    """Drop some runs of entries through this one; whether there may be more."""
    column = tables.told.c.through
    some = select(column).where(column <= through).order_by(column)
    last = connection.scalar(some.offset(_ROWS_AT_ONCE).limit(1))
    connection.execute(delete(tables.told).where(column <= (through if last is None else last)))
    return last is not None


def _runs_after(key: str, number: int, since: int) -> Select[int, int, bytes]:
    """The next runs, from the last that begins no later than the next number."""
    told = tables.told.c
    begins = (
        select(func.max(told.first))
        .where(told.subscription == key, told.first <= number + 1)
        .scalar_subquery()
    )
    return (
        select(told.first, told.last, told.sequences)
        .where(told.subscription == key, told.first >= func.coalesce(begins, number + 1))
        .where(told.last > number, told.through >= since)
        .order_by(told.first)
        .limit(_RUNS_AT_ONCE)
    )


def _key_of(subscription: str) -> str:
    """What stands for a subscription: its id, or a digest where no index or text can have that."""
    encoded = subscription.encode(errors="surrogatepass")
    is_plain = len(encoded) <= _KEY_BYTES and b"\0" not in encoded
    if is_plain and not subscription.startswith(_DIGEST):
        return subscription
    return _DIGEST + hashlib.sha256(encoded).hexdigest()


def _is_storable(number: int) -> bool:
    return 0 <= number <= _MOST


def _runs(
    subscription: str, known: Sequence[tuple[int, int]]
) -> Iterator[Mapping[str, str | int | bytes]]:
    """Rows for the table."""
    if not known:
        return
    numbers, sequences = np.array(known, _PACKED).T
    gaps = np.flatnonzero(np.diff(numbers) != 1) + 1
    for run, told in zip(np.split(numbers, gaps), np.split(sequences, gaps), strict=True):
        yield {
            "subscription": subscription,
            "first": int(run[0]),
            "last": int(run[-1]),
            "through": int(told[-1]),
            "sequences": told.tobytes(),
        }


_PACKED = np.dtype("<i8")
_REPLACE = text(
    "INSERT INTO told (subscription, first, last, through, sequences) "
    "VALUES (:subscription, :first, :last, :through, :sequences) "
    "ON CONFLICT (subscription, first) DO UPDATE SET last = excluded.last, "
    "through = excluded.through, sequences = excluded.sequences"
)
