"""Matching where the terms of subscriptions compete."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from purport import Event, Matcher, parse
from purport.matching.measures import Measures
from purport.matching.plan import DEFAULTS, Mode
from purport.model.event import Event as AnyEvent
from purport.model.subscription import Comparison, InRange, OneOfValues, Subscription
from purport.model.term import Resource, Text
from purport.model.words import said
from purport.relatedness.competition import RIVALRY_OF_NAMES, RIVALRY_OF_VALUES
from tests.oracles.approximate_matcher import ranked_mappings, values
from tests.oracles.competition import PlainCompetition
from tests.strategies.approximate import Steps, near_subscriptions
from tests.strategies.exact import events

lists = st.lists(near_subscriptions, max_size=4)


def competing(subscriptions: list[Subscription]) -> tuple[PlainCompetition, PlainCompetition]:
    """Measures for values and for names among the terms of subscriptions."""
    predicates = [one for subscription in subscriptions for one in subscription.predicates]
    assert all(isinstance(one, Comparison | OneOfValues | InRange) for one in predicates)
    names = tuple(said(one.attribute.term) for one in predicates)  # type: ignore[union-attr]
    told = tuple(
        said(asked.term)
        for one in predicates
        for asked in values(one)
        if not isinstance(one, InRange) and isinstance(asked.term, Text | Resource)
    )
    return (
        PlainCompetition(Steps(), told, RIVALRY_OF_VALUES),
        PlainCompetition(Steps(), names, RIVALRY_OF_NAMES),
    )


def found(matcher: Matcher, event: AnyEvent) -> list[tuple[Subscription, float]]:
    return [(match.subscription, match.probability) for match in matcher.match(event)]


@example(
    [parse('{device = laptop, device = false~, device in [" lap  top", laptop]} aggregation mean')],
    [],
    Event.from_json({"device": ["laptop", "true"]}),
    Mode.DEFAULT,
)
@given(lists, lists, events, st.sampled_from(Mode))
def test_matches_are_those_of_the_oracle_under_the_competing_measure(
    subscriptions: list[Subscription], gone: list[Subscription], event: AnyEvent, mode: Mode
) -> None:
    defaults = DEFAULTS[mode]
    matcher = Matcher([*gone, *subscriptions], measure=Steps(), mode=mode, competition=True)
    matcher.match(event)
    for subscription in gone:
        matcher.remove(subscription)
    for_values, for_names = competing(subscriptions)

    probabilities = dict(found(matcher, event))

    for subscription in subscriptions:
        every = ranked_mappings(
            subscription, event, for_values, defaults.aggregation, defaults.exact, for_names
        )
        threshold = subscription.options.threshold
        least = defaults.threshold if threshold is None else threshold
        best = every[0][0] if every else -1.0
        if abs(best - least) > 1e-6:
            assert (subscription in probabilities) == (best > least)
        if subscription in probabilities:
            assert probabilities[subscription] == pytest.approx(best, abs=1e-6)


@given(near_subscriptions, events)
def test_a_subscription_with_one_predicate_alone_is_matched_as_without_competition(
    subscription: Subscription, event: AnyEvent
) -> None:
    assume(len(subscription.predicates) == 1)
    assume(not isinstance(subscription.predicates[0], OneOfValues))

    alone = Matcher([subscription], measure=Steps(), competition=True)

    assert found(alone, event) == found(Matcher([subscription], measure=Steps()), event)


@given(lists, near_subscriptions, events)
def test_a_subscription_that_came_and_went_leaves_no_trace(
    subscriptions: list[Subscription], guest: Subscription, event: AnyEvent
) -> None:
    assume(guest not in subscriptions)
    matcher = Matcher(subscriptions, measure=Steps(), competition=True)
    before = found(matcher, event)

    matcher.add(guest)
    matcher.match(event)
    matcher.remove(guest)

    assert found(matcher, event) == before


def test_another_subscriber_may_have_the_better_claim() -> None:
    printer = parse("{device = printer~} as printer")
    event = Event.from_json({"device": "portable computer"})
    matcher = Matcher([printer], competition=True)
    assert [match.subscription for match in matcher.match(event)] == [printer]

    laptop = parse("{device = laptop~} as laptop")
    matcher.add(laptop)
    assert [match.subscription for match in matcher.match(event)] == [laptop]

    matcher.remove(laptop)
    assert [match.subscription for match in matcher.match(event)] == [printer]


def test_an_exact_term_competes_too() -> None:
    event = Event.from_json({"device": "portable computer"})
    matcher = Matcher([parse("{device = printer~}")], competition=True)
    assert matcher.match(event)

    matcher.add(parse("{device = laptop}"))

    assert matcher.match(event) == []
    assert Matcher([parse("{device = printer~}"), parse("{device = laptop}")]).match(event)


def test_the_ends_of_a_range_do_not_compete() -> None:
    event = Event.from_json({"device": "portable computer"})
    printer = parse("{device = printer~}")
    matcher = Matcher([printer, parse("{device in [laptop, notebook]}")], competition=True)

    assert matcher.match(event) == Matcher([printer], competition=True).match(event) != []


def test_what_explains_a_match_knows_of_the_competition() -> None:
    matcher = Matcher([parse("{device = laptop~}"), parse("{device = printer~}")], competition=True)
    event = Event.from_json({"device": "portable computer"})
    [mapping] = matcher.mappings(event, parse("{device = printer~}"), 1)

    assert mapping.probability < 0.5
    [match] = matcher.match(event)
    assert match.probability == pytest.approx(matcher.explain(match).probability)


def test_the_default_measure_is_one_whether_it_is_named_or_not() -> None:
    measures = Measures("esa", competition=True)

    assert measures.for_values(None) is measures.for_values("esa")
    assert measures.for_names(None) is measures.for_names("esa")
