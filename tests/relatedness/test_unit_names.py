"""Units in words, over WordNet."""

import numpy as np
import pytest

from purport.relatedness.calibrated import Calibrated
from purport.relatedness.catalogue import MeasureSettings
from purport.relatedness.unit_names import UnitNames


@pytest.fixture(scope="module")
def calibrated() -> Calibrated:
    return MeasureSettings().calibrated()


@pytest.fixture(scope="module")
def units() -> UnitNames:
    return UnitNames(MeasureSettings().wordnet())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("square kilometre", "km2"),
        ("gram per cubic metre", "g/m³"),
        ("metres a second", "m/s"),
        ("watt hours", "Wh"),
        ("newton metre", "newton meter"),
        ("per cent", "%"),
        ("parts per billion", "ppb"),
        ("thousand metres", "km"),
        ("fahrenheit degrees", "°F"),
    ],
)
def test_a_unit_is_the_same_however_it_is_written(
    calibrated: Calibrated, one: str, other: str
) -> None:
    assert calibrated.score(one, other) == calibrated.score(other, one) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("watt", "metre"), ("gram per litre", "mile per hour"), ("ppb", "volt")]
)
def test_units_of_different_quantities_do_not_match(
    calibrated: Calibrated, one: str, other: str
) -> None:
    assert calibrated.score(one, other) == 0


def test_units_of_one_quantity_are_as_near_as_their_words(calibrated: Calibrated) -> None:
    assert 0 < calibrated.score("mile", "kilometer") < 1
    assert calibrated.score("watt hour", "watt per hour") == 1


@pytest.mark.parametrize(
    "term", ["", "cat", "room", "second floor", "watt cat", "per hour", "parts per room", "a" * 99]
)
def test_other_words_are_no_units(units: UnitNames, term: str) -> None:
    assert units.named(term) is None


def test_common_words_with_other_meanings_are_not_made_the_same(calibrated: Calibrated) -> None:
    assert calibrated.score("turn", "cycle") < 1


def test_the_matrix_decides_on_units_as_the_score_does(calibrated: Calibrated) -> None:
    terms = ["km2", "square kilometre", "watt", "kilometre", "room 3", "mile"]

    matrix = calibrated.matrix(terms, terms)

    pairwise = [[calibrated.score(one, other) for other in terms] for one in terms]
    assert matrix == pytest.approx(np.array(pairwise))
