"""What every measure of terms promises."""

import pickle
from collections.abc import Sequence

import numpy as np
import pytest

from purport.relatedness.measure import Measure

TERMS: Sequence[str] = (
    "parking",
    "garage",
    "energy consumption",
    "increased energy consumption event",
    "parkingSpaces",
    "Parking",
    "wind_avg_km_h",
    "",
    "   ",
    "xyzzy",
    "停车场",
    "парковка",
    "112",
    "room 112",
    "a" * 5000,
    "word " * 500,
)


class MeasureContract:
    """A test class for a measure inherits this and gives a `measure`."""

    is_symmetric = True

    @pytest.fixture
    def measure(self) -> Measure:
        raise NotImplementedError

    def test_scores_lie_from_0_to_1(self, measure: Measure) -> None:
        scores = measure.matrix(TERMS, TERMS)

        assert scores.shape == (len(TERMS), len(TERMS))
        assert np.all((scores >= 0) & (scores <= 1))

    def test_a_term_is_fully_related_to_itself(self, measure: Measure) -> None:
        assert all(measure.score(term, term) == 1 for term in TERMS)
        assert measure.score("Ground  Floor", "ground floor") == 1

    def test_the_matrix_holds_the_scores_of_the_pairs(self, measure: Measure) -> None:
        pairwise = [[measure.score(left, right) for right in TERMS] for left in TERMS]

        assert measure.matrix(TERMS, TERMS) == pytest.approx(np.array(pairwise), abs=1e-6)

    def test_a_matrix_may_be_empty(self, measure: Measure) -> None:
        assert measure.matrix([], TERMS).shape == (0, len(TERMS))
        assert measure.matrix(TERMS, []).shape == (len(TERMS), 0)

    def test_scores_are_symmetric_where_that_is_claimed(self, measure: Measure) -> None:
        scores = measure.matrix(TERMS, TERMS)

        assert np.allclose(scores, scores.T, atol=1e-6) == self.is_symmetric

    def test_another_process_gives_the_same_scores(self, measure: Measure) -> None:
        copy = pickle.loads(pickle.dumps(measure))

        assert np.array_equal(copy.matrix(TERMS, TERMS), measure.matrix(TERMS, TERMS))

    def test_a_word_that_nobody_knows_is_related_to_nothing_else(self, measure: Measure) -> None:
        assert measure.score("xyzzy", "parking") == 0
