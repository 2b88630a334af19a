"""Explicit semantic analysis: two terms are related when their words stand in the same documents.

Gabrilovich & Markovitch 2007, as used by TOIT'14 (4.1) and DEBS'12 (5.3): a word is a vector of
weights over concepts, a phrase the centroid of its words' unit vectors, relatedness the cosine.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from purport.model.term import folded
from purport.relatedness.concept_space import ConceptSpace
from purport.relatedness.measure import Scores, remembered, set_identical
from purport.relatedness.stems import stems_of_term

CACHED_TERMS = 100_000


@dataclass(frozen=True, slots=True)
class SharedConcept:
    """A concept that makes two terms related, and how much of their relatedness is its."""

    title: str
    share: float


class Esa:
    """Relatedness over a concept space; symmetric. Terms without a known word are unrelated."""

    def __init__(self, space: ConceptSpace) -> None:
        self.space = space
        self._vector = lru_cache(maxsize=CACHED_TERMS)(self._computed_vector)
        self._score = remembered(self._computed_score)  # quicker than a matrix of one

    def __reduce__(self) -> tuple[object, ...]:
        return Esa, (self.space,)

    @property
    def identity(self) -> str:
        """What tells this measure's scores from another's."""
        return f"esa {self.space.manifest.identity}"

    def score(self, left: str, right: str) -> float:
        """How related two terms are."""
        return self._score(left, right)

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair, by one product of sparse matrices."""
        products = self.vectors(left) @ self.vectors(right).T
        scores: Scores = np.clip(products.toarray(), 0.0, 1.0)
        set_identical(scores, left, right, _identities)
        return scores

    def vectors(self, terms: Sequence[str]) -> sparse.csr_array:
        """The unit vectors of terms, a row for each; empty for a term without a known word."""
        vectors = [self._vector(term) for term in terms]
        starts = np.concatenate([[0], np.cumsum([len(vector.concepts) for vector in vectors])])
        concepts = [vector.concepts for vector in vectors] or [np.empty(0, np.int32)]
        weights = [vector.weights for vector in vectors] or [np.empty(0)]
        return sparse.csr_array(
            (np.concatenate(weights), np.concatenate(concepts), starts),
            shape=(len(terms), self.space.manifest.concepts),
        )

    def shared_concepts(self, left: str, right: str, most: int = 10) -> list[SharedConcept]:
        """The concepts behind a score, strongest first."""
        ours, theirs = self._vector(left), self._vector(right)
        concepts, at, there = np.intersect1d(ours.concepts, theirs.concepts, return_indices=True)
        products = ours.weights[at] * theirs.weights[there]
        strongest = np.argsort(-products, kind="stable")[:most]
        return [
            SharedConcept(self.space.title(int(concepts[i])), float(products[i])) for i in strongest
        ]

    def _computed_score(self, left: str, right: str) -> float:
        if not _identities(left).isdisjoint(_identities(right)):
            return 1.0
        ours, theirs = self._vector(left), self._vector(right)
        _, at, there = np.intersect1d(
            ours.concepts, theirs.concepts, assume_unique=True, return_indices=True
        )
        return float(np.clip(ours.weights[at] @ theirs.weights[there], 0.0, 1.0))

    def _computed_vector(self, term: str) -> _Vector:
        """The centroid of a term's words, of length 1; empty when no word is known."""
        numbers = [self.space.find(stem) for stem in stems_of_term(term)]
        rows = [self.space.row(number) for number in numbers if number is not None]
        if not rows:
            return _Vector(np.empty(0, np.int32), np.empty(0, np.float64))
        concepts, places = np.unique(
            np.concatenate([row.concepts for row in rows]), return_inverse=True
        )
        weights = np.bincount(places, np.concatenate([row.weights for row in rows]).astype(float))
        return _Vector(concepts, weights / np.linalg.norm(weights))


@dataclass(frozen=True, slots=True)
class _Vector:
    concepts: NDArray[np.int32]
    weights: NDArray[np.float64]


def _identities(term: str) -> set[Hashable]:
    """What makes terms the same: their folded text, or their stems in order."""
    stems = stems_of_term(term)
    return {folded(term), stems} if stems else {folded(term)}
