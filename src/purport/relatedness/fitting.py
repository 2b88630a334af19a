"""Fitting the calibration to human ratings of word pairs.

The parameters are those that make the ratings likeliest, brought to [0, 1] as the shares of people
who find the words related. Rated pairs are picked to be more or less related; pairs drawn at random
from the same words are added as unrelated, since events are full of those.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import spearmanr

from purport.errors import InvalidInput
from purport.model.text_file import read_text
from purport.relatedness.calibration import Calibration, Values
from purport.relatedness.phrases import value_phrase
from purport.relatedness.word_features import FEATURES, WordFeatures

_SHRINKAGE = 1e-4
_FEWEST_PAIRS = 20


@dataclass(frozen=True, slots=True)
class RatedPair:
    """Two words and how related people found them, from 0 to 1."""

    left: str
    right: str
    rating: float

    @property
    def words(self) -> frozenset[str]:
        """The words without their order and case."""
        return frozenset((self.left.lower(), self.right.lower()))


@dataclass(frozen=True, slots=True)
class RatedPairs:
    """The pairs of one file."""

    name: str
    pairs: tuple[RatedPair, ...]

    @classmethod
    def read(cls, path: Path) -> RatedPairs:
        """Pairs from lines of a word, another and a rating, by tabs, commas or spaces.

        Ratings may be on any scale from 0; the highest of a file becomes 1.
        """
        rows = [
            _rated(line, f"{path}, line {number}")
            for number, line in enumerate(read_text(path).splitlines(), 1)
            if line.strip() and not line.startswith("#")
        ]
        if len(rows) < _FEWEST_PAIRS:
            raise InvalidInput(f"{path}: {len(rows)} rated pairs; {_FEWEST_PAIRS} are the fewest")
        highest = max(row.rating for row in rows)
        if min(row.rating for row in rows) == highest:
            raise InvalidInput(f"{path}: all pairs are rated alike: nothing to learn from")
        scaled = (RatedPair(row.left, row.right, row.rating / highest) for row in rows)
        return cls(path.name, tuple(scaled))


def _rated(line: str, where: str) -> RatedPair:
    separator = next((mark for mark in ("\t", ",") if mark in line), None)
    fields = [field.strip() for field in line.split(separator)]
    try:
        left, right, rating = fields
        number = float(rating)
        if not left or not right or not 0 <= number < float("inf"):
            raise ValueError(line)
    except ValueError:
        raise InvalidInput(
            f"{where}: expected a word, a word and a rating from 0, found {line.strip()!r}"
        ) from None
    return RatedPair(left, right, number)


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Pairs with about the same predicted probability, and how related people found them."""

    predicted: float
    rated: float
    pairs: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well predictions order the pairs of one file as people do (Spearman)."""

    name: str
    pairs: int
    calibrated: float
    esa: float


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """What came of a calibration: every prediction is for a pair that was not fitted on."""

    calibration: Calibration
    agreements: tuple[Agreement, ...]
    reliability: tuple[ReliabilityBin, ...]


def calibrate(
    features: WordFeatures,
    files: Sequence[RatedPairs],
    *,
    folds: int = 20,
    background: int = 1000,
    seed: int = 1,
) -> CalibrationReport:
    """Fit on all pairs; report on pairs left out, fold by fold."""
    rated = [pair for file in files for pair in file.pairs]
    every = [*rated, *_background(rated, background, seed)]
    values = _features_of(features, every)
    ratings = np.array([pair.rating for pair in every])
    known = int(np.sum(~np.isnan(values[: len(rated)]).any(axis=1)))
    if known < _FEWEST_PAIRS:
        raise InvalidInput(
            f"{known} of {len(rated)} rated pairs have words that are known; "
            f"{_FEWEST_PAIRS} are the fewest"
        )
    predicted = _left_out_predictions(
        values, ratings, left_out_parts(every, folds=folds, seed=seed)
    )
    return CalibrationReport(
        msgspec.structs.replace(
            _fitted(values, ratings),
            fitted_on={file.name: len(file.pairs) for file in files},
            background=len(every) - len(rated),
        ),
        tuple(_agreements(files, predicted, values[:, FEATURES.index("concepts")])),
        tuple(_reliability(predicted, ratings)),
    )


def _features_of(features: WordFeatures, pairs: Sequence[RatedPair]) -> Values:
    rows = []
    for pair in pairs:
        left, right = (" ".join(value_phrase(term)) for term in (pair.left, pair.right))
        rows.append(features.matrix([left], [right])[0, 0])
    return np.array(rows)


def _background(rated: Sequence[RatedPair], count: int, seed: int) -> list[RatedPair]:
    """Pairs drawn from the words of rated ones that nobody rated, as unrelated."""
    words = sorted({word for pair in rated for word in pair.words})
    if len(words) < 2:
        return []
    known = {pair.words for pair in rated}
    drawn = random.Random(seed)
    pairs = (drawn.sample(words, 2) for _ in range(count))
    unrated = [RatedPair(left, right, 0.0) for left, right in pairs]
    return [pair for pair in unrated if pair.words not in known]


def _fitted(values: Values, ratings: Values) -> Calibration:
    """The parameters that make the ratings likeliest; pairs with unknown words are left out."""
    is_known = ~np.isnan(values).any(axis=1)
    inputs = np.column_stack([np.ones(is_known.sum()), values[is_known]])
    targets = ratings[is_known]

    def cost(weights: Values) -> tuple[float, Values]:
        logits = inputs @ weights
        loss = float(np.mean(np.logaddexp(0, logits) - targets * logits))
        slope = inputs.T @ (expit(logits) - targets) / len(targets)
        shrunk = np.concatenate([[0.0], weights[1:]])
        return loss + _SHRINKAGE * float(shrunk @ shrunk) / 2, slope + _SHRINKAGE * shrunk

    found = minimize(cost, np.zeros(inputs.shape[1]), jac=True, method="L-BFGS-B")
    intercept, *weights = (round(float(weight), 6) for weight in found.x)
    return Calibration(intercept, dict(zip(FEATURES, weights, strict=True)))


def _left_out_predictions(
    values: Values, ratings: Values, parts: Iterable[Sequence[int]]
) -> Values:
    """For each pair, what parameters say that were fitted without it."""
    predicted = np.zeros(len(ratings))
    for left_out in parts:
        kept = np.setdiff1d(np.arange(len(ratings)), left_out)
        calibration = _fitted(values[kept], ratings[kept])
        predicted[left_out] = calibration.probabilities(values[left_out])
    return predicted


def left_out_parts(pairs: Sequence[RatedPair], *, folds: int, seed: int) -> Iterator[list[int]]:
    """The numbers of pairs in parts; a pair that stands in several files is in one part only."""
    groups: dict[frozenset[str], list[int]] = {}
    for number, pair in enumerate(pairs):
        groups.setdefault(pair.words, []).append(number)
    order = list(groups.values())
    random.Random(seed).shuffle(order)
    for fold in range(folds):
        yield [number for group in order[fold::folds] for number in group]


def _agreements(files: Sequence[RatedPairs], predicted: Values, esa: Values) -> Iterator[Agreement]:
    start = 0
    for file in files:
        some = slice(start, start + len(file.pairs))
        ratings = [pair.rating for pair in file.pairs]
        unknown_last = np.nan_to_num(esa[some], nan=-np.inf)
        yield Agreement(
            file.name,
            len(file.pairs),
            float(spearmanr(predicted[some], ratings).statistic),
            float(spearmanr(unknown_last, ratings).statistic),
        )
        start += len(file.pairs)


def _reliability(predicted: Values, ratings: Values, bins: int = 10) -> Iterator[ReliabilityBin]:
    """Pairs by predicted probability, in steps of the same width."""
    places = np.minimum((predicted * bins).astype(int), bins - 1)
    for place in np.unique(places):
        at = places == place
        yield ReliabilityBin(
            float(predicted[at].mean()), float(ratings[at].mean()), int(np.sum(at))
        )
