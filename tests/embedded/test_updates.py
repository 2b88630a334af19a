"""SPARQL at the broker: updates, and queries that are subscribed to."""

from datetime import timedelta
from pathlib import Path

import pytest
from pyoxigraph import Literal

from purport import InvalidInput
from purport.broker.journal import JournalError
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.sparql.errors import NotAllowed, SparqlSyntaxError
from tests.embedded.brokers import FullNowAndThen, exact
from tests.embedded.lamps import (
    DIMS,
    dims,
    set_dim,
    values,
)


def test_whoever_asks_is_told_the_whole_answer_and_then_what_comes_and_goes(
    broker: Broker,
) -> None:
    broker.update("INSERT DATA { <urn:l1> <urn:dim> 5 }")
    lamps = broker.subscribe(DIMS, name="lamps")

    receipt = broker.update(set_dim(1, 7))
    broker.update("INSERT DATA { <urn:l1> <urn:colour> 'red' }")

    first, second = lamps.waiting()
    assert (first.id, values(first.added), list(first.removed)) == ("lamps:0", ["5"], [])
    assert (second.id, values(second.added), values(second.removed)) == ("lamps:1", ["7"], ["5"])
    assert second.added[0]["dim"] == Literal(7)
    assert (first.change.is_whole, second.change.is_whole) == (True, False)
    assert second.position == receipt.sequence and second.probability == 1.0
    assert (receipt.added, receipt.removed, receipt.notified) == (1, 1, 1)
    with pytest.raises(InvalidInput, match="lamps:1 is about the answer to a query"):
        assert second.match


def test_an_update_that_changes_nothing_tells_nobody(broker: Broker) -> None:
    broker.update("INSERT DATA { <urn:l1> <urn:dim> 5 }")
    lamps = broker.subscribe(DIMS)

    receipt = broker.update("INSERT DATA { <urn:l1> <urn:dim> 5 }")

    assert (receipt.added, receipt.removed, receipt.notified) == (0, 0, 0)
    assert len(list(lamps.waiting())) == 1
    assert receipt.sequence == broker.sequence


def test_ask_and_construct_are_subscribed_to_as_well(broker: Broker) -> None:
    asked = broker.subscribe("ASK { <urn:l1> <urn:dim> 5 }", name="is-it")
    made = broker.subscribe("CONSTRUCT { ?l <urn:is> ?d } WHERE { ?l <urn:dim> ?d }")

    broker.update("INSERT DATA { <urn:l1> <urn:dim> 5 }")

    assert [values(one.added, "answer") for one in asked.waiting()] == [["false"], ["true"]]
    whole, change = made.waiting()
    assert list(whole.added) == [] and values(change.added, "predicate") == ["urn:is"]


def test_those_who_ask_the_same_are_told_the_same_under_their_own_numbers(broker: Broker) -> None:
    one = broker.subscribe(DIMS, name="one")
    broker.update(set_dim(1, 1))
    two = broker.subscribe(DIMS, name="two")
    receipt = broker.update(set_dim(1, 2))

    assert receipt.notified == 2
    assert [note.id for note in one.waiting()] == ["one:0", "one:1", "one:2"]
    last = list(two.waiting())[-1]
    assert (last.id, values(last.added), values(last.removed)) == ("two:1", ["2"], ["1"])


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("INSERT DATA { <urn:a> <urn:b> }", SparqlSyntaxError),
        ("SELECT * { ?s ?p ?o }", SparqlSyntaxError),
        ("INSERT DATA { x:a <urn:b> 1 }", SparqlSyntaxError),
        ("INSERT {} WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }", NotAllowed),
        ("LOAD <file:///etc/passwd>", NotAllowed),
        ("INSERT DATA { <urn:l2> <urn:dim> 1 } ; CREATE GRAPH <urn:g>", InvalidInput),
        ("", InvalidInput),
    ],
)
def test_an_update_that_fails_has_not_happened(
    broker: Broker, text: str, error: type[InvalidInput]
) -> None:
    broker.update("CREATE GRAPH <urn:g> ; INSERT DATA { <urn:l1> <urn:dim> 5 }")
    lamps = broker.subscribe(DIMS)
    before = broker.sequence

    with pytest.raises(error):
        broker.update(text)

    assert broker.sequence == before and dims(broker) == ["5"]
    assert len(list(lamps.waiting())) == 1


@pytest.mark.parametrize("text", ["SELECT ?x WHERE {", "SELECT ?x WHERE { ?x y:z 1 }"])
def test_a_query_that_is_none_is_refused(broker: Broker, text: str) -> None:
    with pytest.raises(SparqlSyntaxError):
        broker.subscribe(text, name="it")
    with pytest.raises(SparqlSyntaxError):
        broker.query(text)

    assert broker.registrations() == [] and broker.sequence == 0


def test_what_cannot_be_written_has_not_changed_the_graph() -> None:
    journal = FullNowAndThen()
    rule = 'when {a = 1} as rule update "DELETE { ?l <urn:dim> ?d } WHERE { ?l <urn:dim> ?d }"'
    with Broker(journal, matcher=exact) as broker:
        broker.update("INSERT DATA { <urn:l1> <urn:dim> 5 }")
        lamps = broker.subscribe(DIMS)
        broker.subscribe(rule)
        journal.is_full = True

        for change in (lambda: broker.update(set_dim(1, 7)), lambda: broker.publish({"a": 1})):
            with pytest.raises(JournalError, match="the disk is full"):
                change()
        with pytest.raises(JournalError, match="the disk is full"):
            broker.subscribe(DIMS, name="later")

        assert dims(broker) == ["5"]
        journal.is_full = False
        broker.update(set_dim(1, 8))
        told = list(lamps.waiting())
        assert [(values(one.added), values(one.removed)) for one in told] == [
            (["5"], []), (["8"], ["5"]),
        ]  # fmt: skip


def test_queries_are_exported_and_imported_with_the_registry(broker: Broker) -> None:
    broker.update(set_dim(1, 1))
    broker.subscribe(DIMS, name="lamps", owner="Ada")
    broker.subscribe("{a > 0}", name="positive")
    text = broker.export_registry()
    with Broker.in_memory(matcher=exact) as other:
        other.import_registry(text)

        assert [(one.id, one.owner) for one in other.registrations()] == [
            ("lamps", "Ada"), ("positive", None),
        ]  # fmt: skip
        [whole] = other.subscriber("lamps").waiting()
        assert list(whole.added) == []
        assert other.export_registry() == text


def test_a_name_may_stand_beside_a_subscription_but_only_one(broker: Broker) -> None:
    assert broker.subscribe("{a > 0}", name="positive").id == "positive"
    with pytest.raises(InvalidInput, match="'one' in its text, and 'two' beside it"):
        broker.subscribe("{a > 0} as one", name="two")
    with pytest.raises(InvalidInput, match="are given out by the broker"):
        broker.subscribe(DIMS, name="subscription-1")
    with pytest.raises(InvalidInput):
        broker.subscribe(DIMS, name=" ")


@pytest.mark.parametrize("due", [None, timedelta(0)])
def test_files_are_loaded_where_that_is_set_and_only_there(
    tmp_path: Path, due: timedelta | None
) -> None:
    file = tmp_path / "lamps.nt"
    file.write_text("<urn:a> <urn:p> <urn:b> .\n")
    text = f"LOAD <{file.as_uri()}>"
    settings = BrokerSettings(may_load=True)

    with Broker.open(tmp_path / "kept", settings=settings) as broker:
        broker.update(text, after=due)
        broker.run_due()
    file.unlink()  # the journal has what was in it
    with Broker.open(tmp_path / "kept") as broker:
        assert broker.query("ASK { <urn:a> <urn:p> <urn:b> }")
        with pytest.raises(NotAllowed):
            broker.update(text, after=due)
