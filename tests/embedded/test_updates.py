"""SPARQL at the broker: updates, queries that are subscribed to, delayed updates, rules."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode

from purport import Event, InvalidInput, Statement
from purport.broker.access import AccessRule, AccessRules, Action, Effect, Forbidden
from purport.broker.drafting import BacklogFull
from purport.broker.journal import JournalError
from purport.broker.rdf_text import term_text
from purport.broker.retention import Retention
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.embedded.subscriber import Subscriber
from purport.model.clock import ManualClock
from purport.model.notification import Notification
from purport.model.term import Resource, Text
from purport.sparql.errors import NotAllowed, SparqlSyntaxError
from tests.embedded.lamps import (
    DIMS,
    NOON,
    FullNowAndThen,
    Row,
    current,
    dims,
    exact,
    rows,
    set_dim,
    solutions,
    values,
)


@pytest.fixture(params=["in memory", "in a folder", "in PostgreSQL"])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Broker]:
    """A broker of each kind."""
    match request.param:
        case "in memory":
            made = Broker.in_memory(matcher=exact)
        case "in a folder":
            made = Broker.open(tmp_path / "broker", matcher=exact)
        case _:
            place = request.getfixturevalue("postgres").new_place()
            made = Broker.open(tmp_path / "broker", journal=place, matcher=exact)
    with made:
        yield made


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


def test_a_query_with_a_name_goes_on_after_a_restart(tmp_path: Path) -> None:
    with Broker.open(tmp_path, matcher=exact) as broker:
        lamps = broker.subscribe(DIMS, name="lamps")
        broker.subscribe(DIMS)
        broker.update("INSERT DATA { <urn:l1> <urn:dim> 5 . [] <urn:dim> 6 }")
        broker.update(set_dim(1, 7))
        assert lamps.take() is not None
        lamps.acknowledge()
    with Broker.open(tmp_path, matcher=exact) as broker:
        assert [one.id for one in broker.registrations()] == ["lamps"]
        broker.update("DELETE WHERE { ?lamp <urn:dim> ?dim }")

        told = list(broker.subscriber("lamps").waiting())

        assert [one.sequence for one in told] == [1, 2, 3]
        assert not current(broker.subscriber("lamps").replay())
        blank = [term_text(one["lamp"]) for one in (*told[0].added, *told[2].removed)]
        assert len({one for one in blank if one.startswith("_:")}) == 1
        assert dims(broker) == []


def test_a_query_that_may_be_answered_otherwise_is_told_in_whole_after_a_restart(
    tmp_path: Path,
) -> None:
    clock = ManualClock(NOON)
    now, see = "<urn:purport:clock>()", "INSERT {{ {} <urn:seen> ?t }} WHERE {{ BIND({} AS ?t) }}"
    recent = f"SELECT ?lamp WHERE {{ ?lamp <urn:seen> ?at FILTER({now} - ?at < 10000000) }}"
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.subscribe(recent, name="recent")
        broker.subscribe(DIMS, name="steady")
        broker.update(see.format("<urn:l1>", now))
    clock.advance(timedelta(seconds=20))
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.update(see.format("<urn:l2>", now))

        told = list(broker.subscriber("recent").replay())

        assert [one.change.is_whole for one in told] == [True, False, True, False]
        assert list(current(told)) == [(("lamp", "<urn:l2>"),)]
        assert len(list(broker.subscriber("steady").replay())) == 1


def test_the_same_query_again_goes_on_and_another_one_is_told_in_whole(broker: Broker) -> None:
    broker.subscribe(DIMS, name="lamps")
    broker.update(set_dim(1, 1))
    again = broker.subscribe(DIMS, name="lamps")
    other = broker.subscribe(DIMS.replace("?lamp ?dim WHERE", "?dim WHERE"), name="lamps")
    broker.update(set_dim(1, 2))

    told = list(other.waiting())

    assert again.id == "lamps" and len(broker.versions("lamps")) == 2
    assert [(one.sequence, one.change.is_whole) for one in told] == [
        (0, True), (1, False), (2, True), (3, False),
    ]  # fmt: skip
    assert current(told) == rows([{"dim": Literal(2)}])


def test_what_is_paused_hears_nothing_and_is_told_the_whole_answer_when_it_goes_on(
    broker: Broker,
) -> None:
    lamps = broker.subscribe(DIMS, name="lamps")
    broker.pause("lamps")
    assert broker.update(set_dim(1, 1)).notified == 0
    broker.update(set_dim(2, 2))

    broker.resume("lamps")
    broker.update(set_dim(2, 3))

    whole, resumed, change = lamps.waiting()
    assert (whole.sequence, values(whole.added)) == (0, [])
    assert (resumed.change.is_whole, values(resumed.added)) == (True, ["1", "2"])
    assert (values(change.added), values(change.removed)) == (["3"], ["2"])


def test_whoever_falls_behind_is_told_the_whole_answer_in_its_place(broker: Broker) -> None:
    slow = broker.subscribe(DIMS, name="slow", most_waiting=3)
    for number in range(10):
        broker.update(set_dim(number % 4, number))

    told = list(slow.waiting())

    assert len(told) <= 3 and told[0].change.is_whole and told[0].missed > 0
    assert [one.sequence for one in told] == list(range(told[0].sequence, 11))
    assert sorted(value for value, _ in _dims_of(current(told))) == ["6", "7", "8", "9"]


def _dims_of(answer: Counter[Row]) -> list[tuple[str, str]]:
    return [(dict(row)["dim"].split('"')[1], dict(row)["lamp"]) for row in answer]


def test_a_strict_subscriber_keeps_updates_out_and_one_that_pauses_itself_hears_no_more(
    broker: Broker,
) -> None:
    strict = broker.subscribe(DIMS, name="strict", most_waiting=2, overflow="refuse")
    broker.subscribe(DIMS, name="pausing", most_waiting=2, overflow="pause")
    broker.update(set_dim(1, 1))

    with pytest.raises(BacklogFull, match="2 notifications wait for 'strict'"):
        broker.update(set_dim(1, 2))

    assert dims(broker) == ["1"] and broker.registration("pausing").is_paused
    list(strict.waiting())
    strict.acknowledge()
    assert broker.update(set_dim(1, 3)).notified == 1


def test_answers_come_to_callbacks_and_event_loops_too(broker: Broker) -> None:
    heard: list[str] = []
    is_heard = threading.Event()

    def callback(note: Notification) -> None:
        heard.append(note.id)
        if note.sequence == 1:
            is_heard.set()

    async def first_two() -> list[str]:
        found = []
        async for note in broker.subscriber("looped"):
            found.append(note.id)
            if len(found) == 2:
                break
        return found

    broker.subscribe(DIMS, callback, name="called")
    broker.subscribe(DIMS, name="looped")
    broker.update(set_dim(1, 1))

    assert asyncio.run(first_two()) == ["looped:0", "looped:1"]
    assert is_heard.wait(30) and heard == ["called:0", "called:1"]


def test_a_callback_that_fails_over_an_answer_is_recorded(broker: Broker) -> None:
    def callback(note: Notification) -> None:
        raise ValueError("no")

    broker.subscribe(DIMS, callback, name="failing")
    deadline = time.monotonic() + 30
    while not broker.failures() and time.monotonic() < deadline:
        time.sleep(0.05)

    [failure] = broker.failures()
    assert (failure.subscription_id, failure.event_id) == ("failing", "")
    assert failure.reason == "ValueError: no"


def test_delayed_updates_run_in_the_order_of_their_times(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.subscribe(DIMS, name="lamps")
        later = broker.update(set_dim(1, 3), at=NOON + timedelta(seconds=20))
        sooner = broker.update(set_dim(1, 1), after=timedelta(seconds=10), publisher="Ada")
        same = broker.update(set_dim(1, 2), at=NOON + timedelta(seconds=10))
        never = broker.update(set_dim(1, 4), after=timedelta(seconds=1))

        broker.cancel_update(never.number or 0)
        assert [one.number for one in broker.delayed()] == [
            sooner.number, same.number, later.number,
        ]  # fmt: skip
        assert (broker.delayed()[0].publisher, broker.delayed()[0].due) == (
            "Ada", NOON + timedelta(seconds=10),
        )  # fmt: skip
        assert dims(broker) == [] and sooner.due == NOON + timedelta(seconds=10)
    clock.advance(timedelta(seconds=15))
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        assert dims(broker) == ["2"] and len(broker.delayed()) == 1
        clock.advance(timedelta(seconds=5))
        broker.run_due()
        assert dims(broker) == ["3"] and broker.delayed() == []

        told = list(broker.subscriber("lamps").waiting())
        assert [values(one.added) for one in told] == [[], ["1"], ["2"], ["3"]]
        with pytest.raises(InvalidInput, match="no delayed update"):
            broker.cancel_update(later.number or 0)


def test_what_is_done_later_comes_after_what_was_due_before() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as other:
        other.subscribe(DIMS, name="lamps")
        other.update(set_dim(1, 1), after=timedelta(seconds=1))
        clock.advance(timedelta(seconds=2))

        other.update(set_dim(1, 2))

        assert dims(other) == ["2"]
        assert [values(one.added) for one in other.subscriber("lamps").waiting()] == [
            [], ["1"], ["2"],
        ]  # fmt: skip


def test_a_delayed_update_runs_by_itself_when_its_time_comes(broker: Broker) -> None:
    lamps = broker.subscribe(DIMS)
    assert lamps.take() is not None

    broker.update(set_dim(1, 1), after=timedelta(milliseconds=50))

    told = lamps.take(timeout=30)
    assert told is not None and values(told.added) == ["1"]


def test_a_delayed_update_that_fails_is_recorded_and_keeps_none_from_running() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        failing = broker.update("CREATE GRAPH <urn:g>", after=timedelta(seconds=1))
        broker.update(set_dim(1, 1), after=timedelta(seconds=2))
        broker.update("CREATE GRAPH <urn:g>")
        clock.advance(timedelta(seconds=3))

        broker.run_due()

        [failure] = broker.failures()
        assert (failure.update, failure.reason) == (
            failing.number, "there is a graph <urn:g> already",
        )  # fmt: skip
        assert dims(broker) == ["1"] and broker.delayed() == []


def test_a_delayed_update_waits_for_a_journal_that_takes_it() -> None:
    clock, journal = ManualClock(NOON), FullNowAndThen()
    with Broker(journal, matcher=exact, clock=clock) as broker:
        broker.update(set_dim(1, 1), after=timedelta(seconds=1))
        journal.is_full = True
        clock.advance(timedelta(seconds=2))
        with pytest.raises(JournalError):
            broker.run_due()
        assert len(broker.delayed()) == 1
        journal.is_full = False

        broker.run_due()

        assert dims(broker) == ["1"] and not broker.failures()


def test_a_delayed_update_waits_for_a_subscriber_who_wants_publishers_to(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.subscribe(DIMS, name="strict", most_waiting=1, overflow="refuse")
        first = broker.update(set_dim(1, 1), after=timedelta(seconds=1))
        second = broker.update("CREATE GRAPH <urn:g>", after=timedelta(seconds=2))
    clock.advance(timedelta(seconds=3))
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        for publish in (broker.run_due, lambda: broker.update("CREATE GRAPH <urn:h>")):
            with pytest.raises(BacklogFull, match="1 notifications wait for 'strict'"):
                publish()
        assert [one.number for one in broker.delayed()] == [first.number, second.number]
        assert dims(broker) == [] and not broker.failures()
        broker.publish({"a": 1})  # nothing else has to wait
        broker.subscribe("ASK {}", name="other")

        strict = broker.subscriber("strict")
        assert len(list(strict.waiting())) == 1
        strict.acknowledge()
        broker.run_due()

        assert dims(broker) == ["1"] and broker.delayed() == [] and not broker.failures()


@pytest.mark.parametrize(
    "when",
    [
        {"at": datetime(2026, 1, 1)},  # noqa: DTZ001 - that is the mistake
        {"after": 5},
        {"after": timedelta.max},
        {"at": NOON, "after": timedelta(seconds=1)},
    ],
)
def test_times_that_are_none_are_refused(when: dict[str, object]) -> None:
    with Broker.in_memory(matcher=exact) as broker, pytest.raises(InvalidInput):
        broker.update(set_dim(1, 1), **when)  # type: ignore[arg-type]


def test_a_mistake_in_a_delayed_update_is_told_at_once(broker: Broker) -> None:
    with pytest.raises(SparqlSyntaxError):
        broker.update("INSERT DATA { <urn:a> }", after=timedelta(days=1))

    assert broker.delayed() == []


RULE = (
    'when {heat > 30, room = $room} as hot update "'
    "DELETE { ?r <urn:hot> ?old } INSERT { <urn:house> <urn:hot> $room } "
    'WHERE { OPTIONAL { ?r <urn:hot> ?old } }"'
)
HOT = "SELECT ?room WHERE { <urn:house> <urn:hot> ?room }"


def test_a_rule_updates_together_with_the_event_that_made_it_do_so(broker: Broker) -> None:
    broker.subscribe(RULE)
    hot = broker.subscribe(HOT, name="rooms")

    broker.publish_all([{"@id": "e1", "heat": 31, "room": 7}, {"heat": 32, "room": "kitchen"}])

    whole, first, second = hot.waiting()
    assert list(whole.added) == [] and first.causes == ("e1",)
    assert first.added[0]["room"] == Literal(7)
    assert values(second.added, "room") == ["kitchen"] and values(second.removed, "room") == ["7"]


@pytest.mark.parametrize(
    "said",
    [
        'x" } ; DROP ALL #',
        "x' } ; DROP ALL #",
        "> } ; DROP ALL ; INSERT DATA { <urn:a> <urn:b> <urn:c",
        'line\nbreak \\ and " and \t and \u2028',
        "$room ?r _:b <urn:x>",
    ],
)
def test_what_an_event_says_stays_one_term_whatever_it_says(broker: Broker, said: str) -> None:
    broker.update("INSERT DATA { <urn:keep> <urn:me> 1 }")
    broker.subscribe(RULE)

    broker.publish({"heat": 31, "room": said})

    assert solutions(broker, HOT) == [{"room": Literal(said)}]
    assert bool(broker.query("ASK { <urn:keep> <urn:me> 1 }"))
    assert broker.failures() == []


def test_a_dollar_in_a_string_of_a_rule_is_text_and_iris_stay_iris(broker: Broker) -> None:
    broker.subscribe("when {who = $who} as said update \"INSERT DATA { $who <urn:costs> '$who' }\"")

    broker.publish(Event((Statement(Text("who"), Resource("urn:ada")),)))
    broker.publish({"@id": "e2", "who": "Ada"})

    assert solutions(broker, "SELECT ?s ?o WHERE { ?s <urn:costs> ?o }") == [
        {"s": NamedNode("urn:ada"), "o": Literal("$who")}
    ]
    [failure] = broker.failures()  # a text is no subject
    assert failure.event_id == "e2"


def test_a_rule_that_cannot_update_is_recorded_and_the_rest_goes_on(broker: Broker) -> None:
    broker.subscribe('when {a > 0} as nameless update "INSERT DATA { <urn:a> <urn:b> $missing }"')
    broker.subscribe('when {a > 0} as once update "CREATE GRAPH <urn:g>"')
    heard = broker.subscribe("{a > 0}")

    broker.publish_all([{"@id": "e1", "a": 1}, {"@id": "e2", "a": 1}])

    assert len(list(heard.waiting())) == 2
    failures = [(one.subscription_id, one.event_id) for one in broker.failures()]
    assert failures == [("nameless", "e1"), ("nameless", "e2"), ("once", "e2")]
    with pytest.raises(SparqlSyntaxError):
        broker.subscribe('when {a > 0} as bad update "INSERT DATA { $a }"')


def test_several_values_under_a_name_are_all_taken_in(broker: Broker) -> None:
    broker.subscribe(
        'when {kind = list} as each update "INSERT DATA { <urn:list> <urn:has> $item }"'
    )

    broker.publish({"kind": "list", "item": [1, 2.5, True, "two"]})

    found = solutions(broker, "SELECT ?o WHERE { <urn:list> <urn:has> ?o }")
    assert values(found, "o") == ["1", "2.5", "true", "two"]


def test_access_rules_hold_for_graphs() -> None:
    rules = AccessRules(
        (
            AccessRule(frozenset({"ann"}), frozenset({Action.UPDATE}), graphs=("urn:ann:*",)),
            AccessRule(frozenset({"ann"}), frozenset({Action.SUBSCRIBE}), graphs=("urn:ann:1",)),
            AccessRule(frozenset({"all"}), frozenset(Action)),
            AccessRule(frozenset({"most"}), frozenset(Action)),
            AccessRule(
                frozenset({"most"}), frozenset(Action), graphs=("urn:secret",), effect=Effect.DENY
            ),
        )
    )
    with Broker.in_memory(matcher=exact, settings=BrokerSettings(access=rules)) as broker:
        broker.update(
            "INSERT DATA { <urn:a> <urn:b> 1 GRAPH <urn:secret> { <urn:a> <urn:b> 2 } "
            "GRAPH <urn:ann:1> { <urn:a> <urn:b> 3 } }",
            publisher="all",
        )
        broker.update("INSERT DATA { GRAPH <urn:ann:2> { <urn:a> <urn:b> 4 } }", publisher="ann")
        before = broker.sequence
        for who, text in (
            ("ann", "INSERT DATA { <urn:a> <urn:b> 5 }"),
            ("ann", "DELETE WHERE { GRAPH <urn:secret> { ?s ?p ?o } }"),
            ("ann", "INSERT { GRAPH <urn:ann:1> { ?s ?p ?o } } WHERE { ?s ?p ?o }"),
            ("ann", "INSERT { GRAPH <urn:ann:1> { ?s ?p ?o } } WHERE { GRAPH ?g { ?s ?p ?o } }"),
            ("ann", "COPY <urn:secret> TO <urn:ann:1>"),
            ("most", "COPY <urn:secret> TO <urn:ann:1>"),
            ("nobody", "INSERT DATA { <urn:a> <urn:b> 5 }"),
        ):
            with pytest.raises(Forbidden):
                broker.update(text, publisher=who)
        for who, text in (
            ("ann", "SELECT * { ?s ?p ?o }"),
            ("ann", "SELECT * FROM <urn:secret> { ?s ?p ?o }"),
            ("most", "SELECT * { GRAPH ?g { ?s ?p ?o } }"),
            ("most", "PREFIX u: <urn:> SELECT * FROM NAMED u:secret { GRAPH ?g { ?s ?p ?o } }"),
            ("nobody", "ASK {}"),
        ):
            with pytest.raises(Forbidden):
                broker.query(text, who=who)
            with pytest.raises(Forbidden):
                broker.subscribe(text, owner=who)
        assert broker.sequence == before

        own = broker.subscribe("SELECT ?o FROM <urn:ann:1> { ?s ?p ?o }", owner="ann")
        assert bool(broker.query("ASK { GRAPH ?g { ?s ?p 2 } }", who="all"))
        broker.update("INSERT DATA { GRAPH <urn:ann:1> { <urn:a> <urn:b> 6 } }", publisher="ann")
        assert [values(one.added, "o") for one in own.waiting()] == [["3"], ["6"]]


@pytest.mark.parametrize(
    "text",
    [
        "INSERT DATA { GRAPH <urn:secret> { <urn:a> <urn:b> 1 } }",
        "DELETE DATA { GRAPH <urn:secret> { <urn:a> <urn:b> 2 } }",
        "INSERT { GRAPH ?g { <urn:a> <urn:b> 1 } } WHERE { BIND(<urn:secret> AS ?g) }",
        "WITH <urn:secret> INSERT { <urn:a> <urn:b> 1 } WHERE {}",
        "ADD DEFAULT TO <urn:secret>",
        "CREATE GRAPH <urn:secret>",
        "CLEAR GRAPH <urn:other> ; DROP SILENT GRAPH <urn:none>",
    ],
)
def test_a_refusal_does_not_tell_what_is_in_a_graph(text: str) -> None:
    closed = AccessRules(
        (
            AccessRule(frozenset({"all"}), frozenset(Action)),
            AccessRule(frozenset({"ann"}), frozenset(Action), graphs=("default",)),
        )
    )
    with Broker.in_memory(matcher=exact, settings=BrokerSettings(access=closed)) as broker:
        broker.update(
            "INSERT DATA { GRAPH <urn:secret> { <urn:a> <urn:b> 1 } } ; CREATE GRAPH <urn:other>",
            publisher="all",
        )
        before = broker.sequence

        with pytest.raises(Forbidden):
            broker.update(text, publisher="ann")

        assert broker.sequence == before


def test_a_query_whose_owner_may_no_longer_know_is_paused(tmp_path: Path) -> None:
    others = AccessRules((AccessRule(frozenset({"bob"}), frozenset(Action)),))
    closed = BrokerSettings(access=others)
    with Broker.open(tmp_path, matcher=exact) as broker:
        broker.subscribe(DIMS, name="lamps", owner="ann")
    with Broker.open(tmp_path, matcher=exact, settings=closed) as broker:
        assert broker.update(set_dim(1, 1), publisher="bob").notified == 0
        assert broker.registration("lamps").is_paused
        with pytest.raises(Forbidden, match="ann may not subscribe"):
            broker.resume("lamps", who="ann")
    with Broker.open(tmp_path, matcher=exact) as broker:
        broker.resume("lamps", who="ann")
        broker.update(set_dim(1, 2))

        told = list(broker.subscriber("lamps").waiting())
        assert [one.change.is_whole for one in told] == [True, True, False]
        assert current(told) == rows(solutions(broker, DIMS))


def test_old_entries_may_go_and_the_graph_stays(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    settings = BrokerSettings(retention=Retention(most_age=timedelta(seconds=5)))

    def opened() -> Broker:
        return Broker.open(tmp_path, matcher=exact, clock=clock, settings=settings)

    with opened() as broker:
        broker.update("CREATE GRAPH <urn:empty> ; INSERT DATA { [] <urn:dim> 1, 'ü\\n\"@' }")
        broker.update(set_dim(1, 2), after=timedelta(days=1))
        facts = rows(solutions(broker, "SELECT * { ?s ?p ?o }"))
        clock.advance(timedelta(seconds=10))
        assert broker.compact() > 0
    with opened() as broker:
        assert rows(solutions(broker, "SELECT * { ?s ?p ?o }")) == facts
        assert len(broker.delayed()) == 1
        with pytest.raises(InvalidInput, match="already"):
            broker.update("CREATE GRAPH <urn:empty>")
        assert broker._journal.first > 1


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


def test_threads_that_update_and_subscribe_at_once_lose_nothing(broker: Broker) -> None:
    subscribers: list[Subscriber] = []

    def update(lamp: int) -> None:
        for dim in range(15):
            broker.update(set_dim(lamp, dim))

    def subscribe() -> None:
        subscribers.extend(broker.subscribe(DIMS, name=f"lamps {one}") for one in range(5))

    threads = [threading.Thread(target=update, args=(lamp,)) for lamp in range(3)]
    threads.append(threading.Thread(target=subscribe))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    expected = rows(solutions(broker, DIMS))
    for subscriber in subscribers:
        assert current(subscriber.waiting()) == expected
