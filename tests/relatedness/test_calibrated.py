"""The default measure, over the default space and WordNet."""

import numpy as np
import pytest

from benchmarks.attribute_pairs import attribute_pairs, is_first
from purport.relatedness.attribute_names import abbreviations, attribute_phrase
from purport.relatedness.calibrated import Calibrated, mean_over_asked
from purport.relatedness.catalogue import MeasureSettings
from purport.relatedness.measure import Measure
from purport.relatedness.phrases import Best
from tests.contracts.measure import MeasureContract


@pytest.fixture(scope="module")
def calibrated() -> Calibrated:
    return MeasureSettings().calibrated()


class TestCalibratedValues(MeasureContract):
    @pytest.fixture
    def measure(self, calibrated: Calibrated) -> Measure:
        return calibrated


class TestCalibratedAttributes(MeasureContract):
    is_symmetric = False

    @pytest.fixture
    def measure(self, calibrated: Calibrated) -> Measure:
        return calibrated.attributes


def test_related_words_are_likely_and_others_are_not(calibrated: Calibrated) -> None:
    for left, right in (("laptop", "computer"), ("car park", "parking"), ("noise", "sound")):
        assert calibrated.score(left, right) > 0.8
    for left, right in (("laptop", "weather"), ("parking", "energy"), ("spoon", "parliament")):
        assert calibrated.score(left, right) < 0.2


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("room 112", "room 113"),
        ("first floor", "second floor"),
        ("10th century", "11th century"),
        ("hot water", "cold water"),
        ("open window", "close window"),
        ("window opened", "window closed"),
        ("light on", "light off"),
        ("3.5 m", "5.3 m"),
        ("version 1.2", "version 2.1"),
        ("-5 degrees", "5 degrees"),
        ("room 12 on floor 3", "room 3 on floor 12"),
        ("room 112", "room 112a"),
        ("2021-03-12", "2021-12-03"),
        ("192.168.1.2", "192.168.2.1"),
        ("indoor sensor", "outdoor sensor"),
        ("start time", "end time"),
        ("match in Spain", "match in France"),
        ("Monday", "Tuesday"),
    ],
)
def test_different_numbers_names_and_opposites_do_not_match(
    calibrated: Calibrated, left: str, right: str
) -> None:
    assert calibrated.score(left, right) == 0


def test_numbers_may_be_spelt_otherwise(calibrated: Calibrated) -> None:
    assert calibrated.score("phase 2", "second phase") == 1
    assert calibrated.score("room 07", "room 7") == 1
    assert calibrated.score("25", "25.0") == calibrated.score("1,000 m", "1000 m") == 1


def test_words_that_only_share_a_stem_are_not_the_same(calibrated: Calibrated) -> None:
    for left, right in (("university", "universe"), ("organ", "organization"), ("news", "new")):
        assert calibrated.score(left, right) < 0.5
    for left, right in (("organize", "organization"), ("heating", "heat"), ("doors", "door")):
        assert calibrated.score(left, right) == 1


def test_a_second_is_a_number_only_beside_other_words(calibrated: Calibrated) -> None:
    assert calibrated.score("seconds", "minute") > 0.5
    assert calibrated.score("seconds", "2") == 0


def test_a_guarded_word_that_has_its_equal_does_no_harm(calibrated: Calibrated) -> None:
    assert calibrated.score("Spain against France", "France against Spain") == 1
    assert calibrated.score("hot and cold water", "cold and hot water") == 1


def test_what_a_term_says_besides_does_not_keep_it_apart(calibrated: Calibrated) -> None:
    assert calibrated.score("microwave", "microwave oven") > 0.9
    assert calibrated.attributes.score("start time", "start_end_time") > 0.8


def test_a_name_of_several_common_words_is_a_name(calibrated: Calibrated) -> None:
    assert calibrated.score("Ireland", "United Kingdom") == 0
    assert calibrated.score("kingdom", "United Kingdom") > 0


def test_a_value_is_as_strong_as_its_weakest_word(calibrated: Calibrated) -> None:
    assert calibrated.score("old laptop", "old computer") == pytest.approx(
        calibrated.score("laptop", "computer")
    )
    assert calibrated.score("laptop", "laptop in parliament") < 0.2


def test_doubts_about_a_name_weigh_less_and_remain() -> None:
    scores = np.linspace(0.0, 1.0, 21)[None]
    one = Best(scores, np.array([0]), np.array([1]))
    each = Best(np.ones((1, 21)), np.arange(21), np.ones(21, np.int64))

    raised = mean_over_asked(one, each)

    assert np.all(np.diff(raised[0]) > 0)
    assert np.all(raised >= scores)
    assert np.array_equal(raised >= 0.5, scores >= 0.5)
    assert raised[0, [0, 10, 20]].tolist() == [0, 0.5, 1]


def test_an_attribute_may_say_more_than_was_asked_for(calibrated: Calibrated) -> None:
    score = calibrated.attributes.score

    assert score("temperature", "outdoor_temp_C") > 0.9
    assert score("temperature", "temp") == 1
    assert score("energy", "total_import_kwh") > 0.9
    assert score("voltage of phase 2", "Voltage_AC_Phase_2") > score(
        "voltage of phase 2", "Voltage_AC_Phase_1"
    )


def test_names_of_other_quantities_and_numbers_do_not_answer(calibrated: Calibrated) -> None:
    score = calibrated.attributes.score

    assert score("temperature", "humidity") == score("latitude", "longitude") == 0
    assert score("PM10", "pm2_5") == score("voltage of phase 2", "voltage_l1_v") == 0
    assert score("PM2.5", "pm2_5") == 1
    assert score("fine dust", "pm25") > score("fine dust", "pm10")


def test_the_right_key_of_real_payloads_comes_first_in_four_of_five(calibrated: Calibrated) -> None:
    pairs = attribute_pairs()
    first = sum(is_first(calibrated.attributes, pair) for pair in pairs)

    assert len(pairs) == 60
    assert all(len(pair.keys) >= 10 for pair in pairs)
    assert first >= 0.8 * len(pairs)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ayto:temperature", ("temperature",)),
        ("windDirDeg", ("wind", "direction")),
        ("wind_avg_km_h", ("wind", "average", "speed")),
        ("temperature_2_C", ("temperature", "2")),
        ("total_power_import_kwh", ("total", "power", "import", "energy")),
        ("active_liter_lpm", ("active", "liter", "lpm")),
        ("batt_pct", ("battery",)),
        ("sensorDataPoints.humidity.percentage", ("sensor", "point", "humidity")),
        ("value", ("value",)),
        ("", ()),
    ],
)
def test_names_are_read_as_words(name: str, words: tuple[str, ...]) -> None:
    assert attribute_phrase(name) == words


def test_the_table_of_short_forms_is_in_order() -> None:
    assert all(short.islower() or short[-1].isdigit() for short in abbreviations())
    assert list(abbreviations()) == sorted(abbreviations())
    assert all(long for long in abbreviations().values())
