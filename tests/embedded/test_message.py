"""Notifications as JSON."""

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import (
    BaseDirection,
    BlankNode,
    Literal,
    NamedNode,
    QueryResultsFormat,
    QuerySolutions,
    Triple,
    parse_query_results,
)

from purport.embedded.broker import Broker
from purport.embedded.message import message_of, results_of
from purport.model.clock import ManualClock
from purport.model.notification import AnswerChange, Binding, Notification
from tests.embedded.brokers import NOON, exact
from tests.embedded.lamps import DIMS, set_dim

_XSD = "http://www.w3.org/2001/XMLSchema#"
_LITERALS = st.one_of(
    st.builds(Literal, st.text(st.characters(exclude_categories=["Cs"]))),
    st.builds(Literal, st.integers(-(2**60), 2**60)),
    st.builds(Literal, st.booleans()),
    st.builds(lambda text: Literal(text, language="en-gb"), st.text('aé"\n')),
    st.builds(
        lambda text: Literal(text, language="ar", direction=BaseDirection("rtl")), st.text("ab")
    ),
    st.just(Literal("2026-11-17", datatype=NamedNode(f"{_XSD}date"))),
)
_NODES = st.sampled_from([NamedNode("urn:a"), NamedNode("http://b/#é"), BlankNode("n1")])
_TERMS = st.recursive(
    st.one_of(_NODES, _LITERALS),
    lambda terms: st.builds(Triple, _NODES, st.just(NamedNode("urn:p")), terms),
    max_leaves=3,
)


def told(notification: Notification) -> dict[str, Any]:
    found = json.loads(message_of(notification))
    assert isinstance(found, dict)
    return found


def test_a_match_is_told_with_its_event_and_its_reasons() -> None:
    with Broker.in_memory(matcher=exact, clock=ManualClock(NOON)) as broker:
        every = broker.subscribe("{heat > 30 °C, room = 112} as hot")
        broker.subscribe("when {b = 1} as rule publish {heat = 31 °C, room = 112}")
        broker.publish(
            {"@id": "e1", "heat": "31 °C", "room": 112, "note": ["é", 1.5]}, topic="floor/1"
        )
        broker.publish({"@id": "e2", "b": 1})
        first, derived = every.waiting()

    assert told(first) == {
        "id": "hot:0",
        "subscription": "hot",
        "sequence": 0,
        "at": "2026-11-17T12:00:00+00:00",
        "topic": "floor/1",
        "causes": [],
        "missed": 0,
        "event": {"@id": "e1", "heat": "31 °C", "room": 112, "note": ["é", 1.5]},
        "probability": 1.0,
        "explanation": [
            {
                "predicate": "heat > 30 °C",
                "attribute": "heat",
                "value": "31 °C",
                "similarity": 1.0,
                "probability": 0.5,
            },
            {
                "predicate": "room = 112",
                "attribute": "room",
                "value": "112",
                "similarity": 1.0,
                "probability": 0.5,
            },
        ],
    }
    assert told(derived)["causes"] == ["e2"]


def test_a_pattern_in_time_is_told_with_its_evidence() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        found = broker.subscribe("{b = 1, start after {a = 1}} as pattern")
        for said in ({"@id": "e1", "a": 1}, {"@id": "e2", "b": 1}):
            broker.publish(said)
            clock.advance(timedelta(seconds=1))
        [notification] = found.waiting()

    message = told(notification)
    assert message["event"]["@id"] == "e2" and message["explanation"] == []
    [one] = message["evidence"]
    assert (one["event"]["@id"], one["probability"]) == ("e1", 1.0)
    assert set(one) == {"place", "event", "probability"}


def test_a_changed_answer_is_told_as_results_of_sparql() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        lamps = broker.subscribe(DIMS, name="lamps")
        broker.update(set_dim(1, 5))
        broker.update(set_dim(1, 6))
        whole, _, changed = map(told, lamps.waiting())

    head = {"vars": ["lamp", "dim"]}
    assert whole["addedResults"] == {"head": head, "results": {"bindings": []}}
    assert whole["whole"] is True and changed["whole"] is False
    lamp = {"type": "uri", "value": "urn:l1"}
    for key, dim in (("addedResults", "6"), ("removedResults", "5")):
        literal = {"type": "literal", "value": dim, "datatype": f"{_XSD}integer"}
        bindings = [{"lamp": lamp, "dim": literal}]
        assert changed[key] == {"head": head, "results": {"bindings": bindings}}
    assert "event" not in changed and "explanation" not in changed


@pytest.mark.parametrize(
    ("query", "variables"),
    [
        ("SELECT * WHERE { ?z <urn:p> ?a }", ["z", "a"]),
        ("ASK { ?s ?p ?o }", ["answer"]),
        ("CONSTRUCT WHERE { ?s ?p ?o }", ["subject", "predicate", "object"]),
        ("SELECT (COUNT(*) AS ?n) ?p WHERE { ?s ?p ?o } GROUP BY ?p", ["n", "p"]),
    ],
)
def test_an_empty_answer_has_its_variables_too(query: str, variables: list[str]) -> None:
    with Broker.in_memory(matcher=exact) as broker:
        [whole] = broker.subscribe(query).waiting()

    assert told(whole)["addedResults"]["head"]["vars"] == variables
    assert told(whole)["removedResults"]["head"]["vars"] == variables


def test_a_change_that_does_not_say_its_variables_has_those_that_are_bound() -> None:
    change = AnswerChange([{"a": Literal("1")}], [{"b": Literal("2"), "a": Literal("1")}])

    assert told(Notification("x", 0, change))["addedResults"]["head"]["vars"] == ["a", "b"]


@given(st.lists(st.dictionaries(st.sampled_from("abc"), _TERMS)))
def test_what_is_told_is_read_as_results_by_others(bindings: list[Binding]) -> None:
    text = json.dumps(results_of("abc", bindings))

    read = parse_query_results(text, format=QueryResultsFormat.JSON)

    assert isinstance(read, QuerySolutions)
    names = [one.value for one in read.variables]
    assert [{name: one[name] for name in names if one[name] is not None} for one in read] == [
        dict(one) for one in bindings
    ]
