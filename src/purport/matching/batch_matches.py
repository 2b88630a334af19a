"""What was found in a batch of events: columns of numbers, and matches where they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import Struct

from purport.matching.aggregation import rank
from purport.matching.flat_lists import Integers, Numbers
from purport.matching.kernel import Found
from purport.model.match import Match
from purport.model.subscription import Subscription


@dataclass(frozen=True, slots=True, repr=False)
class BatchMatches:
    """The matches of a batch, event by event, best first.

    Columns are arrays: `events` and `probabilities` of each match, and with `mapping` the
    statement of each predicate. Iterating makes matches. `subscriptions` stand by their slots.
    """

    found: Found
    subscriptions: Sequence[Subscription]
    match_of: Callable[[FoundRow, Subscription], Match]

    def __len__(self) -> int:
        return len(self.found.events)

    def __repr__(self) -> str:
        return f"<{len(self)} matches>"

    def __getitem__(self, number: int) -> Match:
        number = range(len(self))[number]
        first = int(self.found.ends[number - 1]) if number else 0
        part = slice(first, int(self.found.ends[number]))
        row = FoundRow(
            int(self.found.events[number]),
            int(self.found.slots[number]),
            float(self.found.probabilities[number]),
            tuple(self.found.statements[part].tolist()),
            tuple(self.found.similarities[part].tolist()),
        )
        return self.match_of(row, self.subscriptions[row.slot])

    def __iter__(self) -> Iterator[Match]:
        return (self.match_of(row, self.subscriptions[row.slot]) for row in self.found_rows())

    def found_rows(self) -> Iterator[FoundRow]:
        """The matches as rows of numbers."""
        return rows_of(self.found)

    @property
    def events(self) -> Integers:
        """For each match the number of its event in the batch."""
        return self.found.events

    @property
    def probabilities(self) -> Numbers:
        """For each match its probability."""
        return self.found.probabilities

    @property
    def similarities(self) -> Numbers:
        """For each predicate of each match how well its statement answers it."""
        known = self.found.similarities
        unknown = np.flatnonzero(np.isnan(known))  # too small to have been kept
        if len(unknown):
            known = known.copy()
            for number in np.unique(np.searchsorted(self.found.ends, unknown, "right")).tolist():
                pairs = self[number].mapping.correspondences
                end = int(self.found.ends[number])
                known[end - len(pairs) : end] = [pair.similarity for pair in pairs]
        return known

    def subscription(self, number: int) -> Subscription:
        """The subscription of a match."""
        return self.subscriptions[int(self.found.slots[number])]

    def mapping(self, number: int) -> Integers:
        """For each predicate of a match's subscription the number of the statement for it."""
        start = self.found.ends[number - 1] if number else 0
        return self.found.statements[start : self.found.ends[number]]


class FoundRow(Struct, frozen=True, gc=False):
    """One match: its event and slot, its probability and mapping."""

    event: int
    slot: int
    probability: float
    statements: tuple[int, ...]
    similarities: tuple[float, ...]

    def __lt__(self, other: FoundRow) -> bool:
        return self._order() < other._order()

    def _order(self) -> tuple[int, int, int]:
        return self.event, rank(self.probability), self.slot


def rows_of(found: Found, count: int | None = None) -> Iterator[FoundRow]:
    """What was found, match by match; all, or so many of them."""
    if count == 0:
        return
    start = 0
    for event, slot, probability, end in zip(
        found.events[:count].tolist(),
        found.slots[:count].tolist(),
        found.probabilities[:count].tolist(),
        found.ends[:count].tolist(),
        strict=True,
    ):
        statements = tuple(found.statements[start:end].tolist())
        yield FoundRow(
            event, slot, probability, statements, tuple(found.similarities[start:end].tolist())
        )
        start = end


def found_of(rows: list[FoundRow]) -> Found:
    """The columns of rows."""
    return Found(
        np.array([row.event for row in rows], np.int32),
        np.array([row.slot for row in rows], np.int32),
        np.array([row.probability for row in rows], np.float64),
        np.cumsum([len(row.statements) for row in rows], dtype=np.int64),
        np.array([place for row in rows for place in row.statements], np.int32),
        np.array([one for row in rows for one in row.similarities], np.float64),
    )
