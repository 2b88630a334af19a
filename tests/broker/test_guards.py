"""Subscriptions that are looked at only where what covers them matches, against looking at all."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import Event, InvalidInput, Matcher, parse
from purport.broker.engine import Answer
from purport.broker.matching_engine import MatchingEngine
from purport.matching import matcher as matcher_module
from purport.model import subscription as ast
from tests.contracts.engine import NOON
from tests.strategies.covering import (
    TIDY,
    Pair,
    events_for,
    exact_subscriptions,
    families,
    wider,
)
from tests.strategies.covering_classes import class_subscriptions, wider_classes
from tests.strategies.small_ontology import drinks, objects

_ONE_TO_ONE = ast.Options(mapping=ast.Multiplicity.ONE_TO_ONE)


def _engine(*, uses_covering: bool, ontology: bool = False) -> MatchingEngine:
    known = drinks() if ontology else None
    return MatchingEngine(
        lambda: Matcher(measure="exact", ontology=known), uses_covering=uses_covering
    )


def _is_runnable(engine: MatchingEngine, one: ast.Subscription) -> bool:
    with suppress(InvalidInput):  # it asks for data among classes
        return engine.refuses(one) is None
    return False


def _answers(engine: MatchingEngine, events: Sequence[Event]) -> list[list[Answer]]:
    return [list(each) for each in engine.answers(events, NOON)]


def _check(
    some: Sequence[ast.Subscription],
    removed: Sequence[bool],
    events: Sequence[Event],
    *,
    ontology: bool,
) -> None:
    """Whether guarded and unguarded subscriptions answer alike, when some come and some go."""
    guarded, plain = (_engine(uses_covering=one, ontology=ontology) for one in (True, False))
    runnable = [one for one in some if _is_runnable(plain, one)]
    for engine in (guarded, plain):
        for number, one in enumerate(runnable):
            engine.add(str(number), one)
        for number, (_, is_removed) in enumerate(zip(runnable, removed, strict=False)):
            if is_removed:
                engine.remove(str(number))

    assert _answers(guarded, events) == _answers(plain, events)


@given(families(exact_subscriptions(TIDY), lambda one: wider(one, TIDY)), st.data())
def test_bags_and_mappings_answer_alike_under_guards(
    some: list[ast.Subscription], data: st.DataObject
) -> None:
    mixed = [replace(one, options=_ONE_TO_ONE) if data.draw(st.booleans()) else one for one in some]
    every = [*mixed, *some]
    removed = data.draw(st.lists(st.booleans(), max_size=len(every)))
    pairs = [Pair(data.draw(st.sampled_from(every)), one) for one in every]
    events = [data.draw(events_for(pair)) for pair in pairs]

    _check(every, removed, events, ontology=False)


@given(
    families(class_subscriptions, wider_classes),
    st.lists(objects, min_size=3, max_size=12),
    st.lists(st.booleans(), max_size=5),
)
def test_classes_answer_alike_under_guards(
    some: list[ast.Subscription], said: list[dict[str, Any]], removed: list[bool]
) -> None:
    _check(some, removed, [Event.from_json(one) for one in said], ontology=True)


def test_what_is_below_a_bag_that_does_not_match_is_not_looked_at() -> None:
    matcher = Matcher(measure="exact")
    engine = MatchingEngine(lambda: matcher)
    for count in range(2, 12):
        tags = ", ".join(f"t{number}" for number in range(count))
        engine.add(str(count), parse(f"{{tags within ({tags})}}"))

    [told] = engine.answers([Event.from_json({"tags": ["t0", "other"]})], NOON)

    assert not told
    assert matcher.plans_run == 1


def test_the_guard_of_what_is_left_is_the_next_one_above() -> None:
    matcher = Matcher(measure="exact")
    engine = MatchingEngine(lambda: matcher)
    for name, tags in {"all": "a, b, c", "same": "c, b, a", "some": "a, b", "few": "a"}.items():
        engine.add(name, parse(f"{{tags within ({tags})}}"))
    for name in ("some", "all"):
        engine.remove(name)

    told = [
        [one.subscription for one in engine.answers([Event.from_json({"tags": tags})], NOON)[0]]
        for tags in (["a"], ["a", "b"], ["a", "x"])
    ]

    assert told == [["same", "few"], ["same"], []]
    assert matcher.plans_run == 5  # of the third event, one subscription is left out


def test_what_is_below_one_that_matches_by_words_alone_is_looked_at() -> None:
    matcher = Matcher(measure="exact", ontology=drinks())
    engine = MatchingEngine(lambda: matcher)
    engine.add("wine", parse("{drink isa Wine}"))
    engine.add("tagged", parse("{drink isa RedWine, tags within (a, b)}"))
    events = [{"drink": drink, "tags": "a"} for drink in ("Merlot", "Riesling", "Juice")]

    told = [
        [one.subscription for one in some]
        for some in engine.answers(list(map(Event.from_json, events)), NOON)
    ]

    assert told == [["wine", "tagged"], ["wine"], []]


def test_guards_stay_when_a_matcher_is_built_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matcher_module, "_LEFT_SLOTS", 2)
    matcher = Matcher(measure="exact")
    engine = MatchingEngine(lambda: matcher)
    for number in range(8):
        engine.add(f"other {number}", parse(f"{{other = {number}}}"))
    engine.add("all", parse("{tags within (a, b)}"))
    engine.add("few", parse("{tags within (a)}"))
    for number in range(8):
        engine.remove(f"other {number}")

    told = [
        [one.subscription for one in engine.answers([Event.from_json({"tags": tags})], NOON)[0]]
        for tags in (["a"], ["a", "b"], ["a", "x"])
    ]

    assert told == [["all", "few"], ["all"], []]
    assert matcher.plans_run == 5
