"""Competition between registered terms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.relatedness.catalogue import load_measure
from purport.relatedness.competition import Competing, RegisteredTerms
from purport.relatedness.measure import Measure
from purport.relatedness.score_table import ScoreTable
from tests.contracts.measure import MeasureContract
from tests.oracles.competition import PlainCompetition
from tests.strategies.approximate import Steps

words = st.sampled_from("car bus taxi lorry van tram 停车场 Bus room".split())
several = st.lists(words, max_size=6)
rivalries = st.sampled_from([0.0, 0.2, 0.75, 3.0])


def registered(*terms: str) -> RegisteredTerms:
    found = RegisteredTerms()
    for term in terms:
        found.add(term)
    return found


@pytest.fixture(scope="module")
def calibrated() -> Measure:
    return load_measure("calibrated")


class TestCompeting(MeasureContract):
    is_symmetric = False

    @pytest.fixture
    def measure(self, calibrated: Measure) -> Measure:
        return Competing(calibrated, [registered("garage", "room 112")], 0.75)


@given(words, words, several, rivalries)
def test_a_term_that_competes_with_nobody_keeps_its_score(
    asked: str, told: str, others: list[str], rivalry: float
) -> None:
    for rivals in (registered(), registered(asked, asked)):
        alone = Competing(Steps(), [rivals], rivalry)
        assert alone.score(asked, told) == Steps().score(asked, told)
    assert Competing(Steps(), [registered(*others)], 0.0).score(asked, told) == pytest.approx(
        Steps().score(asked, told)
    )


@given(several, several, several, several, rivalries)
def test_scores_are_what_asking_every_registered_term_gives(
    asked: list[str], told: list[str], some: list[str], others: list[str], rivalry: float
) -> None:
    measure = Competing(ScoreTable(Steps()), [registered(*some), registered(*others)], rivalry)

    scores = measure.matrix(asked, told)

    wanted = PlainCompetition(Steps(), (*some, *others), rivalry).matrix(asked, told)
    assert scores == pytest.approx(wanted, abs=1e-6)
    assert np.all((scores >= 0) & (scores <= Steps().matrix(asked, told) + 1e-9))
    for row, one in enumerate(asked):
        assert all(scores[row, column] == 1 for column, other in enumerate(told) if one == other)


@given(several, several, several, words, rivalries)
def test_what_was_registered_and_taken_back_leaves_no_trace(
    asked: list[str], told: list[str], kept: list[str], gone: str, rivalry: float
) -> None:
    rivals = registered(*kept)
    measure = Competing(Steps(), [rivals], rivalry)
    before = measure.matrix(asked, told)

    rivals.add(gone)
    during = measure.matrix(asked, told)
    rivals.remove(gone)

    assert np.array_equal(measure.matrix(asked, told), before)
    assert np.all(during <= before + 1e-9)


def test_a_term_stays_registered_until_it_is_taken_back_as_often_as_it_was_put_in() -> None:
    rivals = registered("bus", "bus")

    rivals.remove("bus")
    assert list(rivals) == ["bus"]
    rivals.remove("bus")
    assert list(rivals) == []
    with pytest.raises(KeyError):
        rivals.remove("bus")


def test_the_better_explanation_wins_and_the_other_is_discounted(calibrated: Measure) -> None:
    measure = Competing(calibrated, [registered("laptop", "printer")], 0.75)

    assert measure.score("laptop", "notebook") == pytest.approx(
        calibrated.score("laptop", "notebook")
    )
    told = "portable computer"
    assert measure.score("printer", told) < 0.5 < calibrated.score("printer", told)


def test_a_word_is_asked_about_once_while_the_same_terms_are_registered() -> None:
    class Counting(Steps):
        asked = 0

        def matrix(self, left, right):  # type: ignore[no-untyped-def]
            Counting.asked += len(left) * len(right)
            return super().matrix(left, right)

    rivals = registered("car", "bus")
    measure = Competing(Counting(), [rivals], 1.0)
    measure.score("car", "taxi")
    assert Counting.asked == 3
    measure.score("bus", "taxi")
    assert Counting.asked == 4
    rivals.add("car")
    measure.score("bus", "taxi")
    assert Counting.asked == 5
    rivals.add("tram")
    measure.score("bus", "taxi")
    assert Counting.asked == 9
