"""Events as triples: each becomes what it says, once, whatever it says."""

from collections.abc import Iterable
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import QuerySolutions
from pytest import raises

from purport.errors import InvalidInput
from purport.model.event import Event
from purport.service.event_triples import update_of
from purport.service.settings import Triples
from purport.sparql.engine import Engine

_NAMES = st.text(min_size=1, max_size=8).filter(
    lambda name: bool(name.strip()) and not name.startswith("@") and "." not in name
)
_VALUES = st.one_of(st.text(max_size=8), st.integers(-5, 5), st.booleans())


def _is_encodable(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


_OBJECTS = st.dictionaries(_NAMES.filter(_is_encodable), _VALUES, min_size=1, max_size=5)


def _triples(engine: Engine) -> set[str]:
    answer = engine.query(
        "SELECT ?g ?s ?p ?o WHERE { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"
    )
    assert isinstance(answer, QuerySolutions)
    return {
        " ".join(str(row[name]) for name in ("g", "s", "p", "o") if row[name]) for row in answer
    }


def _after(wanted: Triples, objects: Iterable[dict[str, object]]) -> set[str]:
    engine = Engine()
    for one in objects:
        engine.update(update_of(Event.from_json(one), wanted))
    return _triples(engine)


@pytest.mark.parametrize("keep", ["all", "latest"])
@pytest.mark.parametrize("graph", ["urn:a%20b", "urn:%25s"])
def test_a_graph_is_called_whatever_iris_may_be(graph: str, keep: Literal["all", "latest"]) -> None:
    wanted = Triples("t", "{heat > 1}", graph=graph, keep=keep)

    [triple] = _after(wanted, [{"@id": "urn:e", "heat": 2}])

    assert triple.startswith(f"<{graph}> <urn:e> <urn:purport:heat> ")


def test_what_an_event_says_becomes_triples_about_it() -> None:
    event = Event.from_json(
        {"@id": "e 1", "@start": "2026-01-01T00:00:00Z", "room heat": 21.5, "urn:is": "urn:Hot"}
    )
    engine = Engine()

    engine.update(update_of(event, Triples("readings", "{heat > 1}", graph="urn:g")))

    xsd = "http://www.w3.org/2001/XMLSchema#"
    assert _triples(engine) == {
        f'<urn:g> <urn:purport:event/e_1> <urn:purport:room_heat> "21.5"^^<{xsd}double>',
        '<urn:g> <urn:purport:event/e_1> <urn:is> "urn:Hot"',
        "<urn:g> <urn:purport:event/e_1> <urn:purport:start> "
        f'"2026-01-01T00:00:00Z"^^<{xsd}dateTime>',
    }


def test_only_the_latest_is_kept_of_a_subject_where_that_is_wanted() -> None:
    wanted = Triples("now", "{heat > 1}", subject="Sensor", keep="latest")

    found = _after(
        wanted,
        [
            {"sensor": "s1", "heat": [1, 2], "room": "a"},
            {"sensor": "s2", "heat": 7},
            {"sensor": "s1", "heat": 3},
        ],
    )

    assert {one.partition("^^")[0] for one in found} == {
        '<urn:purport:s1> <urn:purport:heat> "3"',
        '<urn:purport:s1> <urn:purport:room> "a"',
        '<urn:purport:s2> <urn:purport:heat> "7"',
    }


def test_an_event_without_its_subject_says_what_is_missing() -> None:
    event = Event.from_json({"heat": 3})

    with raises(InvalidInput, match="nothing under 'sensor'"):
        update_of(event, Triples("now", "{heat > 1}", subject="sensor"))


@given(_OBJECTS)
def test_whatever_is_said_stays_one_value_and_comes_once(said: dict[str, object]) -> None:
    one = {"@id": "urn:e", **said}

    once, twice = (_after(Triples("t", "{a > 1}"), [one] * times) for times in (1, 2))

    assert once == twice
    values = {f"{type(value).__name__} {value}" for value in said.values()}
    assert len(values) <= len(once) <= len(said)
    assert all(line.startswith("<urn:e> <") for line in once)


@given(st.lists(st.tuples(st.sampled_from("ab"), _OBJECTS), min_size=1, max_size=6))
def test_the_latest_is_what_the_last_event_of_a_subject_says_under_a_name(
    told: list[tuple[str, dict[str, object]]],
) -> None:
    wanted = Triples("t", "{a > 1}", subject="the subject", keep="latest")
    objects = [{"the subject": subject, **said} for subject, said in told]
    latest: dict[tuple[str, str], set[str]] = {}
    for one in objects:
        single: dict[tuple[str, str], set[str]] = {}
        for line in _after(wanted, [one]):
            subject, name, value = line.split(" ", 2)
            single.setdefault((subject, name), set()).add(value)
        latest.update(single)

    found = _after(wanted, objects)

    assert found == {f"{s} {p} {value}" for (s, p), values in latest.items() for value in values}


def test_a_name_cannot_become_a_piece_of_an_update() -> None:
    event = Event.from_json({"@id": "x> . } ; DROP ALL #", "a> <urn:b": '"} ; CLEAR ALL #'})

    engine = Engine()
    engine.update(update_of(event, Triples("t", "{a > 1}")))

    assert _triples(engine) == {
        "<urn:purport:event/x%3E_._%7D_%3B_DROP_ALL_%23> <urn:purport:a%3E_%3Curn%3Ab> "
        '"\\"} ; CLEAR ALL #"'
    }
