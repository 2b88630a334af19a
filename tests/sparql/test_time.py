"""Time and chance: what asks for them is told what it was when something else changed."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from purport.errors import InvalidInput
from purport.model.clock import ManualClock
from purport.sparql import Engine, Notification
from purport.sparql.errors import SparqlSyntaxError
from purport.sparql.standing_query import Binding

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)
MICROSECONDS = 1_000_000
DATE_TIME = NamedNode("http://www.w3.org/2001/XMLSchema#dateTime")
Pass = Callable[[int], list[Notification]]


def told(news: Notification, name: str) -> tuple[list[str], list[str]]:
    """The values of a variable that came, and those that went."""
    return values(news.added, name), values(news.removed, name)


def values(rows: Sequence[Binding], name: str) -> list[str]:
    terms = [one[name] for one in rows]
    return sorted("" if isinstance(term, Triple) else term.value for term in terms)


def engine_with_a_clock() -> tuple[Engine, Pass]:
    clock = ManualClock(NOON)
    engine = Engine(clock=clock)

    def seconds_pass(seconds: int) -> list[Notification]:
        clock.advance(timedelta(seconds=seconds))
        return []

    return engine, seconds_pass


def engine_that_is_advanced() -> tuple[Engine, Pass]:
    engine = Engine()
    engine.advance_to(NOON)
    return engine, lambda seconds: engine.advance_to(engine.now() + timedelta(seconds=seconds))


@pytest.fixture(params=[engine_with_a_clock, engine_that_is_advanced])
def timed(request: pytest.FixtureRequest) -> tuple[Engine, Pass]:
    """An engine at noon, and how time passes there."""
    made: tuple[Engine, Pass] = request.param()
    return made


def test_now_is_the_time_of_the_update_that_touched_the_query(timed: tuple[Engine, Pass]) -> None:
    engine, seconds_pass = timed
    engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    live = engine.subscribe("SELECT ?s (NOW() AS ?t) WHERE { ?s <urn:p> ?v }")
    assert [one["t"] for one in live.initial] == [
        Literal("2026-11-17T12:00:00Z", datatype=DATE_TIME)
    ]

    assert seconds_pass(5) == []  # time alone tells nobody anything
    assert engine.update("INSERT DATA { <urn:a> <urn:q> 1 }") == []  # nor what does not touch it
    [news] = engine.update("INSERT DATA { <urn:b> <urn:p> 1 }")

    then, later = (f"2026-11-17T12:00:0{second}Z" for second in (0, 5))
    assert told(news, "t") == ([later, later], [then])


def test_the_clock_counts_microseconds_of_the_same_time(timed: tuple[Engine, Pass]) -> None:
    engine, seconds_pass = timed
    live = engine.subscribe(
        "PREFIX at: <urn:purport:> SELECT (at:clock() AS ?t) (<urn:purport:clock>() AS ?u) "
        "WHERE { ?s <urn:p> ?v }"
    )
    seconds_pass(7)

    [news] = engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")

    expected = str((int(NOON.timestamp()) + 7) * MICROSECONDS)
    assert (news.subscription_id, told(news, "t")) == (live.id, ([expected], []))
    assert told(news, "u") == ([expected], [])


def test_a_filter_over_the_time_is_told_with_the_next_update(timed: tuple[Engine, Pass]) -> None:
    engine, seconds_pass = timed
    until = int(NOON.timestamp() + 10) * MICROSECONDS
    engine.update(f"INSERT DATA {{ <urn:a> <urn:until> {until} }}")
    live = engine.subscribe(
        "SELECT ?s WHERE { ?s <urn:until> ?t FILTER(?t > <urn:purport:clock>()) }"
    )
    assert len(live.initial) == 1
    assert engine.how(live.id) == "asked again: the time, which passes"

    assert seconds_pass(20) == []
    [news] = engine.update(f"INSERT DATA {{ <urn:b> <urn:until> {until} }}")

    assert told(news, "s") == ([], ["urn:a"])


STAMP = "INSERT {{ <urn:{0}> <urn:at> ?t }} WHERE {{ BIND(<urn:purport:clock>() AS ?t) }}"


def test_a_delayed_update_runs_at_its_own_time() -> None:
    engine, seconds_pass = engine_that_is_advanced()
    engine.subscribe("SELECT ?t WHERE { ?s <urn:at> ?t }")
    engine.update(STAMP.format("a"), at=NOON + timedelta(seconds=60))
    engine.update(STAMP.format("b"), after=timedelta(seconds=30))

    news = seconds_pass(100)

    noon = int(NOON.timestamp())
    assert [told(one, "t")[0] for one in news] == [
        [str((noon + seconds) * MICROSECONDS)] for seconds in (30, 60)
    ]
    assert engine.now() == NOON + timedelta(seconds=100)


def test_by_a_clock_a_delayed_update_runs_at_the_time_that_it_is_then() -> None:
    clock = ManualClock(NOON)
    engine = Engine(clock=clock)
    engine.subscribe("SELECT ?t WHERE { ?s <urn:at> ?t }")
    engine.update(STAMP.format("a"), after=timedelta(seconds=30))
    now = clock.advance(timedelta(seconds=100))

    [late] = engine.advance_to(now)
    [at_once] = engine.update(STAMP.format("b"), at=NOON + timedelta(seconds=99))

    expected = str((int(NOON.timestamp()) + 100) * MICROSECONDS)
    assert told(late, "t") == told(at_once, "t") == ([expected], [])


def test_a_delayed_update_that_fails_is_kept_and_the_rest_goes_on() -> None:
    engine = Engine()
    engine.advance_to(NOON)
    engine.subscribe("SELECT ?s WHERE { ?s <urn:p> ?v }")
    for second, text in enumerate(
        (
            "INSERT DATA { <urn:a> <urn:p> 1 }",
            "INSERT DATA { <urn:b> <urn:p> 1 } ; DROP GRAPH <urn:g>",
            "LOAD <file:///nowhere.ttl>",
            "INSERT DATA { <urn:c> <urn:p> 1 }",
        ),
        start=1,
    ):
        engine.update(text, after=timedelta(seconds=second))
    assert engine.failed() == []

    news = engine.advance_to(NOON + timedelta(seconds=10))

    assert [told(one, "s") for one in news] == [(["urn:a"], []), (["urn:c"], [])]
    first, second_failed = engine.failed()
    assert first.update.at == NOON + timedelta(seconds=2)
    assert "there is no graph <urn:g>" in first.reason
    assert second_failed.update.text == "LOAD <file:///nowhere.ttl>"
    assert "not allowed" in second_failed.reason
    assert engine.delayed() == []
    assert engine.advance_to(NOON + timedelta(seconds=20)) == []
    assert len(engine.failed()) == 2


def test_what_is_no_update_is_refused_before_it_waits() -> None:
    engine = Engine()

    with pytest.raises(SparqlSyntaxError, match="the text ends here"):
        engine.update("INSERT {", after=timedelta(seconds=1))

    assert engine.delayed() == []


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"at": "2026-11-18"}, "expected a time"),
        ({"after": 5}, "expected a length of time"),
        ({"after": timedelta.max}, "no time is"),
        ({"at": NOON, "after": timedelta(1)}, "got both"),
    ],
)
def test_a_time_that_is_none_is_told(how: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        Engine().update("INSERT DATA { <urn:a> <urn:p> 1 }", **how)


def test_by_a_clock_what_is_due_runs_before_what_is_done_next() -> None:
    clock = ManualClock(NOON)
    engine = Engine(clock=clock)
    live = engine.subscribe("SELECT ?v { <urn:a> <urn:p> ?v }")
    engine.update("INSERT DATA { <urn:a> <urn:p> 1 }", after=timedelta(seconds=5))
    clock.advance(timedelta(seconds=6))

    assert engine.query("ASK { <urn:a> <urn:p> 1 }")
    told_of = engine.update("INSERT DATA { <urn:a> <urn:p> 2 }")

    assert [(one.subscription_id, one.sequence) for one in told_of] == [(live.id, 1), (live.id, 2)]
    assert engine.delayed() == []


def test_what_was_due_is_told_once_however_often_one_looks() -> None:
    clock = ManualClock(NOON)
    engine = Engine(clock=clock)
    live = engine.subscribe("SELECT ?v { <urn:a> <urn:p> ?v }")
    gone = engine.subscribe("SELECT ?s { ?s <urn:p> 1 }")
    for second in (1, 2):
        engine.update(
            f"INSERT DATA {{ <urn:a> <urn:p> {second} }}", after=timedelta(seconds=second)
        )
    for _ in range(3):
        clock.advance(timedelta(seconds=1))
        assert engine.query("ASK { <urn:a> <urn:p> 1 }")
    engine.unsubscribe(gone.id)

    told_of = engine.update("INSERT DATA { <urn:a> <urn:p> 3 }")

    assert [(one.subscription_id, one.sequence) for one in told_of] == [
        (live.id, number) for number in (1, 2, 3)
    ]


def test_a_time_that_is_now_has_come(timed: tuple[Engine, Pass]) -> None:
    engine, _ = timed
    engine.subscribe("SELECT ?v { <urn:a> <urn:p> ?v }")

    [news] = engine.update("INSERT DATA { <urn:a> <urn:p> 1 }", at=engine.now())

    assert news.added == [{"v": Literal(1)}]
    assert engine.delayed() == []


def test_an_engine_may_be_ahead_of_its_clock_and_is_never_behind() -> None:
    clock = ManualClock(NOON)
    engine = Engine(clock=clock)

    engine.advance_to(NOON + timedelta(seconds=10))
    assert engine.now() == NOON + timedelta(seconds=10)
    clock.advance(timedelta(seconds=20))
    assert engine.now() == NOON + timedelta(seconds=20)


def test_time_does_not_go_back_and_has_a_zone() -> None:
    engine = Engine()
    engine.advance_to(NOON)

    assert engine.advance_to(NOON - timedelta(hours=1)) == []
    assert engine.now() == NOON
    with pytest.raises(InvalidInput, match="with its zone"):
        engine.advance_to(datetime(2026, 11, 17, 13))  # noqa: DTZ001
    with pytest.raises(InvalidInput, match="with its zone"):
        engine.update("CLEAR ALL", at=datetime(2026, 11, 17, 13))  # noqa: DTZ001


@pytest.mark.parametrize("function", ["RAND()", "UUID()", "STRUUID()", "BNODE()"])
def test_chance_is_drawn_anew_whenever_the_query_is_touched(function: str) -> None:
    engine = Engine()
    engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    live = engine.subscribe(f"SELECT ?s ({function} AS ?r) WHERE {{ ?s <urn:p> ?v }}")
    [before] = values(live.initial, "r")
    assert engine.how(live.id).startswith("asked again: ")

    assert engine.update("INSERT DATA { <urn:a> <urn:q> 1 }") == []
    [news] = engine.update("INSERT DATA { <urn:b> <urn:p> 1 }")
    came, went = told(news, "r")
    [again] = engine.update("DELETE DATA { <urn:b> <urn:p> 1 }")

    assert went == [before]
    assert len({before, *came}) == 3
    assert told(again, "r")[1] == came
    assert len(set(told(again, "r")[0]) - {before, *came}) == 1


@pytest.mark.parametrize("function", ["NOW()", "RAND()", "UUID()", "STRUUID()", "BNODE()"])
def test_an_update_draws_once_and_all_are_told_the_same(function: str) -> None:
    engine = Engine()
    engine.subscribe("SELECT ?r WHERE { <urn:a> <urn:r> ?r }")
    engine.subscribe("SELECT ?r WHERE { ?s <urn:r>+ ?r }")

    news = engine.update(f"INSERT {{ <urn:a> <urn:r> ?r }} WHERE {{ BIND({function} AS ?r) }}")

    [kept] = engine.query("SELECT ?r WHERE { <urn:a> <urn:r> ?r }")  # type: ignore[misc]
    assert [one.added for one in news] == [[{"r": kept["r"]}]] * 2
