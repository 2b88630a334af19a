"""Producers, consumers, aggregators, and the paper's example of what did not happen."""

import runpy
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Store

from purport.errors import InvalidInput
from purport.sparql import Aggregator, Consumer, Engine, Notification, Producer, Space, bound
from purport.sparql.roles import EndlessUpdates
from purport.sparql.standing_query import Binding

EXAMPLE = Path(__file__).parents[2] / "examples" / "smart_lighting.py"


def said(binding: Binding) -> str:
    """The value of the variable `v`."""
    term = binding["v"]
    assert isinstance(term, Literal)
    return term.value


def test_a_lamp_goes_off_when_nobody_was_seen_for_ten_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Figure 2 of SPS'16: the first delayed update finds that the sensor has spoken since."""
    runpy.run_path(str(EXAMPLE), run_name="__main__")

    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [
        "1 s  somebody is there",
        "1 s  the lamp is ON",
        "5 s  nobody is there",
        "12 s  somebody is there",
        "20 s  nobody is there",
        "30 s  the lamp is OFF",
    ]


def test_a_consumer_is_told_the_whole_answer_first_and_then_changes_until_it_stops() -> None:
    space = Space()
    sensor = Producer(space, "INSERT DATA { ?sensor <urn:value> ?value }")
    sensor.produce({"sensor": NamedNode("urn:s1"), "value": 5})
    told: list[Notification] = []

    consumer = Consumer(space, "SELECT ?v { ?s <urn:value> ?v }", told.append)
    sensor.produce({"sensor": NamedNode("urn:s1"), "value": 6})
    consumer.stop()
    sensor.produce({"sensor": NamedNode("urn:s1"), "value": 7})

    assert [one.sequence for one in told] == [0, 1]
    assert [said(one.added[0]) for one in told] == ["5", "6"]


def test_what_an_aggregator_does_is_told_after_what_it_was_told() -> None:
    space, order = Space(), []
    Consumer(space, "SELECT ?v { <urn:a> <urn:p> ?v }", lambda news: order.append(("a", news)))

    def double(news: Notification, logic: Aggregator) -> None:
        for one in news.added:
            logic.produce({"v": int(said(one)) * 2})

    Aggregator(
        space, "SELECT ?v { <urn:a> <urn:p> ?v }", "INSERT DATA { <urn:b> <urn:p> ?v }", double
    )
    Consumer(space, "SELECT ?v { <urn:b> <urn:p> ?v }", lambda news: order.append(("b", news)))
    space.update("INSERT DATA { <urn:a> <urn:p> 21 }")

    assert [(who, [said(one) for one in news.added]) for who, news in order] == [
        ("a", []),
        ("b", []),
        ("a", ["21"]),
        ("b", ["42"]),
    ]


def test_updates_without_an_end_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("purport.sparql.roles._MOST", 50)
    space = Space()

    def more(news: Notification, logic: Aggregator) -> None:
        for one in news.added:
            logic.produce({"v": int(said(one)) + 1})

    query = "SELECT ?v { ?s <urn:p> ?v }"
    told: list[Notification] = []
    endless = Aggregator(space, query, "INSERT DATA { <urn:a> <urn:p> ?v }", more)
    Consumer(space, query, told.append)

    with pytest.raises(EndlessUpdates, match="50 notifications"):
        space.update("INSERT DATA { <urn:a> <urn:p> 0 }")
    endless.stop()
    told.clear()
    space.update("INSERT DATA { <urn:b> <urn:p> 0 }")

    assert [said(one) for news in told for one in news.added] == ["0"]


def test_updates_that_were_waiting_are_told_of_at_their_times() -> None:
    noon = datetime(2026, 11, 17, 12, tzinfo=UTC)
    engine = Engine()
    space, told = Space(engine), []
    space.advance_to(noon)
    Consumer(space, "SELECT ?v { ?s <urn:p> ?v }", lambda news: told.append(engine.now()))
    for seconds in (5, 3):
        space.update(
            f"INSERT DATA {{ <urn:a> <urn:p> {seconds} }}", after=timedelta(seconds=seconds)
        )

    space.advance_to(noon + timedelta(minutes=1))

    assert [(one - noon).total_seconds() for one in told] == [0, 3, 5]


@given(st.text(), st.integers(), st.booleans())
def test_values_are_terms_whatever_they_say(text: str, number: int, truth: bool) -> None:
    store = Store()
    update = "INSERT DATA { <urn:a> <urn:p> ?text, ?number, ?truth }"

    store.update(bound(update, {"text": text, "number": number, "truth": truth}))

    kept = {quad.object for quad in store}
    assert Literal(text) in kept
    assert Literal(truth) in kept
    assert len(kept) == 3


def test_a_value_that_is_no_term_is_told() -> None:
    with pytest.raises(InvalidInput, match=r"\?v, got \[\]"):
        bound("SELECT ?v {}", {"v": []})  # type: ignore[dict-item]
    with pytest.raises(InvalidInput, match="without a name"):
        bound("SELECT ?v {}", {"v": BlankNode()})
