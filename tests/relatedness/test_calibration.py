import random
from pathlib import Path

import numpy as np
import pytest

from purport.errors import InvalidInput, UnusablePath
from purport.relatedness.calibration import Calibration
from purport.relatedness.catalogue import MeasureSettings
from purport.relatedness.fitting import RatedPair, RatedPairs, calibrate, left_out_parts
from purport.relatedness.word_features import FEATURES, WordFeatures

WORDS = (
    "car garage parking energy power laptop computer room floor weather wind rain temperature heat "
    "cold noise sound street road city building office school teacher student doctor nurse bread "
    "butter king queen moon star sun water river"
).split()


@pytest.fixture(scope="module")
def features() -> WordFeatures:
    settings = MeasureSettings()
    return WordFeatures(settings.esa(), settings.wordnet())


def drawn_pairs(count: int, seed: int = 5) -> list[tuple[str, str]]:
    drawn = random.Random(seed)
    return [(left, right) for left, right in (drawn.sample(WORDS, 2) for _ in range(count))]


def test_features_of_many_pairs_are_those_of_each(features: WordFeatures) -> None:
    words = [*WORDS[:12], "xyzzy", "car park"]
    table = features.matrix(words, words[::-1])

    assert table.shape == (14, 14, len(FEATURES))
    for row, left in enumerate(words):
        for column, right in enumerate(words[::-1]):
            alone = features.matrix([left], [right])[0, 0]
            assert table[row, column] == pytest.approx(alone, nan_ok=True)
    assert np.isnan(table[12]).all()


def test_what_was_to_be_learnt_is_learnt(features: WordFeatures) -> None:
    truth = Calibration(5.0, dict(zip(FEATURES, (0.9, 0.4, -0.1, 1.0), strict=True)))
    pairs = drawn_pairs(400)
    rated = tuple(
        RatedPair(left, right, float(truth.probabilities(features.matrix([left], [right]))[0, 0]))
        for left, right in pairs
    )

    report = calibrate(features, [RatedPairs("true", rated)], background=0)

    assert report.calibration.fitted_on == {"true": 400}
    assert report.agreements[0].calibrated > 0.99
    for step in report.reliability:
        assert step.predicted == pytest.approx(step.rated, abs=0.03)


def test_what_cannot_be_learnt_is_not_reported_as_learnt(features: WordFeatures) -> None:
    drawn = random.Random(1)
    rated = tuple(RatedPair(left, right, drawn.random()) for left, right in drawn_pairs(300))

    report = calibrate(features, [RatedPairs("noise", rated)], background=0)

    assert report.agreements[0].calibrated < 0.2


def test_the_same_pair_in_two_files_is_left_out_of_both() -> None:
    pairs = [RatedPair(left, right, 0.5) for left, right in drawn_pairs(60)]
    turned = [RatedPair(pair.right.upper(), pair.left, 0.5) for pair in pairs]

    parts = list(left_out_parts([*pairs, *turned], folds=7, seed=3))

    assert sorted(number for part in parts for number in part) == list(range(120))
    for part in parts:
        inside = {([*pairs, *turned])[number].words for number in part}
        outside = set(range(120)) - set(part)
        assert inside.isdisjoint(([*pairs, *turned])[number].words for number in outside)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [(("xyzzy", "plugh"), "0 of 30 rated pairs have words"), (("qqq", "qqq"), "0 of 30 rated")],
)
def test_ratings_of_words_that_nobody_knows_are_refused(
    features: WordFeatures, words: tuple[str, str], complaint: str
) -> None:
    rated = tuple(RatedPair(*words, number / 30) for number in range(30))

    with pytest.raises(InvalidInput, match=complaint):
        calibrate(features, [RatedPairs("unknown", rated)])


def test_a_calibration_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    own = Calibration.read()
    own.write(path)

    assert Calibration.read(path) == own


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not a calibration"),
        ('{"intercept": 1.0, "weights": {"concepts": 1.0}}', "weights must be given for concepts"),
        ('{"intercept": 1.0, "weight": {}}', "is not a calibration"),
    ],
)
def test_a_file_that_is_no_calibration_is_told(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "c.json").write_text(text)

    with pytest.raises(InvalidInput, match=complaint):
        Calibration.read(tmp_path / "c.json")


def test_a_calibration_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnusablePath, match="No such file"):
        Calibration.read(tmp_path / "c.json")


def test_rated_pairs_come_on_any_scale_and_separator(tmp_path: Path) -> None:
    lines = [f"word{number}\tother thing\t{number % 5}" for number in range(30)]
    (tmp_path / "tabs.txt").write_text("# about\n\n" + "\n".join(lines))
    (tmp_path / "spaces.txt").write_text(
        "\n".join(line.replace("\t", " ").replace("other ", "") for line in lines)
    )

    tabs = RatedPairs.read(tmp_path / "tabs.txt")
    spaces = RatedPairs.read(tmp_path / "spaces.txt")

    assert tabs.pairs[4] == RatedPair("word4", "other thing", 1.0)
    assert spaces.pairs[3] == RatedPair("word3", "thing", 0.75)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("car garage\n" * 30, "line 1: expected a word, a word and a rating"),
        ("car garage 5\n" * 5, "5 rated pairs; 20 are the fewest"),
        ("car garage 5\n" * 25, "all pairs are rated alike"),
        ("car garage 5\ncar bus -1\n", "line 2: expected a word, a word and a rating from 0"),
        ("car garage nan\n", "line 1: expected"),
    ],
)
def test_files_that_hold_no_ratings_are_told(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "pairs.txt").write_text(text)

    with pytest.raises(InvalidInput, match=complaint):
        RatedPairs.read(tmp_path / "pairs.txt")
