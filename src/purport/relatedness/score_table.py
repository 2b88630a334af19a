"""Scores kept: each pair of terms is scored once, whoever asks, and remembered across restarts.

A table has a row for each term asked for and a column for each term met in events. It lives in
memory as one array, and in a folder as blocks, each written whole and then given its name: any
number of processes add blocks to one folder, and take up those of others with `refresh`. A process
that dies loses at most what it had not written yet, which is scored again.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import threading
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from purport.errors import UnusablePath
from purport.relatedness.array_store import Arrays, StoreError, Texts
from purport.relatedness.measure import Measure, Scores, identity_of

VERSION = 1
MOST_CELLS = 50_000_000
_WRITTEN_AT_ONCE = 200_000
_MOST_BLOCKS = 32
_MANIFEST = "table.json"

Numbers = NDArray[np.int64]


class TableManifest(msgspec.Struct, frozen=True):
    """Which measure's scores a folder holds."""

    version: int
    measure: str


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
            self.numbers[term] = len(self.terms)
            self.terms.append(term)

    def places(self, terms: Sequence[str]) -> Numbers:
        """The numbers of terms that are all there."""
        return np.array([self.numbers[term] for term in terms], np.int64)


class ScoreTable:
    """A measure that remembers; without a folder, in memory only.

    Beyond `most_cells` it goes on scoring and remembers no more.
    """

    def __init__(
        self,
        measure: Measure,
        folder: Path | None = None,
        *,
        identity: str | None = None,
        most_cells: int = MOST_CELLS,
    ) -> None:
        self.measure = measure
        self.folder = folder
        self.most_cells = most_cells
        self.identity = identity or identity_of(measure)
        self._asked, self._given = _Terms(), _Terms()
        self._scores = np.full((16, 256), np.nan, np.float32)
        self._unwritten_rows: set[int] = set()
        self._unwritten_columns: set[int] = set()
        self._read_blocks: set[str] = set()
        self._growing = threading.RLock()
        if folder is not None:
            _open_folder(folder, self.identity)
            self.refresh()

    def __reduce__(self) -> tuple[object, ...]:
        self.flush()
        return _reopened, (self.measure, self.folder, self.identity, self.most_cells)

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
            return self.measure.matrix(left, right)
        return self._scores[np.ix_(*numbers)].astype(np.float64)

    def numbers(self, asked: Sequence[str], given: Sequence[str]) -> tuple[Numbers, Numbers] | None:
        """The rows and columns of terms, every pair scored; None if that is beyond the bound."""
        with self._growing:
            if not self._make_room(asked, given):
                return None
            rows, columns = self._asked.places(asked), self._given.places(given)
            self._score_unknown(rows, columns)
            return rows, columns

    def look_up(self, rows: Numbers, columns: Numbers) -> NDArray[np.float32]:
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
            known = np.flatnonzero(~np.isnan(rows).any(axis=0))
            return {self._given.terms[column] for column in known}

    def add(self, asked: Sequence[str], given: Sequence[str], scores: NDArray[np.floating]) -> bool:
        """Take scores that were computed elsewhere; False if they are beyond the bound."""
        with self._growing:
            if not self._make_room(asked, given):
                return False
            rows, columns = self._asked.places(asked), self._given.places(given)
            self._scores[np.ix_(rows, columns)] = scores
            self._remember(rows, columns)
            return True

    def refresh(self) -> None:
        """Take up what other processes have written."""
        if self.folder is None:
            return
        with self._growing:
            for path in sorted(self.folder.glob("block-*.npz")):
                if path.name not in self._read_blocks:
                    self._take_up(path)
            if len(self._read_blocks) > _MOST_BLOCKS:
                self._compact()

    def flush(self) -> None:
        """Write what has not been written yet."""
        with self._growing:
            if self.folder is not None and self._unwritten_rows:
                self._write_block(sorted(self._unwritten_rows), sorted(self._unwritten_columns))
            self._unwritten_rows, self._unwritten_columns = set(), set()

    def _score_unknown(self, rows: Numbers, columns: Numbers) -> None:
        unknown = np.isnan(self._scores[np.ix_(rows, columns)])
        if not unknown.any():
            return
        new_rows = np.unique(rows[unknown.any(axis=1)])
        new_columns = np.unique(columns[unknown.any(axis=0)])
        self._scores[np.ix_(new_rows, new_columns)] = self.measure.matrix(
            [self._asked.terms[row] for row in new_rows],
            [self._given.terms[column] for column in new_columns],
        )
        self._remember(new_rows, new_columns)

    def _remember(self, rows: Numbers, columns: Numbers) -> None:
        self._unwritten_rows.update(rows.tolist())
        self._unwritten_columns.update(columns.tolist())
        if len(self._unwritten_rows) * len(self._unwritten_columns) >= _WRITTEN_AT_ONCE:
            self.flush()

    def _make_room(self, asked: Sequence[str], given: Sequence[str]) -> bool:
        """Give every term a place, unless the table would grow beyond its bound."""
        new_asked, new_given = self._asked.new(asked), self._given.new(given)
        height = len(self._asked.terms) + len(new_asked)
        width = len(self._given.terms) + len(new_given)
        if height * width > self.most_cells:
            return False
        self._asked.add(new_asked)
        self._given.add(new_given)
        tall, wide = self._scores.shape
        if height > tall or width > wide:
            larger = np.full((_grown(tall, height), _grown(wide, width)), np.nan, np.float32)
            larger[:tall, :wide] = self._scores
            self._scores = larger
        return True

    def _take_up(self, path: Path) -> None:
        try:
            with path.open("rb") as file, np.load(file) as block:
                asked = list(Texts(block["asked_ends"], block["asked_text"]))
                given = list(Texts(block["given_ends"], block["given_text"]))
                scores = block["scores"]
        except FileNotFoundError:  # merged with others by another process, which has read it
            return
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise StoreError(f"{path}: the block of scores is damaged: {error}") from None
        self._read_blocks.add(path.name)
        if self._make_room(asked, given):
            at = np.ix_(self._asked.places(asked), self._given.places(given))
            self._scores[at] = np.where(np.isnan(scores), self._scores[at], scores)

    def _write_block(self, rows: Sequence[int], columns: Sequence[int]) -> None:
        assert self.folder is not None
        asked = Texts.of([self._asked.terms[row] for row in rows])
        given = Texts.of([self._given.terms[column] for column in columns])
        arrays: Arrays = {"asked_ends": asked.ends, "asked_text": asked.text}
        arrays |= {"given_ends": given.ends, "given_text": given.text}
        arrays["scores"] = self._scores[np.ix_(rows, columns)]
        try:
            handle, name = tempfile.mkstemp(prefix=".block-", dir=self.folder)
            with os.fdopen(handle, "wb") as file:
                np.savez(file, allow_pickle=False, **arrays)
            final = self.folder / f"block-{Path(name).name.removeprefix('.block-')}.npz"
            Path(name).rename(final)
        except OSError as error:
            raise UnusablePath(self.folder, error.strerror or str(error)) from None
        self._read_blocks.add(final.name)

    def _compact(self) -> None:
        """Make one block of all that were read, unless another process is at it."""
        assert self.folder is not None
        with _only_one(self.folder / ".lock") as is_ours:
            if not is_ours:
                return
            merged = sorted(self._read_blocks)
            self._write_block(range(len(self._asked.terms)), range(len(self._given.terms)))
            self._unwritten_rows, self._unwritten_columns = set(), set()
            for name in merged:
                (self.folder / name).unlink(missing_ok=True)
            self._read_blocks.difference_update(merged)


def _reopened(measure: Measure, folder: Path | None, identity: str, most_cells: int) -> ScoreTable:
    return ScoreTable(measure, folder, identity=identity, most_cells=most_cells)


def _open_folder(folder: Path, identity: str) -> None:
    """Make the folder of a table, or see that it is one of this measure."""
    path = folder / _MANIFEST
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            if any(not entry.name.startswith(".") for entry in folder.iterdir()):
                raise UnusablePath(folder, "there is something here that is not a table of scores")
            handle, name = tempfile.mkstemp(prefix=".table-", dir=folder)
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.encode(TableManifest(VERSION, identity)))
            Path(name).rename(path)
        manifest = msgspec.json.decode(path.read_bytes(), type=TableManifest)
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None
    except msgspec.MsgspecError as error:
        raise StoreError(f"{path}: the table of scores is damaged: {error}") from None
    if manifest.version != VERSION:
        raise StoreError(f"{folder} is of version {manifest.version}; this Purport opens {VERSION}")
    if manifest.measure != identity:
        raise StoreError(
            f"{folder} holds the scores of another measure ({manifest.measure}, "
            f"not {identity}): name another folder"
        )


@contextmanager
def _only_one(path: Path) -> Iterator[bool]:
    """Whether this process holds a lock, which it gives back at the end, whatever happens."""
    with path.open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def _grown(size: int, needed: int) -> int:
    return size if needed <= size else max(needed, size + size // 2)
