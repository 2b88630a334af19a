"""Batches, threads and tables give what events give one by one."""

from collections.abc import Sequence
from dataclasses import fields
from itertools import product

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from purport import Event, EventError, InvalidInput, Matcher, parse
from purport.matching import compiled_matcher, tellings, value_sides
from purport.matching import matcher as matcher_module
from purport.matching.compiled_matcher import Optimisations
from purport.model.event import MOST_STATEMENTS, Statement
from purport.model.match import Match
from purport.model.subscription import Subscription
from purport.model.term import Text
from purport.relatedness.measure import Scores
from tests.strategies.approximate import Steps, near_subscriptions
from tests.strategies.exact import events

subscriptions = st.lists(near_subscriptions, max_size=4)
names = st.sampled_from(["device", "temperature_C", "value", "room", "urn:x:kind", "Device "])
spelt = st.sampled_from(
    ["laptop", "25", "25 °C", "true", "2020-01-01T00:00:00Z", "urn:x:Red", "", "lap  top", "-3.5",
     "0a1b2c3d4e5f", "7fffffff-0000-4000-8000-000000000000", "a\nb", "9007199254740993"]
)  # fmt: skip
values = st.one_of(spelt, st.integers(-30, 80), st.floats(-30, 80), st.booleans(), st.just(2**70))
flat_objects = st.dictionaries(names, values, max_size=6)
objects = st.one_of(
    flat_objects,
    flat_objects,
    st.dictionaries(names, st.one_of(values, st.none(), st.lists(values, max_size=2)), max_size=3),
)
rows = st.lists(st.lists(st.tuples(names, st.one_of(spelt, st.none())), max_size=6), max_size=5)


def told(match: Match) -> tuple[Subscription, float, list[Statement]]:
    pairs = match.mapping.correspondences
    return match.subscription, match.probability, [pair.statement for pair in pairs]


@given(subscriptions, st.lists(events, max_size=5))
def test_a_batch_of_events_matches_as_they_do_one_by_one(
    several: list[Subscription], told_events: list[Event]
) -> None:
    matcher = Matcher(several, measure=Steps())

    batch = matcher.match_batch(told_events)

    assert list(batch) == [match for event in told_events for match in matcher.match(event)]
    assert list(batch.probabilities) == [match.probability for match in batch]


@given(subscriptions, st.lists(objects, max_size=20))
def test_objects_match_as_the_events_that_they_are(
    several: list[Subscription], told_objects: list[dict[str, object]]
) -> None:
    told_events = [Event.from_json(one) for one in told_objects]

    found = Matcher(several, measure=Steps()).match_batch(told_objects)

    assert list(found) == list(Matcher(several, measure=Steps()).match_batch(told_events))


@given(subscriptions, st.lists(events, min_size=1, max_size=12))
def test_threads_find_what_one_finds(several: list[Subscription], told_events: list[Event]) -> None:
    many = told_events * 5
    matcher = Matcher(several, measure=Steps())

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(compiled_matcher, "_FEW_EVENTS", 0)
        found = list(matcher.match_batch(many, threads=3))

    assert found == list(matcher.match_batch(many))


@pytest.mark.parametrize("left_out", [one.name for one in fields(Optimisations)])
@given(several=subscriptions, told_events=st.lists(events, max_size=4))
def test_no_answer_depends_on_an_optimisation(
    left_out: str, several: list[Subscription], told_events: list[Event]
) -> None:
    slower = Matcher(several, measure=Steps(), optimisations=Optimisations(**{left_out: False}))

    assert list(slower.match_batch(told_events)) == list(
        Matcher(several, measure=Steps()).match_batch(told_events)
    )


@given(subscriptions, st.lists(events, max_size=4))
def test_filing_by_what_was_seen_changes_no_answer(
    several: list[Subscription], told_events: list[Event]
) -> None:
    before = list(Matcher(several, measure=Steps()).match_batch(told_events))

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(compiled_matcher, "_FIRST_FILING", 1)
        matcher = Matcher(several, measure=Steps())
    matcher.match_batch(told_events)

    assert list(matcher.match_batch(told_events)) == before


def table_of(told_rows: list[list[tuple[str, str | None]]], shape: str) -> pa.Table:
    text = pa.dictionary(pa.int32(), pa.string()) if "dictionary" in shape else pa.string()
    if "map" in shape:
        column = pa.array(told_rows, pa.map_(pa.string(), pa.string()))
        if "dictionary" in shape:
            keys, items = column.keys.dictionary_encode(), column.items.dictionary_encode()
            column = pa.MapArray.from_arrays(column.offsets, keys, items)
    else:
        struct = pa.struct([("attribute", text), ("value", text)])
        said = [[{"attribute": a, "value": v} for a, v in row] for row in told_rows]
        column = pa.array(said, pa.list_(struct))
    ids = pa.array([f"e{number}" for number in range(len(told_rows))], pa.string())
    return pa.table({"event_id": ids, "statements": column})


SHAPES = [" ".join(both) for both in product(["map", "list"], ["text", "dictionary"])]


@pytest.mark.parametrize("shape", SHAPES)
@given(several=subscriptions, told_rows=rows)
@example(several=[parse("{a = x~} threshold 0")], told_rows=[[("device", None)], []])
def test_a_table_matches_as_its_events_do(
    shape: str, several: list[Subscription], told_rows: list[list[tuple[str, str | None]]]
) -> None:
    wanted = []
    for number, row in enumerate(told_rows):
        said = [place for place, (_, value) in enumerate(row) if value is not None]
        event = Event(tuple(Statement(Text(row[at][0]), Text(row[at][1] or "")) for at in said))
        matcher = Matcher(several, measure=Steps())
        wanted += [
            (f"e{number}", match.probability, [said[at] for at in match.statements])
            for match in matcher.match_batch([event]).found_rows()
        ]

    found = Matcher(several, measure=Steps()).match_table(table_of(told_rows, shape))

    assert found.column("event_id").to_pylist() == [one for one, _, _ in wanted]
    assert found.column("mapping").to_pylist() == [mapping for _, _, mapping in wanted]
    assert found.column("probability").to_pylist() == pytest.approx([p for _, p, _ in wanted])


def test_numbers_in_a_table_stand_for_terms() -> None:
    terms = pa.array(["device", "laptop", "room"])
    ids = pa.array([[{"attribute": 0, "value": 1}], [{"attribute": 2, "value": 1}]])
    table = pa.table({"event_id": ["a", "b"], "statements": ids})
    matcher = Matcher([parse("{device = laptop} as found")])

    assert matcher.match_table(table, terms=terms).to_pylist() == [
        {"event_id": "a", "subscription": "found", "probability": 1.0, "mapping": [0]}
    ]
    with pytest.raises(InvalidInput, match="there are 2 terms, got number 2"):
        matcher.match_table(table, terms=terms[:2])
    below = pa.array([[{"attribute": 0, "value": -1}]])
    with pytest.raises(InvalidInput, match="there are 3 terms, got number -1"):
        matcher.match_table(pa.table({"event_id": ["a"], "statements": below}), terms=terms)
    with pytest.raises(InvalidInput, match="attributes and values are texts, got int64"):
        matcher.match_table(table)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"event_id": ["a"]}, "no column 'statements': expected columns 'event_id'"),
        ({"event_id": ["a"], "statements": ["x"]}, "got 'statements' of string"),
        ({"event_id": ["a"], "statements": [[{"name": "x"}]]}, "got 'statements' of list"),
        (
            {"event_id": ["a"], "statements": [[{"attribute": "x", "value": 1.5}]]},
            "attributes and values are texts, got double",
        ),
        (
            {"event_id": ["a"], "statements": [[{"attribute": "x", "value": "y"}] * 10_001]},
            "event 'a' in row 0 has more than 10,000 statements",
        ),
    ],
)
def test_a_table_of_another_form_is_refused(columns: dict[str, object], reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        Matcher([parse("{a = 1}")]).match_table(pa.table(columns))


def test_an_object_that_is_no_event_is_told() -> None:
    matcher = Matcher([parse("{a = 1}")])

    with pytest.raises(EventError, match="reserved"):
        matcher.match_batch([{"a": 1}, {"@b": 2}])
    with pytest.raises(EventError, match="at most 10,000 statements, got 10,001"):
        matcher.match_batch([{f"a{number}": 1 for number in range(MOST_STATEMENTS + 1)}])
    nested: list[dict[str, object]] = [{"a": 1}, {"a": [2, 1]}]
    assert len(matcher.match_batch(nested)) == 2


@pytest.mark.parametrize("shape", SHAPES)
def test_slices_and_pieces_of_a_table_match_as_their_rows(shape: str) -> None:
    told_rows: list[list[tuple[str, str | None]]] = [
        [("a", "1")], [("a", "2"), ("a", None)], [], [("c", None), ("a", "1"), ("b", "x")],
    ]  # fmt: skip
    table = table_of(told_rows, shape)
    matcher = Matcher([parse("{a = 1} as one")])

    found = matcher.match_table(table.slice(1))
    assert found.select(["event_id", "mapping"]).to_pylist() == [{"event_id": "e3", "mapping": [1]}]
    assert matcher.match_table(table.slice(1, 2)).num_rows == 0
    assert matcher.match_table(table.slice(0, 0)).schema == found.schema
    twice = pa.concat_tables([table, table.slice(2)])
    assert matcher.match_table(twice).column("event_id").to_pylist() == ["e0", "e3", "e3"]
    assert matcher.match_table(twice.combine_chunks().to_batches()[0]).num_rows == 3


def test_what_was_met_is_forgotten_when_it_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tellings, "MOST_WORDS", 50)
    matcher = Matcher([parse("{a~ = word~} as one")], measure=Steps())
    for number in range(20):
        told_objects = [{"a": f"word {number} {place}", "b": place} for place in range(20)]
        found = list(matcher.match_batch(told_objects))
        assert found == list(
            Matcher([parse("{a~ = word~} as one")], measure=Steps()).match_batch(told_objects)
        )
    assert len(matcher._compiled.interned().terms) <= 70


def test_readings_and_identifiers_are_not_remembered() -> None:
    matcher = Matcher([parse("{value > 5, id = x~, at != laptop~}")], measure=Steps())
    told_objects = [
        {"value": f"{number}.25", "id": f"{number:012x}aa", "at": f"2020-01-01T00:00:{number:02}Z"}
        for number in range(60)
    ]
    matcher.match_batch(told_objects)

    assert matcher._compiled.interned().terms == []


def test_matches_of_a_batch_outlive_their_subscription() -> None:
    matcher = Matcher([parse("{a = 1} as one"), parse("{a = 1, b = 2} top 2 as two")])
    found = matcher.match_batch([{"a": 1, "b": 2}])

    matcher.remove(parse("{a = 1} as one"))
    matcher.remove(parse("{a = 1, b = 2} top 2 as two"))

    assert [match.subscription.name for match in found] == ["one", "two"]
    assert list(matcher.match_batch([{"a": 1, "b": 2}])) == []


def test_events_and_objects_may_come_mixed_and_one_by_one() -> None:
    matcher = Matcher([parse("{a = 1} as one")])
    mixed: list[Event | dict[str, object]] = [Event.from_json({"a": 1}), {"a": 1}, {"a": 2}]

    assert matcher.match_batch(iter(mixed)).events.tolist() == [0, 1]
    with pytest.raises(EventError, match="expected a JSON object, got a number"):
        matcher.match_batch([{"a": 1}, 5])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="threads are from 1 to 256, got 0"):
        matcher.match_batch(mixed, threads=0)


def test_after_many_have_gone_the_rest_is_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matcher_module, "_LEFT_SLOTS", 5)
    every = [parse(f"{{a = {number}}} as s{number}") for number in range(20)]
    matcher = Matcher(every)
    matcher.match_batch([{"a": number} for number in range(20)])
    for one in every[:18]:
        matcher.remove(one)

    assert matcher.visited == 20
    assert [one.name for one in matcher.subscriptions] == ["s18", "s19"]
    assert len(matcher._subscriptions) < 10
    found = matcher.match_batch([{"a": number} for number in range(20)])
    assert [match.subscription.name for match in found] == ["s18", "s19"]


@pytest.mark.parametrize("order", [True, False])
def test_a_subscription_that_says_a_thing_twice_goes_wholly(order: bool) -> None:
    twice = parse("{a = x~, a = x~, b = y~} aggregation mean exact scored threshold 0.3 as s")
    matcher = Matcher([twice], measure=Steps(), optimisations=Optimisations(order=order))
    assert len(matcher.match_batch([{"a": "x", "b": "y"}] * 1001)) == 1001

    matcher.remove(twice)

    assert matcher.match(Event.from_json({"a": "x", "b": "y"})) == []


def test_a_null_in_a_dictionary_says_nothing() -> None:
    matcher = Matcher([parse("{t < 5} as cold"), parse("{t != 7} as other")])
    matcher.match_batch([{"t": "30 °C"}])
    values = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([None, "80"]))
    names = pa.array(["t", "t"])
    statements = pa.MapArray.from_arrays(pa.array([0, 1, 2], pa.int32()), names, values)

    found = matcher.match_table(pa.table({"event_id": ["a", "b"], "statements": statements}))

    assert found.select(["event_id", "subscription"]).to_pylist() == [
        {"event_id": "b", "subscription": "other"}
    ]


def test_what_lies_behind_a_null_is_not_said() -> None:
    said = pa.array([{"attribute": "a", "value": "1"}] * 3)
    mask = pa.array([False, True, False])
    column = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), said, mask=mask)
    table = pa.table({"event_id": ["x", "y", "z"], "statements": column})

    found = Matcher([parse("{a = 1} as one")]).match_table(table)

    assert found.column("event_id").to_pylist() == ["x", "z"]


def test_reserved_keys_stay_reserved_whatever_was_met() -> None:
    matcher = Matcher([parse("{a = x} as s")])
    matcher.match(Event((Statement(Text("@id"), Text("q")), Statement(Text("@b"), Text("q")))))

    found = matcher.match_batch([{"@id": "e1", "a": "x"}])

    assert found.mapping(0).tolist() == [0]
    assert [match.event.id for match in found] == ["e1"]
    with pytest.raises(EventError, match="reserved"):
        matcher.match_batch([{"@b": 2}])


def test_a_quantity_of_many_digits_is_no_identifier() -> None:
    matcher = Matcher([parse("{size > 5 B} as large")])
    told_event = {"size": "123456789012B"}

    assert len(matcher.match(Event.from_json(told_event))) == 1
    assert len(matcher.match_batch([told_event])) == 1


class Failing(Steps):
    """A measure that fails for one word, once."""

    fails = False

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        if "bad" in right and Failing.fails:
            Failing.fails = False
            raise ConnectionError("the measure is not there")
        return super().matrix(left, right)


def test_a_measure_that_fails_half_way_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(value_sides, "_MOST_CELLS", 1)
    asked = [parse(f"{{a = {word}~}} threshold 0.9 as {word}") for word in "xyz"]
    told_objects = [{"a": word} for word in ("x", "k", "bad", "y", "z")]
    matcher, Failing.fails = Matcher(asked, measure=Failing()), True

    with pytest.raises(ConnectionError):
        matcher.match_batch(told_objects)

    assert list(matcher.match_batch(told_objects)) == list(
        Matcher(asked, measure=Steps()).match_batch(told_objects)
    )


def test_pairs_of_words_are_forgotten_when_they_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tellings, "MOST_TELLINGS", 100)
    matcher = Matcher([parse("{a~ = word~, n~ > 5} as one")], measure=Steps())
    for name in range(20):
        matcher.match_batch([{f"n{name}": f"w{word}", f"m{name}": 6.5} for word in range(30)])

    assert matcher._compiled._tellings._count < 200


def test_new_subscriptions_hear_the_words_that_are_known() -> None:
    words = [f"w{number}" for number in range(30)]
    told_objects = [{"a": word, "n": 7.5} for word in words]
    asked = [parse(f"{{a = {word}~, n > {number}}}") for number, word in enumerate(words)]
    matcher = Matcher(measure=Steps())
    for one in asked:
        matcher.add(one)
        matcher.match_batch(told_objects)

    assert list(matcher.match_batch(told_objects)) == list(
        Matcher(asked, measure=Steps()).match_batch(told_objects)
    )
