"""A look at all matches of a job in one pass, however many there are."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from purport.pipeline.stored.matches import StoredMatch, StoredMatches, matches_in

PARTS = 20  # of the probabilities between 0 and 1


@dataclass(slots=True)
class SeenMatches:
    """Of the matches: how many there are by probability, and the surest and least sure ones.

    Of each subscription, `kept` of either are remembered.
    """

    kept: int = 1
    count: int = 0
    by_probability: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(PARTS, np.int64))
    surest: dict[str, list[StoredMatch]] = field(default_factory=dict)
    least_sure: dict[str, list[StoredMatch]] = field(default_factory=dict)

    @classmethod
    def of(cls, matches: StoredMatches, kept: int = 1) -> SeenMatches:
        """All matches that there are now."""
        seen = cls(kept)
        for batch in matches.batches():
            if len(batch):
                seen.add(batch)
        return seen

    def add(self, batch: pa.RecordBatch) -> None:
        """Look at some more."""
        probabilities = batch.column("probability").to_numpy(zero_copy_only=False)
        self.count += len(batch)
        clipped = np.clip(probabilities, 0, 1)
        self.by_probability += np.histogram(clipped, PARTS, (0, 1))[0]
        encoded = batch.column("subscription").dictionary_encode()
        names, codes = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
        for best, sign in ((self.surest, -1), (self.least_sure, 1)):
            rows = [
                row
                for row in _first_of_each(codes, sign * probabilities, self.kept)
                if _is_wanted(best.get(names[codes[row]]), sign, probabilities[row], self.kept)
            ]
            for match in matches_in(batch.take(pa.array(rows, pa.int64()))):
                known = best.setdefault(match.subscription, [])
                known.append(match)
                best[match.subscription] = _sorted(known, sign)[: self.kept]

    def most_sure(self, most: int) -> list[StoredMatch]:
        """The surest matches."""
        return _sorted([one for some in self.surest.values() for one in some], -1)[:most]

    def least(self, most: int) -> list[StoredMatch]:
        """The least sure ones."""
        every = (one for some in self.least_sure.values() for one in some)
        return heapq.nsmallest(most, every, key=lambda one: one.probability)


def _first_of_each(codes: Any, keys: Any, most: int) -> Iterator[int]:
    """The rows with the smallest keys of each code, the first ones among equals."""
    order = np.lexsort((keys, codes))
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        yield from order[start : min(end, start + most)].tolist()


def _is_wanted(known: list[StoredMatch] | None, sign: int, probability: float, most: int) -> bool:
    """Whether a match comes before one of those known of its subscription."""
    if known is None or len(known) < most:
        return True
    return bool(sign * probability < sign * known[-1].probability)


def _sorted(matches: list[StoredMatch], sign: int) -> list[StoredMatch]:
    return sorted(matches, key=lambda one: sign * one.probability)
