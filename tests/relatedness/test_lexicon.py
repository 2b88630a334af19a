import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import load_measure
from purport.errors import UnusablePath
from purport.model.units import find_unit
from purport.relatedness.exact import Exact
from purport.relatedness.lexicon import Lexicon, LexiconError, LexiconFile
from purport.relatedness.measure import EventMeasure, Measure, attribute_measure, identity_of
from purport.relatedness.under_lexicon import WithLexicon
from tests.contracts.event_measure import EventMeasureContract
from tests.contracts.measure import MeasureContract

LEXICON = """\
# what we say in our house
treat car park as parking
treat parking as garage   # and so is a car park
apple is never fruit
hum is short for humidity
outdoor temp is in °F
"""


class TestWithLexicon(MeasureContract):
    @pytest.fixture
    def measure(self) -> Measure:
        return load_measure("calibrated", lexicon=Lexicon.parse(LEXICON))


class TestAttributesWithLexicon(MeasureContract):
    is_symmetric = False

    @pytest.fixture
    def measure(self) -> Measure:
        return attribute_measure(load_measure("calibrated", lexicon=Lexicon.parse(LEXICON)))


class TestHybridWithLexicon(EventMeasureContract):
    @pytest.fixture
    def measure(self) -> EventMeasure:
        found = load_measure("hybrid", lexicon=Lexicon.parse(LEXICON))
        assert isinstance(found, EventMeasure)
        return found


def test_an_event_measure_is_under_the_lexicon_too() -> None:
    lexicon = Lexicon.parse("treat apparatus as device\nroom is never floor")
    measure = load_measure("hybrid", lexicon=lexicon)
    assert isinstance(measure, EventMeasure)

    assert measure.rows("apparatus", ["room", "device"])[1] == 1
    assert measure.rows("floor", ["room", "device"])[0] == 0
    assert load_measure("hybrid").rows("floor", ["room", "device"])[0] > 0  # type: ignore[attr-defined]


def test_a_term_is_treated_as_another_wherever_it_stands() -> None:
    measure = WithLexicon(Exact(), Lexicon.parse(LEXICON))

    assert measure.score("car park", "garage") == 1
    assert measure.score("large carPark", "large garage") == 1
    assert measure.score("car", "garage") == 0


def test_some_pairs_never_match_both_ways() -> None:
    measure = load_measure("calibrated", lexicon=Lexicon.parse(LEXICON))

    assert load_measure("calibrated").score("apple", "fruit") > 0.3
    assert measure.score("apples", "Fruit") == measure.score("fruit", "apple") == 0
    assert measure.matrix(["apple", "pear"], ["fruit", "apple"])[0].tolist() == [0, 1]


def test_never_holds_within_terms_and_names() -> None:
    lexicon = Lexicon.parse("red is never blue\npower is never energy")
    measure = load_measure("calibrated", lexicon=lexicon)

    assert measure.score("red car", "blue car") == 0
    assert measure.score("red and blue", "blue and red") == 1
    names = attribute_measure(measure)
    assert names.score("power", "energyTotal") == names.score("power_kw", "energy") == 0


def test_short_forms_and_units_bear_on_names() -> None:
    lexicon = Lexicon.parse("pwrcon is short for consumption\nflux is in kWh")
    plain = attribute_measure(load_measure("calibrated"))
    measure = attribute_measure(load_measure("calibrated", lexicon=lexicon))

    assert plain.score("consumption", "pwrcon") == 0
    assert measure.score("consumption", "pwrcon_kWh") > 0.9
    assert measure.score("energy", "flux") > 0.9 > plain.score("energy", "flux")


def test_the_unit_of_an_attribute_is_told() -> None:
    lexicon = Lexicon.parse(LEXICON)

    assert lexicon.unit_of("outdoorTemp") == find_unit("°F")
    assert lexicon.unit_of("indoorTemp") is None


def test_the_rules_that_bear_on_phrases_are_shown() -> None:
    lexicon = Lexicon.parse(LEXICON)

    assert [str(rule) for rule in lexicon.rules_about(("car", "park"), ("apple",), ("fruit",))] == [
        "treat car park as parking (line 2)",
        "apple is never fruit (line 4)",
    ]
    assert [rule.line for rule in lexicon.rules_about(("hum",), ("outdoor", "temp"))] == [5, 6]
    assert lexicon.rules_about(("laptop",), ("computer",)) == []


@pytest.mark.parametrize("name", ["exact", "esa", "wordnet", "embedding", "calibrated"])
def test_a_lexicon_without_rules_changes_nothing(name: str) -> None:
    plain, under = load_measure(name), load_measure(name, lexicon=Lexicon())
    names = ["temperature", "room_temperature_C", "phase_voltage_V", "value_kWh", "ayto:temp", ""]

    assert np.array_equal(plain.matrix(names, names), under.matrix(names, names))
    plain, under = attribute_measure(plain), attribute_measure(under)
    assert np.array_equal(plain.matrix(names, names), under.matrix(names, names))


def test_never_holds_for_names_with_units_and_short_forms() -> None:
    lexicon = Lexicon.parse("temperature is never heat")
    measure = attribute_measure(load_measure("calibrated", lexicon=lexicon))

    assert [measure.score("heat", name) for name in ("temperature", "temperature_C", "temp")] == [
        0, 0, 0,
    ]  # fmt: skip


def test_the_identity_is_the_same_in_every_process_and_tells_names_from_values() -> None:
    program = (
        "from purport.relatedness.lexicon import Lexicon\n"
        "print(Lexicon.parse('a b is never c d\\ntreat x as y\\nz is in kWh').identity)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    moved = Lexicon.parse("# elsewhere\n\ntreat x as y\nz is in kWh\nc d is never a b", "other")

    assert found == {moved.identity + "\n"}
    measure = WithLexicon(Exact(), moved)
    assert identity_of(measure) != identity_of(measure.attributes)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("car is like bus", r"lexicon, line 1: expected `treat X as Y`"),
        ("treat car as bus\ntreat car as tram", "line 2: this contradicts line 1"),
        ("hum is short for humidity\nhum is short for humming", "line 2: this contradicts line 1"),
        ("treat car as bus\ntreat bus as car", "the replacements lead in a circle"),
        ("treat car as cars", "line 1: a term is treated as itself already"),
        ("treat car as bus\ncar is never bus", "line 2: a term cannot be kept from itself"),
        ("car is never cars", "line 1: a term cannot be kept from itself"),
        ("flux is in kWh\nflux is in °C", "line 2: this contradicts line 1"),
        ("flux is in furlongs per moonlight", "line 1: nobody knows the unit"),
        ("treat ... as bus", "line 1: '...' has no word in it"),
        ("treat a as b c\ntreat c as a", "the replacements lead in a circle"),
        ("treat aaa as bbb\naaa is in °C\nbbb is in °F", "line 3: this contradicts line 2"),
    ],
)
def test_a_lexicon_that_is_wrong_or_contradicts_itself_is_told(text: str, complaint: str) -> None:
    with pytest.raises(LexiconError, match=complaint):
        Lexicon.parse(text)


def test_the_same_rule_twice_is_no_contradiction() -> None:
    assert Lexicon.parse("treat car as bus\ntreat cars as bus").rewritten(("car",)) == ("bus",)


def test_a_lexicon_is_read_again_when_it_changed(tmp_path: Path) -> None:
    path = tmp_path / "house.lexicon"
    path.write_text("treat car as bus")
    file = LexiconFile(path)
    first = file.current()
    assert file.current() is first

    path.write_text("treat car as tram")
    os.utime(path, ns=(1, 1))
    assert file.current().rewritten(("car",)) == ("tram",)

    path.write_text("nonsense")
    assert file.current().rewritten(("car",)) == ("tram",)
    assert "line 1" in str(file.error)
    path.unlink()
    assert file.current().rewritten(("car",)) == ("tram",)
    path.write_text("treat car as boat")
    assert file.current().rewritten(("car",)) == ("boat",)
    assert file.error is None


def test_a_lexicon_that_is_not_there_or_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnusablePath, match="No such file"):
        Lexicon.read(tmp_path / "none")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(UnusablePath, match="not UTF-8"):
        Lexicon.read(tmp_path / "bytes")


def test_what_replacements_lead_to_is_replaced_as_well() -> None:
    lexicon = Lexicon.parse("treat sofa as long seat\ntreat seat as chair\ntreat park as car park")

    assert lexicon.rewritten(("sofa",)) == lexicon.rewritten(("long", "seat")) == ("long", "chair")
    assert lexicon.rewritten(("car", "park")) == lexicon.rewritten(("park",)) == ("car", "park")
    units = Lexicon.parse("treat outside temp as outdoor temp\noutdoor temp is in °F")
    assert units.unit_of("outside_temp") == find_unit("°F")


WORDS = ("car", "bus", "tram", "park", "room")
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(tuple)


@given(st.lists(st.tuples(phrases, phrases), max_size=4), st.lists(phrases, max_size=5))
def test_matrix_and_pairs_agree_under_any_lexicon(
    rules: list[tuple[tuple[str, ...], tuple[str, ...]]], terms: list[tuple[str, ...]]
) -> None:
    lines = [
        f"{'treat ' if number % 2 else ''}{' '.join(left)} "
        f"{'as' if number % 2 else 'is never'} {' '.join(right)}"
        for number, (left, right) in enumerate(rules)
    ]
    try:
        lexicon = Lexicon.parse("\n".join(lines))
    except LexiconError:
        return
    for left, right in rules[1::2]:
        assert lexicon.rewritten(left) == lexicon.rewritten(right)
    for term in terms:
        assert lexicon.rewritten(lexicon.rewritten(term)) == lexicon.rewritten(term)
    measure = WithLexicon(Exact(), lexicon)
    texts = [" ".join(term) for term in terms]
    pairwise = [[measure.score(left, right) for right in texts] for left in texts]

    assert np.array_equal(
        measure.matrix(texts, texts), np.array(pairwise).reshape(len(texts), len(texts))
    )
