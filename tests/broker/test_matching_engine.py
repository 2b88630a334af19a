"""The engine of exact and approximate subscriptions."""

import pytest

from purport import Event, InvalidInput, Subscription, parse
from purport.broker.engine import Engine
from purport.broker.matching_engine import MatchingEngine
from tests.contracts.engine import NOON, EngineContract


class TestMatchingEngine(EngineContract):
    def engine(self) -> Engine:
        return MatchingEngine()

    def runnable(self) -> Subscription:
        return parse("{device = laptop~, heat > 30}")

    def unrunnable(self) -> Subscription:
        return parse("{type = vpn down, start after(10 s) {port = 3}}")

    def answered(self) -> list[Event]:
        told: list[dict[str, object]] = [
            {"heat": 40},
            {"device": "notebook", "heat": 9},
            {"device": "notebook", "heat": 40},
        ]
        return [Event.from_json(one) for one in told]


def test_names_do_not_keep_equal_subscriptions_apart() -> None:
    engine = MatchingEngine()
    engine.add("one", parse("{a = 1} as x"))
    engine.add("two", parse("{a = 2} as x"))

    [answers] = engine.answers([Event.from_json({"a": 2})], NOON)

    assert [one.subscription for one in answers] == ["two"]


def test_a_measure_that_nobody_knows_is_refused_and_changes_nothing() -> None:
    engine = MatchingEngine()

    with pytest.raises(InvalidInput, match="nosuch"):
        engine.add("one", parse("{device = laptop~nosuch}"))

    assert engine.answers([Event.from_json({"device": "laptop"})], NOON) == [()]


def test_the_next_best_mappings_are_answered_where_asked_for() -> None:
    engine = MatchingEngine()
    engine.add("one", parse("{device~ = laptop~} top 2 threshold 0"))
    event = Event.from_json({"device": "notebook", "machine": "computer"})

    [[answer]] = engine.answers([event], NOON)

    assert len(answer.others) == 1
    assert answer.best.mapping != answer.others[0].mapping
    assert answer.best.probability >= answer.others[0].probability


def test_similarities_are_numbers_even_where_the_kernel_kept_none() -> None:
    engine = MatchingEngine()
    engine.add("one", parse("{device = laptop~, room = kitchen~} threshold 0 aggregation mean"))
    event = Event.from_json({"device": "laptop", "room": "carburettor"})

    [[answer]] = engine.answers([event], NOON)

    assert all(0 <= one <= 1 for one in answer.best.similarities)
