"""Predicates of classes and bags, among others, give what trying everything gives."""

import pickle
from dataclasses import fields
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport import Event, Matcher, parse
from purport.matching.compiled_matcher import Optimisations
from purport.matching.plain_lines import PlainLines
from purport.matching.plan import DEFAULTS, Mode
from purport.model.event import Statement
from purport.model.match import Match
from purport.model.subscription import ContainsAll, Predicate, Subscription, Within
from purport.model.term import Text
from tests.oracles.approximate_matcher import Cell, ranked_mappings
from tests.oracles.class_cells import bag_cells, class_cells
from tests.strategies.approximate import Steps
from tests.strategies.small_ontology import drinks, objects, subscriptions

Told = list[dict[str, Any]]
several = st.lists(subscriptions, max_size=4)


def matcher_of(wanted: list[Subscription], **options: Any) -> Matcher:
    return Matcher(wanted, measure=Steps(), ontology=drinks(), **options)


def told(match: Match) -> tuple[Subscription, float, list[str]]:
    pairs = match.mapping.correspondences
    return match.subscription, match.probability, [str(pair.statement) for pair in pairs]


def all_mappings(
    subscription: Subscription, event: Event, mode: Mode
) -> list[tuple[float, tuple[int, ...], tuple[float, ...]]]:
    def cells_of(predicate: Predicate) -> list[Cell]:
        if isinstance(predicate, ContainsAll | Within):
            return bag_cells(predicate, event, Steps())
        return class_cells(predicate, event, Steps(), drinks())  # type: ignore[arg-type]

    defaults = DEFAULTS[mode]
    return ranked_mappings(
        subscription, event, Steps(), defaults.aggregation, defaults.exact, cells_of=cells_of
    )


@settings(deadline=None)
@given(subscriptions, objects, st.sampled_from(Mode))
def test_the_best_mappings_are_those_of_trying_every_one(
    subscription: Subscription, said: dict[str, Any], mode: Mode
) -> None:
    event = Event.from_json(said)
    found = matcher_of([], mode=mode).mappings(event, subscription, 3)

    every = all_mappings(subscription, event, mode)[:3]
    assert [one.probability for one in found] == pytest.approx(
        [probability for probability, _, _ in every], abs=1e-6
    )


@settings(deadline=None)
@given(several, objects, st.sampled_from(Mode))
def test_matches_are_those_of_trying_every_mapping(
    wanted: list[Subscription], said: dict[str, Any], mode: Mode
) -> None:
    defaults, event = DEFAULTS[mode], Event.from_json(said)
    found = {id(one.subscription): one for one in matcher_of(wanted, mode=mode).match(event)}
    for subscription in wanted:
        every = all_mappings(subscription, event, mode)
        threshold = subscription.options.threshold
        least = defaults.threshold if threshold is None else threshold
        if every and abs(every[0][0] - least) < 1e-9:
            continue
        if every and every[0][0] > least:
            best = found[id(subscription)]
            assert best.probability == pytest.approx(every[0][0], abs=1e-6)
            assert told(best)[2] == [str(event.statements[place]) for place in every[0][1]]
        else:
            assert id(subscription) not in found


@pytest.mark.parametrize("values", ["a, b", "laptop~, b"])
def test_a_bag_has_no_mapping_where_a_value_that_must_be_told_is_not(values: str) -> None:
    subscription = parse(f"{{tags contains all ({values})}} aggregation mean exact required")

    def mappings(*tags: str) -> int:
        event = Event.from_json({"tags": list(tags)})
        return len(matcher_of([]).mappings(event, subscription, 9))

    assert mappings("laptop", "b", "a") == 1
    assert mappings("laptop", "a") == 0


@settings(deadline=None)
@given(several, st.lists(objects, max_size=4))
def test_a_batch_of_objects_matches_as_events_do_by_their_plans(
    wanted: list[Subscription], said: Told
) -> None:
    matcher, events = matcher_of(wanted), [Event.from_json(one) for one in said]
    planned = []
    for event in events:
        found = []
        for place, subscription in enumerate(wanted):
            least = 0.5 if (given := subscription.options.threshold) is None else given
            found += [
                (-round(mapping.probability, 9), place, mapping)
                for mapping in matcher.mappings(event, subscription, 1)
                if mapping.probability >= least - 5e-7
            ]
        planned += [mapping for _, _, mapping in sorted(found, key=lambda one: one[:2])]

    batch = list(matcher.match_batch(said))

    assert [one.mapping for one in batch] == planned
    assert list(matcher.match_batch(events)) == batch
    assert [one for event in events for one in matcher.match(event)] == batch
    assert list(pickle.loads(pickle.dumps(matcher)).match_batch(said)) == batch


@settings(deadline=None)
@given(several, st.lists(objects, max_size=4))
def test_lines_and_tables_match_as_events_do(wanted: list[Subscription], said: Told) -> None:
    events = [Event.from_json(one) for one in said]
    lines = b"\n".join(event.to_json() for event in events)
    texts = [[(str(one.attribute), str(one.value)) for one in event.statements] for event in events]
    as_texts = [_event_of(row) for row in texts]
    column = pa.array(texts, pa.map_(pa.string(), pa.string()))
    ids = pa.array(map(str, range(len(texts))), pa.string())

    read = matcher_of(wanted)
    if lines:
        kept: list[int] = []

        def batch_of(telling: Any) -> Any:
            plain = PlainLines.read(lines, telling)
            kept.extend(place for place, kind in enumerate(plain.kinds.tolist()) if kind)
            return plain.batch()

        found = list(read.match_read(batch_of, lambda number: events[kept[number]]))
        plain_events = [events[place] for place in kept]
        assert found == list(matcher_of(wanted).match_batch(plain_events))
    table = matcher_of(wanted).match_table(pa.table({"event_id": ids, "statements": column}))
    by_text = matcher_of(wanted).match_batch(as_texts)
    assert table.column("probability").to_pylist() == pytest.approx(list(by_text.probabilities))
    assert table.column("mapping").to_pylist() == [
        by_text.mapping(number).tolist() for number in range(len(by_text))
    ]


@pytest.mark.parametrize("left_out", [one.name for one in fields(Optimisations)])
@settings(deadline=None, max_examples=30)
@given(wanted=several, said=st.lists(objects, max_size=4))
def test_neither_an_optimisation_nor_what_was_met_before_changes_an_answer(
    left_out: str, wanted: list[Subscription], said: Told
) -> None:
    slower = matcher_of(wanted, optimisations=Optimisations(**{left_out: False}))
    grown = matcher_of([])
    for subscription in wanted:
        grown.add(subscription)
        grown.match_batch(said)

    assert list(slower.match_batch(said)) == list(grown.match_batch(said))


def _event_of(row: list[tuple[str, str]]) -> Event:
    return Event(tuple(Statement(Text(name), Text(value)) for name, value in row))
