"""Dry runs: what a subscription would tell, had it been there."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport import Matcher, NotSupportedYet
from purport.broker.access import AccessRule, AccessRules, Action, Forbidden
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.embedded.trials import Trial
from purport.errors import InvalidInput, PurportError, SubscriptionSyntaxError
from purport.model.clock import ManualClock
from purport.model.event import Event
from purport.relatedness.exact import Exact
from purport.relatedness.measure import Scores
from tests.embedded.brokers import NOON, exact
from tests.embedded.lamps import DIMS, set_dim, values


def about(trials: list[Trial]) -> list[str]:
    return [one.match.event.id or "" for one in trials]


def kept(broker: Broker) -> tuple[int, bytes]:
    """All that a broker would find again: its journal's end, and its state."""
    return broker.sequence, broker._ledger._state.snapshot()


def test_an_example_is_matched_and_explained() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        before = kept(broker)
        [found] = broker.try_out("{a > 5, room = 1}", {"a": 6, "room": 1})

        assert found.match.probability == 1.0 and found.position is None
        assert "a > 5" in found.match.explain()
        assert '"predicate":"room = 1"' in found.match.explain("json")
        assert broker.try_out("{a > 5}", '{"a": 4}') == []
        assert about(broker.try_out("{a > 5}", Event.from_json({"@id": "e", "a": 6}))) == ["e"]
        assert kept(broker) == before


def test_a_rule_says_what_it_would_publish_and_update(broker: Broker) -> None:
    every = broker.subscribe("{b > 0} as every")
    before = kept(broker)

    [derived] = broker.try_out("when {a > 5} as r publish {b = $a}", {"@id": "e", "a": 6})
    [updating] = broker.try_out(
        'when {a > 5} update "INSERT DATA { <urn:s> <urn:p> $a }"', {"a": 6}
    )
    [failing] = broker.try_out("when {a > 5} publish {b = $none}", {"a": 6})
    [posting] = broker.try_out('when {a > 5} post "http://127.0.0.1:9/"', {"@id": "e", "a": 6})

    assert [one.to_json() for one in derived.published] == [b'{"@id":"e>r","b":6}']
    assert len(updating.updates) == 1 and "<urn:s>" in updating.updates[0]
    assert failing.failures == ("the event says nothing under $none",)
    assert (posting.published, posting.updates, posting.failures) == ((), (), ())
    assert list(every.waiting()) == []
    assert kept(broker) == before and broker.failures() == []


def test_a_rule_that_goes_round_in_circles_stops() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        found = broker.try_out("when {a > 0} as round publish {a = $a}", {"@id": "e", "a": 1})

        assert len(found) == 9
        assert "went on from one another more than 8 times" in found[-1].failures[0]


def test_a_query_is_told_its_answer_now_and_nothing_is_run_before() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        broker.update(set_dim(1, 5))
        broker.update(set_dim(1, 7), after=timedelta(hours=1))
        clock.advance(timedelta(hours=2))
        before = kept(broker)

        [found] = broker.try_out(DIMS)

        assert not isinstance(found.news, type(None)) and found.at == clock.now()
        assert values(found.news.added) == ["5"]  # type: ignore[union-attr]
        assert found.news.variables == ("lamp", "dim")  # type: ignore[union-attr]
        assert kept(broker) == before
        with pytest.raises(InvalidInput, match="a query is asked of the graph"):
            broker.try_out(DIMS, {"a": 1})


def test_a_part_of_the_journal_is_tried(broker: Broker) -> None:
    receipts = broker.publish_all([{"@id": f"e{number}", "a": number} for number in range(6)])
    first = receipts[0].sequence
    before = kept(broker)

    def found(**part: object) -> list[str]:
        return about(broker.try_out("{a >= 0}", **part))  # type: ignore[arg-type]

    assert found() == [f"e{number}" for number in range(6)]
    assert found(most=2) == ["e4", "e5"]
    assert found(after=first, through=first + 2) == ["e1", "e2"]
    assert found(after=first, most=2) == ["e1", "e2"]
    assert found(through=first) == ["e0"]
    assert found(after=10_000) == found(through=0) == []
    assert found(since=datetime(2000, 1, 1, tzinfo=UTC)) == found()
    assert found(since=datetime.now(UTC) + timedelta(hours=1)) == []
    [second] = broker.try_out("{a = 1}")
    assert second.position == first + 1
    assert kept(broker) == before


def test_a_part_begins_at_a_time_in_sealed_stretches_too(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        for number in range(6):
            broker.publish({"@id": f"e{number}", "a": number})
            clock.advance(timedelta(minutes=1))
            if number in (1, 3):
                broker.compact()

        for minute in range(7):
            since = NOON + timedelta(minutes=minute)
            wanted = [f"e{number}" for number in range(minute, 6)]
            assert about(broker.try_out("{a >= 0}", since=since)) == wanted
            early = since - timedelta(seconds=1)
            assert about(broker.try_out("{a >= 0}", since=early)) == wanted


def test_when_to_tell_holds_in_a_trial_too() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        for number, value in enumerate((30, 31, 20, 32, 33)):
            broker.publish({"@id": f"e{number}", "heat": value})
            clock.advance(timedelta(minutes=2))

        assert about(broker.try_out("{heat > 25} on change")) == ["e0", "e3"]
        assert about(broker.try_out("{heat > 25} at most once per 3 min")) == ["e0", "e3"]
        assert about(broker.try_out("{heat > 25} expires 2026-11-17T12:03:00Z")) == ["e0", "e1"]


def test_a_pattern_in_time_is_tried_and_what_is_missing_is_found() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        for said in ({"@id": "e1", "a": 1}, {"@id": "e2", "b": 1}, {"@id": "e3", "a": 1}):
            broker.publish(said)
            clock.advance(timedelta(seconds=10))
        clock.advance(timedelta(hours=1))
        before = kept(broker)

        [pair] = broker.try_out("{b = 1, start after {a = 1}}")
        missing = broker.try_out("not {b = 1} within 1 min after {a = 1}")

        assert about([pair]) == ["e2"]
        assert [one.event.id for one in pair.match.evidence] == ["e1"]
        assert "e1" in pair.match.explain()
        assert about(missing) == ["e3"]
        assert broker.try_out("{b = 1, start after {a = 1}}", after=1) == []
        assert kept(broker) == before


def test_a_rule_that_is_there_already_is_tried_as_if_it_were_not() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.subscribe("when {a = 1} as r publish {b = 1}")
        broker.publish({"@id": "e", "a": 1})

        [found] = broker.try_out("when {a = 1} as r publish {b = 1}")

        assert [one.id for one in found.published] == ["e>r"]
        assert about(broker.try_out("{b = 1}")) == ["e>r"]


def test_nobody_learns_by_trying_what_they_may_not_hear() -> None:
    rules = AccessRules(
        (
            AccessRule(frozenset({"ann"}), frozenset({Action.SUBSCRIBE}), ("floor/1/#",)),
            AccessRule(frozenset({"ann"}), frozenset({Action.SUBSCRIBE}), graphs=("urn:own",)),
            AccessRule(frozenset({"sensor"}), frozenset({Action.PUBLISH})),
        )
    )
    with Broker.in_memory(matcher=exact, settings=BrokerSettings(access=rules)) as broker:
        for floor in (1, 2):
            broker.publish({"@id": f"e{floor}", "a": 1}, topic=f"floor/{floor}", publisher="sensor")
            broker.publish({"@id": f"f{floor}", "b": 1}, topic=f"floor/{floor}", publisher="sensor")

        assert about(broker.try_out("{a = 1}", who="ann")) == ["e1"]
        assert broker.try_out("{b = 1, start after {a = 1}}", who="ann") == []
        for who in (None, "sensor"):
            with pytest.raises(Forbidden, match="may not subscribe"):
                broker.try_out("{a = 1}", who=who)
        with pytest.raises(Forbidden):
            broker.try_out("SELECT ?s { GRAPH <urn:other> { ?s ?p ?o } }", who="ann")
        [found] = broker.try_out("when {a = 1} publish {c = 1}", who="ann")
        assert found.failures == ("ann may not publish on 'floor/1'",)


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("{a =", {}),
        ("{a = 1}", {"event": {"@odd": 1}}),
        ("{a = 1}", {"event": {"a": 1}, "after": 0}),
        ("{a = 1}", {"event": {"a": 1}, "topic": "a/#"}),
        ("{a = 1}", {"after": -1}),
        ("{a = 1}", {"most": 0}),
        ("{a = 1}", {"most": 100_001}),
        ("{a = 1}", {"since": datetime(2026, 1, 1)}),  # noqa: DTZ001
        ("{a = 1} as x", {"name": "y"}),
        ("SELECT ?x WHERE {", {}),
        (3, {}),
    ],
)
def test_what_cannot_be_tried_is_said(text: str, given: dict[str, object]) -> None:
    with Broker.in_memory(matcher=exact) as broker:
        with pytest.raises(InvalidInput):
            broker.try_out(text, **given)  # type: ignore[arg-type]
        with pytest.raises(SubscriptionSyntaxError):
            broker.try_out("{a =")
        with pytest.raises((NotSupportedYet, InvalidInput)):
            broker.try_out("{b = 1, start after {a = 1}} on change", {"a": 1})
        assert about(broker.try_out("{a = 1}", {"a": 1})) == ["example"]


def test_trials_go_on_beside_each_other_and_beside_publishing() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.publish_all([{"@id": f"e{number}", "a": number % 7} for number in range(2_000)])
        found: dict[int, int] = {}

        def look(value: int) -> None:
            found[value] = len(broker.try_out(f"{{a = {value}}} as same", after=0, through=2_000))

        threads = [threading.Thread(target=look, args=(value,)) for value in range(4)]
        for one in threads:
            one.start()
        broker.publish_all([{"a": 1}] * 200)
        for one in threads:
            one.join()

        assert found == {value: len(range(value, 2_000, 7)) for value in range(4)}


class _Interrupting:
    """A measure that lets something else be done, in another thread, while it is asked."""

    def __init__(self) -> None:
        self.others: list[Callable[[], object]] = []
        self.was_held_up: list[bool] = []

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        while self.others:
            thread = threading.Thread(target=self.others.pop(), daemon=True)
            thread.start()
            thread.join(10)
            self.was_held_up.append(thread.is_alive())
        return Exact().matrix(left, right)

    def score(self, left: str, right: str) -> float:
        return Exact().score(left, right)


def test_others_publish_while_something_is_tried() -> None:
    measure = _Interrupting()
    with Broker.in_memory(matcher=lambda: Matcher(measure=measure)) as broker:
        broker.publish_all([{"a": number} for number in range(5)])
        measure.others = [lambda: broker.publish({"c": 1}), lambda: broker.try_out("{c~ = 1}")]

        found = broker.try_out("{a~ = 3}", after=0)

        assert measure.was_held_up == [False, False]
        assert len(found) == 1 and broker.sequence == 6


_ASKED = st.sampled_from(
    [
        "{a > 1}",
        "{a > 1} on change",
        "{a > 1} at most once per 1 h as x",
        "when {a > 0} as r publish {a = $a}",
        "when {a > 0} publish {b = $none}",
        'when {a > 0} update "INSERT DATA { <urn:s> <urn:dim> $a }"',
        "{b = 1, start after {a = 1}}",
        "not {b = 1} within 1 min after {a = 1}",
        DIMS,
        "{broken",
    ]
)
_EVENTS = st.lists(
    st.builds(lambda name, value: {name: value}, st.sampled_from("ab"), st.integers(0, 3)),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(registered=st.lists(_ASKED, max_size=4), events=_EVENTS, tried=st.lists(_ASKED, max_size=5))
def test_whatever_is_tried_nothing_changes(
    registered: list[str], events: list[dict[str, int]], tried: list[str]
) -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        for number, text in enumerate(registered):
            _try(broker.subscribe, text, name=None if " as " in text else f"s{number}")
        for event in events:
            broker.publish(event)
            clock.advance(timedelta(seconds=40))
        broker.update(set_dim(1, 5))
        before, told = kept(broker), _told(broker)

        for text in tried:
            _try(broker.try_out, text)
            _try(broker.try_out, text, {"a": 1})

        assert kept(broker) == before and _told(broker) == told


@settings(max_examples=60, deadline=None)
@given(text=_ASKED.filter(lambda text: text[0] in "{n" and text != "{broken"), events=_EVENTS)
def test_a_trial_tells_what_a_subscription_would_have_told(
    text: str, events: list[dict[str, int]]
) -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        real = broker.subscribe(text)
        for event in events:
            broker.publish(event)
            clock.advance(timedelta(seconds=40))
        clock.advance(timedelta(hours=1))
        broker.run_due()

        told = [(one.match.event.id, one.probability) for one in real.waiting()]

        tried = broker.try_out(text)
        assert [(one.match.event.id, one.match.probability) for one in tried] == told


def _try(do: Callable[..., object], *arguments: object, **named: object) -> None:
    with suppress(PurportError):
        do(*arguments, **named)


def _told(broker: Broker) -> list[tuple[str, int, int]]:
    """How far everybody is."""
    states = ((one.id, broker.status(one.id)) for one in broker.registrations())
    return [(name, one.next, one.waiting) for name, one in states]
