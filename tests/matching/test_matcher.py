import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import Event, InvalidInput, Matcher, NotSupportedYet, Subscription, parse
from tests.oracles.brute_force_matcher import matching_subscriptions
from tests.strategies.exact import events, exact_subscriptions


@given(st.lists(exact_subscriptions, max_size=8), events)
def test_the_index_finds_what_brute_force_finds(
    subscriptions: list[Subscription], event: Event
) -> None:
    matched = [match.subscription for match in Matcher(subscriptions).match(event)]

    assert matched == matching_subscriptions(subscriptions, event)


@given(st.lists(st.tuples(exact_subscriptions, st.booleans()), max_size=8), events)
def test_adding_and_removing_leaves_what_building_anew_would(
    subscriptions: list[tuple[Subscription, bool]], event: Event
) -> None:
    matcher = Matcher(subscription for subscription, _ in subscriptions)
    for subscription, stays in subscriptions:
        if not stays:
            matcher.remove(subscription)

    matched = [match.subscription for match in matcher.match(event)]

    assert sorted(map(repr, matcher.subscriptions)) == sorted(
        repr(subscription) for subscription, stays in subscriptions if stays
    )
    assert matched == matching_subscriptions(matcher.subscriptions, event)


@given(st.lists(exact_subscriptions, min_size=1, max_size=5), events)
def test_a_match_maps_each_predicate_to_a_statement_of_the_event(
    subscriptions: list[Subscription], event: Event
) -> None:
    for match in Matcher(subscriptions).match(event):
        pairs = match.mapping.correspondences
        assert tuple(pair.predicate for pair in pairs) == match.subscription.predicates
        assert all(pair.statement in event.statements for pair in pairs)
        assert sum(pair.probability for pair in pairs) == pytest.approx(1)
        assert match.probability == 1


def test_a_bound_that_is_known_is_heard_by_who_asks_for_nothing_else() -> None:
    matcher = Matcher([parse("{device = lamp, temperature > 5} as both")])
    event = Event.from_json({"temperature": 7})

    assert not matcher.match(event)
    matcher.add(parse("{temperature > 5} as warm"))
    assert [match.subscription.name for match in matcher.match(event)] == ["warm"]


def test_removing_what_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        Matcher().remove(parse("{a = 1}"))


def test_two_subscriptions_do_not_share_a_name() -> None:
    matcher = Matcher([parse("{a = 1} as x")])

    with pytest.raises(InvalidInput, match="the name 'x' is taken"):
        matcher.add(parse("{a = 2} as x"))
    matcher.remove(parse("{a = 1} as x"))
    matcher.add(parse("{a = 2} as x"))

    assert len(matcher.match(Event.from_json({"a": 2}))) == 1


def test_a_very_long_conjunction_is_matched_and_removed() -> None:
    long = parse("{" + ", ".join(f"a{i} = {i}" for i in range(2000)) + "}")
    matcher = Matcher([long])

    assert matcher.match(Event.from_json({f"a{i}": i for i in range(2000)}))
    assert not matcher.match(Event.from_json({f"a{i}": i for i in range(1999)}))
    matcher.remove(long)
    assert matcher.subscriptions == ()


def test_a_matcher_can_be_sent_to_a_worker() -> None:
    matcher = pickle.loads(pickle.dumps(Matcher([parse("{a > 1} as big")])))

    [match] = matcher.match(Event.from_json({"a": 2}))

    assert match.subscription.name == "big"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("{room = $room}", "a reference"),
        ("{temperature > 25~}", "a bound that is approximate"),
        ("{wine has wine:hasColor = $colour}", "a reference"),
        ("{wine has wine:hasSugar > 3~}", "a bound that is approximate"),
        ("{tags contains all (a, $b)}", "a reference"),
        ("{tags within ($a, b)}", "a reference"),
        ("{start after(10 s) {a = 1}}", "a temporal operator"),
        ("{end during {a = 1}}", "a temporal operator"),
        ("{end with {a = 1}}", "a temporal operator"),
        ("{a filter(<, last 200) {b = 1}}", "a temporal operator"),
        ("{interval overlaps {a = 1}}", "Allen's relations"),
        ("{avg(t) over 5 min > 25}", "an aggregate"),
        ("{a = 1} or {b = 2}", "an alternation"),
        ("{a = 1} then {b = 2}", "a sequence"),
        ("{a = 1} and {b = 2}", "a coincidence"),
        ("{a = 1} 3 times within 2 s", "a repetition"),
        ("not {a = 1} within 3 s after {b = 2}", "an absence"),
        ("{a = 1} expires 2030-01-01", "expires"),
        ("{a = 1} at most once per 5 min", "at most once per"),
        ("{a = 1} on change", "on change"),
        ('when {a = 1} post "http://localhost/"', "a rule"),
    ],
)
def test_a_form_without_an_engine_is_refused_when_used(text: str, form: str) -> None:
    subscription = parse(text)

    with pytest.raises(NotSupportedYet) as refusal:
        Matcher([subscription])

    assert str(refusal.value).startswith("not supported here: ")
    assert form in refusal.value.form


def test_one_subscription_that_is_refused_does_not_harm_the_others() -> None:
    matcher = Matcher([parse("{a = 1}")])

    with pytest.raises(NotSupportedYet):
        matcher.add(parse("{interval overlaps {a = 1}}"))

    assert len(matcher.match(Event.from_json({"a": 1}))) == 1


@pytest.mark.parametrize(
    ("text", "event", "expected"),
    [
        ("{temperature = 25 °C}", {"temperature": "77 °F"}, True),
        ("{temperature > 25 °C}", {"temperature": "77.1 °F"}, True),
        ("{temperature > 25 °C}", {"temperature": "77 °F"}, False),
        ("{temperature > 25 °C}", {"temperature": 26}, True),
        ("{temperature > 25}", {"temperature": "26 °C"}, True),
        ("{temperature_C > 77 °F}", {"temperature_C": 25.5}, True),
        ("{temperature_C > 77 °F}", {"temperature_C": 24.5}, False),
        ("{temperature_min < 0 °C}", {"temperature_min": -5}, True),
        ("{voltage_a > 200 V}", {"voltage_a": 230}, True),
        ("{temperature_C > 30}", {"temperature_C": "77 °F"}, False),
        ("{temperature_C = 25}", {"temperature_C": "77 °F"}, True),
        ("{voltage_a = 230}", {"voltage_a": "230 V"}, True),
        ("{r > 100 Ω}", {"r": "99 Ω"}, False),
        ("{t > 25 ℃}", {"t": "9 °C"}, False),
        ("{d > 2016-04-10T23:00Z}", {"d": "2016-04-11+02:00"}, False),
        ("{distance > 1 m}", {"distance": "1e308 km"}, True),
        ("{speed > 100 km/h}", {"speed": "28 m/s"}, True),
        ("{speed > 100 km/h}", {"speed": "50 °C"}, False),
        ("{length = 1.001 m}", {"length": "100.1 cm"}, True),
        ("{level >= 60 dB}", {"level": "61 dB"}, True),
        ("{level >= 60 dB}", {"level": "61 %"}, False),
        ("{floor = Ground Floor}", {"floor": " ground   floor"}, True),
        ("{FLOOR = ground floor}", {"floor": "ground floor"}, True),
        ("{floor = ground floor}", {"floor": "ground floors"}, False),
        ("{room = 112}", {"room": "112"}, True),
        ('{room = "112"}', {"room": 112}, False),
        ('{room = "112"}', {"room": "112"}, True),
        ("{room != 112}", {"room": "lobby"}, True),
        ("{room != 112}", {"floor": 1}, False),
        ("{on = true}", {"on": True}, True),
        ("{on = true}", {"on": "TRUE"}, True),
        ("{on = true}", {"on": 1}, False),
        ("{at > 2016-04-11}", {"at": "2016-04-11T13:24:19Z"}, True),
        ("{at < 2016-04-11}", {"at": "2016-04-11T13:24:19Z"}, False),
        ("{floor in (1, 2)}", {"floor": [3, 2]}, True),
        ("{t in [18 °C, 25 °C]}", {"t": "77 °F"}, True),
        ("{t in [18 °C, 25 °C]}", {"t": "78 °F"}, False),
        ("{name < m}", {"name": "Alice"}, True),
        ("{name < 5}", {"name": "Alice"}, False),
        ("{kind = <urn:x:Red>}", {"kind": "urn:x:Red"}, True),
        ("{kind = <urn:x:Red>}", {"kind": "urn:x:red"}, False),
        ("{a = 1, b = 2}", {"a": 1}, False),
        ("{a = 1}", {}, False),
        ("{n = 9007199254740993}", {"n": 9007199254740992}, False),
    ],
)
def test_exact_means_exact(text: str, event: dict[str, object], expected: bool) -> None:
    assert bool(Matcher([parse(text)]).match(Event.from_json(event))) is expected


def test_a_match_says_why() -> None:
    matcher = Matcher([parse("{device = laptop, temperature > 25 °C}")])

    [match] = matcher.match(Event.from_json({"temperature": "80 °F", "device": "Laptop"}))

    assert match.explain().split("\n") == [
        "  device = laptop  <->  device: Laptop  (1.00)",
        "  temperature > 25 °C  <->  temperature: 80 °F  (1.00)",
    ]


def test_the_index_visits_only_subscriptions_that_the_event_may_answer() -> None:
    matcher = Matcher(
        parse(f"{{type = reading, room = {room}, value > {bound}}}")
        for room in range(50)
        for bound in range(20)
    )

    matches = matcher.match(Event.from_json({"type": "reading", "room": 7, "value": 3.5}))

    assert len(matches) == 4
    assert matcher.visited <= 40
