"""Subscriptions answered out of a history, against a scan of everything."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport.errors import EventError, NotSupportedYet
from purport.matching.batch_matches import FoundRow
from purport.matching.matcher import Matcher
from purport.model.event import Event
from purport.model.language.parse import parse
from purport.model.subscription import Options, Subscription
from purport.storage.opening_history import open_sql_history, open_sqlite_history
from purport.temporal import stored_answers
from purport.temporal.history import EventHistory, MemoryHistory
from purport.temporal.occurrence import Occurrence
from purport.temporal.stored_answers import StoredAnswers
from tests.contracts.event_history import occurrence
from tests.oracles.temporal_arrivals import Arrivals, Publication, Step
from tests.oracles.temporal_scan import Remembering, answers
from tests.storage.mariadb_server import MariadbServer
from tests.storage.postgres_server import PostgresServer
from tests.strategies import temporal

_MATCHER = Remembering(temporal.matcher())
asked = st.one_of(
    *(
        st.builds(
            Subscription,
            temporal.conjunctions(near=near, depth=depth),
            temporal.options if near else st.just(Options()),
        )
        for near in (False, True)
        for depth in (0, 1, 2, 3)
    )
)


def happened(steps: list[Step]) -> list[Occurrence]:
    """What is known after some publications."""
    arrivals = Arrivals((), _MATCHER)
    for step in steps:
        if isinstance(step, Publication):
            try:
                arrivals.take(step.event, step.at)
            except EventError:
                continue
    return arrivals.occurrences


def answered(
    history: EventHistory, subscriptions: list[Subscription], *, in_database: bool = False
) -> list[dict[str, float]]:
    """For each subscription what answers it, and how likely."""
    stored = StoredAnswers(history, temporal.matcher(), in_database=in_database)
    found: list[dict[str, float]] = [{} for _ in subscriptions]
    for one in history.all():
        for place, probability in enumerate(stored.answers(subscriptions, one)):
            if probability is not None:
                found[place][one.id] = probability
    for place, subscription in enumerate(subscriptions):
        assert stored.has_match(subscription) == bool(found[place])
    return found


@given(temporal.streams(), st.lists(asked, min_size=1, max_size=4))
def test_the_history_answers_as_a_scan_of_everything_does(
    steps: list[Step], subscriptions: list[Subscription]
) -> None:
    known = happened(steps)
    history = MemoryHistory()
    history.keep(known, applied=1)

    found = answered(history, subscriptions)

    for subscription, one in zip(subscriptions, found, strict=True):
        expected = answers(subscription, known, matcher=_MATCHER)
        assert one == pytest.approx(expected)


@settings(max_examples=40)
@given(st.data())
def test_it_does_not_matter_who_keeps_the_history_and_who_judges(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("history")
    path = folder / "history.sqlite"
    _compare(lambda: open_sqlite_history(path, durability="relaxed"), data)


@settings(max_examples=12)
@given(st.data())
def test_it_does_not_matter_in_postgres_either(
    postgres: PostgresServer, data: st.DataObject
) -> None:
    _compare(lambda: open_sql_history(postgres.new_place()), data)


@settings(max_examples=12)
@given(st.data())
def test_it_does_not_matter_in_mariadb_either(mariadb: MariadbServer, data: st.DataObject) -> None:
    _compare(lambda: open_sql_history(mariadb.new_place()), data)


def _compare(opened: Callable[[], EventHistory], data: st.DataObject) -> None:
    known = happened(data.draw(temporal.streams()))
    subscriptions = data.draw(st.lists(asked, min_size=1, max_size=6))
    in_memory = MemoryHistory()
    in_memory.keep(known, applied=1)
    history = opened()
    try:
        history.keep(known, applied=1)

        expected = answered(in_memory, subscriptions)

        assert answered(history, subscriptions) == expected
        assert answered(history, subscriptions, in_database=True) == expected
    finally:
        history.close()


def test_what_was_told_late_answers_nothing() -> None:
    history = MemoryHistory()
    early, late = occurrence("a", 1, 2), occurrence("b", 5, 6, is_late=True)
    history.keep([early, late], applied=1)

    stored = StoredAnswers(history, Matcher(measure="exact"))

    assert stored.answer(parse("{A = 1}"), early) == 1.0
    assert stored.answer(parse("{A = 5}"), late) is None
    assert not stored.has_match(parse("{start after {A = 5}}"))


def test_an_event_need_not_be_kept_to_be_asked_about() -> None:
    history = MemoryHistory()
    history.keep([occurrence("a", 1, 2)], applied=1)
    stored = StoredAnswers(history, Matcher(measure="exact"))

    assert stored.answer(parse("{start after {A = 1}}"), occurrence("b", 3, 4)) == 1.0
    assert stored.answer(parse("{start after {A = 2}}"), occurrence("b", 3, 4)) is None
    assert stored.answer(parse("{start after {A = 1}}"), occurrence("a", 3, 4)) is None


def test_what_is_known_better_is_judged_anew() -> None:
    history = MemoryHistory()
    stored = StoredAnswers(history, Matcher(measure="exact"))
    asked_for = parse("{start after {A = 7}}")
    later = occurrence("b", 30, 40)
    history.keep([occurrence("a", 1, 2)], applied=1)
    assert stored.answer(asked_for, later) is None

    history.keep([occurrence("a", 7, 8)], applied=2)

    assert stored.answer(asked_for, later) == 1.0


def test_equal_filters_are_judged_once_for_each_event(monkeypatch: pytest.MonkeyPatch) -> None:
    history = MemoryHistory()
    history.keep([occurrence(str(n), n, n) for n in range(50)], applied=1)
    matcher = Matcher(measure="exact")
    judged: list[Event] = []
    match_rows = matcher.match_rows

    def noting(events: Sequence[Event]) -> list[tuple[FoundRow, Subscription]]:
        judged.extend(events)
        return match_rows(events)

    monkeypatch.setattr(matcher, "match_rows", noting)
    stored = StoredAnswers(history, matcher)
    texts = ["{A filter(>, last 40) {A > 90}}", "{start after {A > 90}}", "{end after {A > 90}}"]

    found = stored.answers([parse(text) for text in texts * 5], occurrence("x", 60, 60))

    assert found == [None] * 15
    assert len(judged) <= 51


def test_more_may_be_asked_at_once_than_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_answers, "_MOST_ASKED", 10)
    history = MemoryHistory()
    history.keep([occurrence("a", 1, 2)], applied=1)
    stored = StoredAnswers(history, Matcher(measure="exact"))
    texts = [f"{{A = {9 - n % 2}, start after({n} s) {{A = 1}}}}" for n in range(1, 200)]

    found = stored.answers([parse(text) for text in texts], occurrence("b", 9, 9))

    assert found == [None if n % 2 else 1.0 for n in range(1, 200)]


@pytest.mark.parametrize(
    "text",
    [
        "{A = 1} then {A = 2} within 1 s",
        "{A = 1} and {A = 2}",
        "{A < $b}",
        "{start after {avg(A) over 5 s = 3~}}",
        "{start after {B = $b, avg(A) over 5 s = 3}}",
    ],
)
def test_what_needs_more_than_one_event_and_its_past_is_refused(text: str) -> None:
    stored = StoredAnswers(MemoryHistory(), Matcher(measure="exact"))

    with pytest.raises(NotSupportedYet):
        stored.answer(parse(text), occurrence("a", 1, 2))


def test_a_history_in_a_file_judges_what_sql_can_compare(tmp_path: Path) -> None:
    history = open_sqlite_history(tmp_path / "history.sqlite")
    history.keep([occurrence(str(n), n, n) for n in range(50)], applied=1)
    matcher = Matcher(measure="exact")
    stored = StoredAnswers(history, matcher, in_database=True)
    before = matcher.visited

    found = stored.answer(
        parse("{start after {A < 3, A != 2, A in [1, 2]}}"), occurrence("x", 60, 60)
    )

    assert found == 1.0
    assert matcher.visited == before
    history.close()
