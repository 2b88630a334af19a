import pytest

from purport.model.term import Boolean, Resource, Text
from purport.model.units import Unit, find_unit
from purport.model.words import attribute_words, words_of


@pytest.mark.parametrize(
    ("name", "words", "unit"),
    [
        ("temperature_C", ("temperature",), "C"),
        ("windDirDeg", ("wind", "dir"), "degree"),
        ("battery_ok", ("battery", "ok"), None),
        ("wind_avg_km_h", ("wind", "avg"), "km/h"),
        ("temperature_2_C", ("temperature", "2"), "C"),
        ("total_power_import_t1_kwh", ("total", "power", "import", "t", "1"), "kWh"),
        ("active_current_l1_a", ("active", "current", "l", "1"), "A"),
        ("outsideTemperature.celsius", ("outside", "temperature"), "celsius"),
        ("ayto:temperature", ("temperature",), None),
        ("measurement unit", ("measurement", "unit"), None),
        ("no2_ug_m3", ("no2",), "µg/m3"),
        ("co2", ("co2",), None),
        ("HTTPServerErrors", ("http", "server", "error"), None),
        ("C", ("c",), None),
        ("temp_c", ("temp",), "°C"),
        ("speedKmh", ("speed",), "km/h"),
        ("energyKWh", ("energy",), "kWh"),
        ("temperature_min", ("temperature", "min"), None),
        ("pm2_5_ug_m3", ("pm25",), "µg/m3"),
        ("pm2.5", ("pm25",), None),
        ("vitamin C", ("vitamin", "c"), None),
    ],
)
def test_the_words_and_the_unit_of_a_payload_name(
    name: str, words: tuple[str, ...], unit: str | None
) -> None:
    found = attribute_words(Text(name))

    assert found.words == words
    expected = find_unit(unit) if unit else None
    assert _size(found.unit) == _size(expected)


def _size(unit: Unit | None) -> tuple[object, ...]:
    return (unit.base, unit.scale, unit.offset) if unit else ()


@pytest.mark.parametrize(
    ("iri", "words"),
    [
        ("http://dbpedia.org/ontology/FootballMatch", ("football", "match")),
        (
            "http://dbpedia.org/resource/10th-century_BC_conflicts",
            ("10th", "century", "bc", "conflict"),
        ),
        ("http://example.org/net#LinkFault", ("link", "fault")),
        ("urn:x:Wembley_Stadium", ("wembley", "stadium")),
        ("http://example.org/caf%C3%A9s/", ("café",)),
        ("http://rdf.freebase.com/ns/people.person.date_of_birth", ("date", "of", "birth")),
    ],
)
def test_the_words_of_an_iri_are_those_of_its_last_part(iri: str, words: tuple[str, ...]) -> None:
    assert words_of(Resource(iri)) == words
    assert attribute_words(Resource(iri)).words == words


def test_text_in_another_language_has_no_words_to_compare() -> None:
    assert words_of(Text("Fußballspiel", "de")) == ()
    assert words_of(Text("football matches", "en-GB")) == ("football", "match")
    assert words_of(Text("Fußballspiel", "de"), language="de") == ("fussballspiel",)


def test_a_value_that_is_not_text_has_the_words_of_what_it_looks_like() -> None:
    assert words_of(Boolean(True)) == ("true",)
