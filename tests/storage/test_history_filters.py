"""Exact filters judged by a database, against the matcher."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport.matching.matcher import Matcher
from purport.model.event import Event
from purport.model.subscription import Conjunction, Subscription
from purport.storage.opening_history import open_sql_history, open_sqlite_history
from purport.storage.sql_history import SqlHistory
from purport.temporal.occurrence import Occurrence
from tests.storage.mariadb_server import MariadbServer
from tests.storage.postgres_server import PostgresServer
from tests.strategies.exact import events, exact_subscriptions

some_events = st.lists(events, min_size=1, max_size=8)
some_subscriptions = st.lists(exact_subscriptions, min_size=1, max_size=8)


@settings(max_examples=50)
@given(some_events, some_subscriptions)
def test_sqlite_compares_as_the_matcher_does(
    tmp_path_factory: pytest.TempPathFactory, told: list[Event], asked: list[Subscription]
) -> None:
    folder = tmp_path_factory.mktemp("history")
    _compare(open_sqlite_history(folder / "history.sqlite", durability="relaxed"), told, asked)


@settings(max_examples=25)
@given(some_events, some_subscriptions)
def test_postgres_compares_as_the_matcher_does(
    postgres: PostgresServer, told: list[Event], asked: list[Subscription]
) -> None:
    _compare(open_sql_history(postgres.new_place()), told, asked)


@settings(max_examples=25)
@given(some_events, some_subscriptions)
def test_mariadb_compares_as_the_matcher_does(
    mariadb: MariadbServer, told: list[Event], asked: list[Subscription]
) -> None:
    _compare(open_sql_history(mariadb.new_place()), told, asked)


def _compare(history: SqlHistory, told: list[Event], asked: list[Subscription]) -> None:
    known = [
        Occurrence(f"{place}", place, place + 2, event.statements)
        for place, event in enumerate(told)
    ]
    try:
        history.keep(known, applied=1)
        for subscription in asked:
            _compare_one(history, known, subscription)
    finally:
        history.close()


def _compare_one(history: SqlHistory, known: list[Occurrence], subscription: Subscription) -> None:
    matcher = Matcher([subscription], measure="exact")

    def answers(one: Occurrence) -> bool:
        return bool(matcher.match_rows([Event(one.statements)]))

    assert isinstance(subscription.pattern, Conjunction)
    filtered = history.filtered(subscription.pattern, answers)
    if filtered is not None:
        expected = [one for one in known if answers(one)]
        assert list(filtered.ended_between(newest_first=False)) == expected
        going_on = [one for one in expected if one.start <= 3 and (one.end or 0) >= 3]
        assert sorted(filtered.going_on_at(3), key=lambda one: one.id) == going_on
