"""Scores kept: each pair of terms is scored once, whoever asks, and remembered across restarts.

A table has a row for each term asked for and a column for each term met in events. It lives in
memory as one array and, where it is given a folder, there as blocks (`score_blocks.py`): a process
that dies loses at most what it had not written yet, which is scored again.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from purport.errors import UnusablePath
from purport.relatedness.array_store import StoreError
from purport.relatedness.measure import Measure, Scores, checked_scores, identity_of
from purport.relatedness.score_blocks import Block, ScoreArray, ScoreBlocks

MOST_CELLS = 50_000_000
_WRITTEN_AT_ONCE = 200_000
_MOST_BLOCKS = 32

Places = NDArray[np.int64]


class _Terms:
    """Terms under numbers from 0."""

    def __init__(self) -> None:
        self.terms: list[str] = []
        self.numbers: dict[str, int] = {}

    def new(self, terms: Sequence[str]) -> list[str]:
        """Those of some terms that are not there yet."""
        return list(dict.fromkeys(term for term in terms if term not in self.numbers))

    def add(self, terms: Sequence[str]) -> None:
        """Give new terms their numbers."""
        for term in terms:
            self.terms.append(term)
            self.numbers[term] = len(self.terms) - 1

    def places(self, terms: Sequence[str]) -> Places:
        """The numbers of terms that are all there."""
        return np.array([self.numbers[term] for term in terms], np.int64)

    def at(self, places: Places) -> list[str]:
        """The terms at some numbers."""
        return [self.terms[place] for place in places]


class ScoreTable:
    """A measure that remembers; without a folder, in memory only.

    Beyond `most_cells` it goes on scoring and remembers no more. A block that is damaged is left
    alone, and its scores are computed again. `problems` tells of both, until somebody takes it. A
    table that is sent to another process writes what it has to its folder first; one without a
    folder arrives empty.
    """

    def __init__(
        self, measure: Measure, folder: Path | str | None = None, *, most_cells: int = MOST_CELLS
    ) -> None:
        self.measure = measure
        self.folder = folder = Path(folder) if folder is not None else None
        self.most_cells = most_cells
        self.problems: list[str] = []
        self._is_full = False
        self._asked, self._given = _Terms(), _Terms()
        self._scores: ScoreArray = np.full((16, 256), np.nan, np.float32)
        self._unwritten: tuple[set[int], set[int]] = (set(), set())
        self._taken_up: set[str] = set()
        self._left_alone: set[str] = set()
        self._growing = threading.RLock()
        self._blocks = ScoreBlocks(folder, identity_of(measure)) if folder is not None else None
        self.refresh()

    def __reduce__(self) -> tuple[object, ...]:
        self.flush()
        return _reopened, (self.measure, self.folder, self.most_cells)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.flush()

    def score(self, left: str, right: str) -> float:
        """How related two terms are."""
        row, column = self._asked.numbers.get(left), self._given.numbers.get(right)
        if row is not None and column is not None:
            kept = self._scores.item(row, column)
            if kept == kept:  # known: only nan differs from itself
                return kept
        return float(self.matrix([left], [right])[0, 0])

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair; those not known yet are computed in one go."""
        numbers = self.numbers(left, right)
        if numbers is None:
            scores = checked_scores(self.measure, left, right)
            return scores.astype(np.float32).astype(np.float64)
        return self._scores[np.ix_(*numbers)].astype(np.float64)

    def numbers(self, asked: Sequence[str], given: Sequence[str]) -> tuple[Places, Places] | None:
        """The rows and columns of terms, every pair scored; None if that is beyond the bound."""
        with self._growing:
            if not self._make_room(asked, given):
                self._tell_full()
                return None
            rows, columns = self._asked.places(asked), self._given.places(given)
            self._score_unknown(rows, columns)
            return rows, columns

    def look_up(self, rows: Places, columns: Places) -> ScoreArray:
        """The scores at places that `numbers` gave, pair by pair."""
        return np.asarray(self._scores[rows, columns])

    @property
    def size(self) -> tuple[int, int]:
        """How many terms asked for and given are known."""
        return len(self._asked.terms), len(self._given.terms)

    def known_given(self, asked: Sequence[str]) -> set[str]:
        """The terms of events whose scores with all of these terms are known."""
        with self._growing:
            if self._asked.new(asked):
                return set()
            rows = self._scores[self._asked.places(asked), : len(self._given.terms)]
            return set(self._given.at(np.flatnonzero(~np.isnan(rows).any(axis=0))))

    def add(self, block: Block) -> bool:
        """Take scores that were computed elsewhere; False if they are beyond the bound."""
        with self._growing:
            if not self._fill(block):
                return False
            self._remember(self._asked.places(block.asked), self._given.places(block.given))
            return True

    def refresh(self) -> None:
        """Take up what other processes have written."""
        if self._blocks is None:
            return
        with self._growing:
            names = self._blocks.names()
            self._taken_up &= names
            for name in sorted(names - self._taken_up - self._left_alone):
                self._take_up(name, self._blocks)
            self._merge_many()

    def flush(self) -> None:
        """Write what has not been written yet."""
        with self._growing:
            rows, columns = self._unwritten
            if self._blocks is not None and rows:
                self._taken_up.add(self._blocks.write(self._block(sorted(rows), sorted(columns))))
                self._merge_many()
            self._unwritten = (set(), set())

    def _take_up(self, name: str, blocks: ScoreBlocks) -> None:
        """Take the scores of a block, or leave it alone and say why."""
        try:
            block = blocks.read(name)
        except StoreError as error:
            self.problems.append(str(error))
            self._left_alone.add(name)
            return
        if block is not None:
            is_in = self._fill(block)
            (self._taken_up if is_in else self._left_alone).add(name)
            if not is_in:
                self._tell_full()

    def _tell_full(self) -> None:
        if not self._is_full:
            self._is_full = True
            place = f"{self.folder}: " if self.folder is not None else ""
            self.problems.append(
                f"{place}the table of scores is full ({self.most_cells:,}): what is not in it is "
                "scored each time it is met"
            )

    def _score_unknown(self, rows: Places, columns: Places) -> None:
        """Score what is unknown: whole rows first, then what is left of the others."""
        rows, columns = np.unique(rows), np.unique(columns)
        is_new = np.isnan(self._scores[np.ix_(rows, columns)]).all(axis=1)
        self._score(rows[is_new], columns)
        unknown = np.isnan(self._scores[np.ix_(rows, columns)])
        self._score(rows[unknown.any(axis=1)], columns[unknown.any(axis=0)])

    def _score(self, rows: Places, columns: Places) -> None:
        if len(rows) and len(columns):
            scores = checked_scores(self.measure, self._asked.at(rows), self._given.at(columns))
            self._scores[np.ix_(rows, columns)] = scores
            self._remember(rows, columns)

    def _remember(self, rows: Places, columns: Places) -> None:
        self._unwritten[0].update(rows.tolist())
        self._unwritten[1].update(columns.tolist())
        if len(self._unwritten[0]) * len(self._unwritten[1]) >= _WRITTEN_AT_ONCE:
            with suppress(UnusablePath):  # who wants them kept flushes, and is told then
                self.flush()

    def _fill(self, block: Block) -> bool:
        """Take a block's scores where it has any; False if there is no room for it."""
        if not self._make_room(block.asked, block.given):
            return False
        at = np.ix_(self._asked.places(block.asked), self._given.places(block.given))
        self._scores[at] = np.where(np.isnan(block.scores), self._scores[at], block.scores)
        return True

    def _make_room(self, asked: Sequence[str], given: Sequence[str]) -> bool:
        """Give every term a place, unless the table would grow beyond its bound.

        The array grows before a term is found: who looks a pair up without the lock finds a place.
        """
        new_asked, new_given = self._asked.new(asked), self._given.new(given)
        height = len(self._asked.terms) + len(new_asked)
        width = len(self._given.terms) + len(new_given)
        if height * width > self.most_cells:
            return False
        tall, wide = self._scores.shape
        if height > tall or width > wide:
            shape = _grown(tall, height), _grown(wide, width)
            if shape[0] * shape[1] > self.most_cells:
                shape = max(tall, height), max(wide, width)
            larger: ScoreArray = np.full(shape, np.nan, np.float32)
            larger[:tall, :wide] = self._scores
            self._scores = larger
        self._asked.add(new_asked)
        self._given.add(new_given)
        return True

    def _block(self, rows: Sequence[int], columns: Sequence[int]) -> Block:
        at = np.array(rows, np.int64), np.array(columns, np.int64)
        return Block(self._asked.at(at[0]), self._given.at(at[1]), self._scores[np.ix_(*at)])

    def _merge_many(self) -> None:
        """Make one block of those whose scores are all here, when there are many."""
        if self._blocks is None or len(self._taken_up) <= _MOST_BLOCKS:
            return
        whole = self._block(range(len(self._asked.terms)), range(len(self._given.terms)))
        merged = self._blocks.merge(self._taken_up, whole)
        if merged is not None:
            self._taken_up = {merged}


def _reopened(measure: Measure, folder: Path | None, most_cells: int) -> ScoreTable:
    return ScoreTable(measure, folder, most_cells=most_cells)


def _grown(size: int, needed: int) -> int:
    return size if needed <= size else max(needed, size + size // 2)
