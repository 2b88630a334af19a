"""The protocols of measures: how related are two terms?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from purport.errors import InvalidInput

Scores = NDArray[np.float64]
_REMEMBERED_PAIRS = 1_000_000
_ROUNDING = 1e-6  # by which a score may be beyond 0 and 1

PairScore = Callable[[str, str], float]
Key = TypeVar("Key", bound=Hashable)


class Measure(Protocol):
    """How related two terms are: 0 is unrelated, 1 is the same meaning.

    Pure, deterministic and picklable; terms that say the same words score 1.
    """

    def score(self, left: str, right: str) -> float:
        """How related two terms are."""

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair; row i, column j is `score(left[i], right[j])`."""


@runtime_checkable
class EventMeasure(Measure, Protocol):
    """Ranks an attribute among those of one event: a score depends on what else is there.

    As a measure it scores values.
    """

    def rows(self, attribute: str, event_attributes: Sequence[str]) -> Scores:
        """How well each of an event's attributes answers the one asked for."""

    def candidates(self, attribute: str, event_attributes: Sequence[str]) -> NDArray[np.bool_]:
        """Which of an event's attributes may answer at all; the others score 0."""


def require_measure(measure: object) -> None:
    """Raise when an object is no measure."""
    can = all(callable(getattr(measure, name, None)) for name in ("score", "matrix"))
    if isinstance(measure, type) or not can:
        raise InvalidInput(
            "a measure is a name, or an object with score(a, b) and matrix(as, bs), "
            f"got {measure!r:.80}"
        )


def checked_scores(measure: Measure, left: Sequence[str], right: Sequence[str]) -> Scores:
    """The scores of every pair, which are from 0 to 1; `InvalidInput` if a measure says otherwise.

    What rounding puts beyond them is put back.
    """
    scores = np.asarray(measure.matrix(left, right))
    name, shape = type(measure).__name__, (len(left), len(right))
    if scores.shape != shape or scores.dtype.kind not in "fiub":
        raise InvalidInput(
            f"the measure {name} gave {scores.dtype} of shape {scores.shape}, expected numbers of "
            f"shape {shape}"
        )
    wrong = np.argwhere(~((scores >= -_ROUNDING) & (scores <= 1 + _ROUNDING)))
    if len(wrong):
        row, column = wrong[0]
        raise InvalidInput(
            f"the measure {name} gave {scores[row, column]} for {left[row]!r:.60} and "
            f"{right[column]!r:.60}, expected a number from 0 to 1"
        )
    return np.clip(scores, 0.0, 1.0).astype(np.float64, copy=False)


@runtime_checkable
class HasAttributeMeasure(Protocol):
    """A measure that reads attribute names otherwise than values."""

    @property
    def attributes(self) -> Measure:
        """The measure for names: asked for on the left, found in an event on the right."""


def attribute_measure(measure: Measure) -> Measure:
    """What a measure compares attribute names with; itself, if it makes no difference."""
    return measure.attributes if isinstance(measure, HasAttributeMeasure) else measure


@runtime_checkable
class HasIdentity(Protocol):
    """A measure whose scores can be kept: it says what tells them from another's."""

    @property
    def identity(self) -> str:
        """A text that differs where scores may; the same in every process."""


def identity_of(measure: Measure) -> str:
    """What tells a measure's scores from another's; `InvalidInput` if it does not say."""
    identity = measure.identity if isinstance(measure, HasIdentity) else None
    if not isinstance(identity, str):
        raise InvalidInput("this measure does not say its identity, by which its scores are kept")
    return identity


def score_by(matrix: Callable[[Sequence[str], Sequence[str]], Scores]) -> PairScore:
    """What gives the score of one pair by a matrix of its own, and remembers it."""
    return remembered(lambda left, right: float(matrix([left], [right])[0, 0]))


def remembered(score: PairScore) -> PairScore:
    """What gives the same scores of pairs, and computes each once."""
    return lru_cache(maxsize=_REMEMBERED_PAIRS)(score)


def set_identical(
    scores: Scores,
    left: Sequence[str],
    right: Sequence[str],
    identities: Callable[[str], set[Hashable]],
) -> None:
    """Set the scores of terms that share an identity to 1."""
    columns = places_of(map(identities, right))
    for row, term in enumerate(left):
        for key in identities(term):
            scores[row, columns.get(key, [])] = 1.0


def places_of(keys: Iterable[Iterable[Key]]) -> dict[Key, list[int]]:
    """The places at which each key stands, of which there may be several at one."""
    places: dict[Key, list[int]] = {}
    for place, several in enumerate(keys):
        for one in several:
            places.setdefault(one, []).append(place)
    return places
