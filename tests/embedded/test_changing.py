"""Subscriptions that are asked for otherwise."""

from pathlib import Path

import pytest

from purport.broker.access import Forbidden
from purport.broker.records import Delivery, Overflow
from purport.embedded.broker import Broker
from purport.errors import InvalidInput
from purport.sparql.graph_store import Dataset
from tests.embedded.access import EVERYBODY_OWN
from tests.embedded.brokers import exact, told
from tests.embedded.lamps import DIMS, set_dim, values

_ALARM = "when {a = 1} as rule publish {b = 1}"


def test_what_is_not_given_stays_as_it_is(broker: Broker) -> None:
    broker.subscribe(
        "{a = 1} as x", owner="ann", most_waiting=7, overflow="refuse", delivery="at most once"
    )
    broker.publish({"@id": "e1", "a": 1})

    found = broker.change("x", text="{b = 1}", who="ann")
    broker.publish_all([{"@id": "e2", "a": 1}, {"@id": "e3", "b": 1}])

    assert (found.version, found.text, found.owner) == (2, "{b = 1} as x", "ann")
    assert (found.most_waiting, found.overflow) == (7, Overflow.REFUSE)
    assert (found.delivery, found.is_durable) == (Delivery.AT_MOST_ONCE, True)
    assert told(broker, "x") == ["e1", "e3"]


def test_how_it_is_told_changes_and_the_words_stay(broker: Broker) -> None:
    broker.subscribe("{a = 1} as x")
    broker.pause("x")

    found = broker.change("x", most_waiting=3, overflow="pause", delivery="at most once")

    assert (found.text, found.most_waiting, found.overflow) == ("{a = 1} as x", 3, Overflow.PAUSE)
    assert (found.delivery, found.version, found.is_paused) == (Delivery.AT_MOST_ONCE, 2, True)


def test_a_change_without_a_difference_makes_no_version(broker: Broker) -> None:
    broker.subscribe("{a = 1} as x")
    broker.subscribe(DIMS, name="lamps")
    before = broker.sequence

    assert broker.change("x") == broker.change("x", text="{ a=1 }", most_waiting=100_000)
    assert broker.change("lamps", text=DIMS).version == 1
    assert broker.sequence == before


def test_a_query_of_other_words_is_told_its_whole_answer(broker: Broker) -> None:
    broker.subscribe(DIMS, name="lamps", dataset=Dataset(default_graphs=("urn:hall",)))
    broker.update("INSERT DATA { GRAPH <urn:hall> { <urn:l1> <urn:dim> 5 } }")
    broker.update(set_dim(2, 6))

    broker.change("lamps", text=f"{DIMS} LIMIT 10")
    broker.change("lamps", dataset=Dataset())

    notes = list(broker.subscriber("lamps").waiting())
    assert [one.change.is_whole for one in notes] == [True, False, True, True]
    assert [values(one.added) for one in notes] == [[], ["5"], ["5"], ["6"]]


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("x", {"text": "{a = 2} as y"}, "it is called 'y' in its text, and 'x' beside it"),
        ("x", {"text": DIMS}, "is a subscription to events: it cannot become a query"),
        ("x", {"text": "when {a = 1} publish {b = 1}"}, "cannot become a rule"),
        ("rule", {"text": "{a = 1}"}, "is a rule: it cannot become a subscription to events"),
        ("rule", {"text": 'when {a = 1} post "http://h/"'}, "cannot become a rule that posts"),
        ("lamps", {"text": "{a = 1}"}, "only a query has a dataset|cannot become"),
        ("x", {"dataset": Dataset(default_graphs=("urn:g",))}, "only a query has a dataset"),
        ("x", {"text": "{a ="}, "expected"),
        ("x", {"most_waiting": 0}, "at least 1 notification may wait"),
        ("x", {"overflow": "burst"}, "expected one of 'drop oldest'"),
        ("lamps", {"text": "SELECT ?x WHERE {"}, "expected"),
        ("nobody", {"text": "{a = 1}"}, "no subscription 'nobody'"),
    ],
)
def test_what_cannot_be_changed_so_stays(name: str, given: dict[str, object], why: str) -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.subscribe("{a = 1} as x")
        broker.subscribe(_ALARM)
        broker.subscribe(DIMS, name="lamps")
        before = broker.export_registry(), broker.sequence

        with pytest.raises(InvalidInput, match=why):
            broker.change(name, **given)  # type: ignore[arg-type]

        assert (broker.export_registry(), broker.sequence) == before


def test_what_has_no_name_is_changed_by_its_id() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        one = broker.subscribe("{a = 1}")

        found = broker.change(one.id, text="{b = 1}")
        broker.publish_all([{"a": 1}, {"@id": "e", "b": 1}])

        assert (found.id, found.text, found.is_durable) == (one.id, "{b = 1}", False)
        assert [note.match.event.id for note in one.waiting()] == ["e"]


def test_only_the_owner_and_who_manages_change_it(tmp_path: Path) -> None:
    with Broker.open(tmp_path, matcher=exact, settings=EVERYBODY_OWN) as broker:
        broker.subscribe("{a = 1} as x", owner="ann")
        with pytest.raises(Forbidden):
            broker.change("x", text="{a = 2}", who="bob")

        broker.change("x", text="{a = 2}", who="ann")
        found = broker.change("x", text="{a = 3}", who="root")

        assert (found.owner, found.version) == ("ann", 3)
    with Broker.open(tmp_path, matcher=exact, settings=EVERYBODY_OWN) as broker:
        assert broker.registration("x", who="ann") == found
