import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from purport import Event, EventError, InvalidInput, Matcher, load_measure, parse
from purport.matching.plan import DEFAULTS, Mode
from purport.model.event import Event as AnyEvent
from purport.model.event import Statement
from purport.model.match import Mapping
from purport.model.subscription import Subscription
from purport.model.term import Text
from purport.relatedness.lexicon import Lexicon
from purport.relatedness.measure import EventMeasure, Scores
from tests.oracles.approximate_matcher import ranked_mappings
from tests.strategies.approximate import Steps, near_subscriptions
from tests.strategies.exact import events

LAPTOP = "{type = increased energy consumption event, device = laptop~, room~esa = room 112}"
ENERGY = {
    "type": "increased energy consumption event", "measurement unit": "kilowatt per hour",
    "device": "computer", "desk": "desk 112c", "office": "room 112", "floor": "ground floor",
    "zone": "building", "city": "Galway", "country": "Ireland", "continent": "Europe",
}  # fmt: skip


def vector(mapping: Mapping, event: AnyEvent) -> tuple[int, ...]:
    """The places of a mapping's statements, the first of equal ones."""
    return tuple(event.statements.index(pair.statement) for pair in mapping.correspondences)


def told_apart(found: tuple[int, ...], event: AnyEvent) -> tuple[int, ...]:
    """The same for a vector of the oracle."""
    return tuple(event.statements.index(event.statements[place]) for place in found)


@given(st.lists(near_subscriptions, max_size=3), events, st.sampled_from(Mode))
def test_matches_are_those_of_trying_every_mapping(
    subscriptions: list[Subscription], event: AnyEvent, mode: Mode
) -> None:
    defaults = DEFAULTS[mode]
    matcher = Matcher(subscriptions, measure=Steps(), mode=mode)
    found = {id(match.subscription): match for match in matcher.match(event)}
    wanted = 0
    for subscription in subscriptions:
        every = ranked_mappings(subscription, event, Steps(), defaults.aggregation, defaults.exact)
        threshold = subscription.options.threshold
        least = defaults.threshold if threshold is None else threshold
        if every and every[0][0] >= least - 1e-9:
            if abs(every[0][0] - least) < 1e-9:
                continue
            wanted += 1
            match = found[id(subscription)]
            top = every[: subscription.options.top or 1]
            mappings = [match.mapping, *match.others]
            assert match.probability == pytest.approx(every[0][0], abs=1e-6)
            assert [vector(mapping, event) for mapping in mappings] == [
                told_apart(one, event) for _, one, _ in top
            ]
            assert [mapping.probability for mapping in mappings] == pytest.approx(
                [probability for probability, _, _ in top], abs=1e-6
            )
        else:
            assert id(subscription) not in found
    probabilities = [match.probability for match in matcher.match(event)]
    assert probabilities == sorted(probabilities, reverse=True)
    assert len(found) >= wanted


@given(near_subscriptions, events, st.integers(1, 12), st.sampled_from(Mode))
def test_the_best_mappings_are_those_of_trying_every_one(
    subscription: Subscription, event: AnyEvent, most: int, mode: Mode
) -> None:
    defaults = DEFAULTS[mode]
    found = Matcher(measure=Steps(), mode=mode).mappings(event, subscription, most)
    every = ranked_mappings(subscription, event, Steps(), defaults.aggregation, defaults.exact)

    assert [vector(mapping, event) for mapping in found] == [
        told_apart(one, event) for _, one, _ in every[:most]
    ]
    for mapping, (probability, _, similarities) in zip(found, every, strict=False):
        assert mapping.probability == pytest.approx(probability, abs=1e-6)
        pairs = mapping.correspondences
        assert [pair.similarity for pair in pairs] == pytest.approx(similarities, abs=1e-6)
        total = sum(similarities)
        assert [pair.probability for pair in pairs] == pytest.approx(
            [one / total if total else 0.0 for one in similarities], abs=1e-6
        )


def test_the_example_of_toit14_maps_as_printed_there() -> None:
    subscription, event = parse(LAPTOP), Event.from_json(ENERGY)

    [mapping] = Matcher(mode="paper").mappings(event, subscription, 1)

    assert [str(pair.statement) for pair in mapping.correspondences] == [
        "type: increased energy consumption event",
        "device: computer",
        "office: room 112",
    ]
    assert sum(pair.probability for pair in mapping.correspondences) == pytest.approx(1)
    similarities = [pair.similarity for pair in mapping.correspondences]
    assert mapping.probability == pytest.approx(sum(similarities) / 3)


def test_an_exact_part_that_does_not_hold_ends_it_where_it_is_required() -> None:
    event = Event.from_json({"device": "computer", "office": "room 113"})
    asked = "{device = laptop~, room~ = room 112}"

    assert Matcher([parse(asked)]).match(event) == []
    assert Matcher([parse(f"{asked} exact scored aggregation mean threshold 0.3")]).match(event)


def test_a_number_beside_an_approximate_name_is_compared() -> None:
    matcher = Matcher([parse("{temperature~ > 25 °C}")])

    assert matcher.match(Event.from_json({"location": "first floor", "outdoor_temp_C": 26}))
    assert not matcher.match(Event.from_json({"location": "first floor", "outdoor_temp_C": 24}))
    assert not matcher.match(Event.from_json({"location": "first floor", "noise": 26}))


def test_one_to_one_gives_each_predicate_a_statement_of_its_own() -> None:
    subscription = parse("{a~ = x~, b~ = x~} mapping 1:1 aggregation mean threshold 0")
    one, two = Event.from_json({"a": "x"}), Event.from_json({"a": "x", "b": "x"})

    assert Matcher([subscription], measure=Steps()).match(one) == []
    [match] = Matcher([subscription], measure=Steps()).match(two)
    assert len({pair.statement for pair in match.mapping.correspondences}) == 2


def test_the_hybrid_ranks_an_events_attributes() -> None:
    event = Event.from_json({"device": "computer", "floor": "ground floor", "city": "Galway"})
    subscription = parse("{apparatus~hybrid = computer} exact scored aggregation mean threshold 0")

    [match] = Matcher([subscription]).match(event)

    assert str(match.mapping.correspondences[0].statement) == "device: computer"


def test_the_ranking_of_debs12_is_the_mean_over_the_best_candidates() -> None:
    names = ["device", "floor", "city", "country", "energy", "weather", "noise", "apparatus"]
    event = Event.from_json(dict.fromkeys(names, "computer"))
    subscription = parse("{apparatus~hybrid = computer~esa, city~hybrid = computer~esa}")
    hybrid = load_measure("hybrid")
    assert isinstance(hybrid, EventMeasure)

    mappings = Matcher([subscription], mode="paper").mappings(event, subscription, 1)

    best = [max(*hybrid.rows(name, names)) for name in ("apparatus", "city")]
    assert mappings[0].probability == pytest.approx(sum(best) / 2, abs=1e-6)
    assert hybrid.candidates("apparatus", names).sum() >= 5


def test_who_is_no_candidate_is_not_mapped_to() -> None:
    event = Event.from_json({"near": "x", "far": "laptop"})
    subscription = parse("{asked~ = laptop~} aggregation harmonic threshold 0")

    [mapping] = Matcher(measure=OneCandidate()).mappings(event, subscription, 5)

    assert str(mapping.correspondences[0].statement) == "near: x"


class OneCandidate(Steps):
    """An event measure for which the first attribute alone is a candidate."""

    def rows(self, attribute: str, event_attributes: Sequence[str]) -> Scores:
        return self.candidates(attribute, event_attributes).astype(np.float64)

    def candidates(self, attribute: str, event_attributes: Sequence[str]) -> NDArray[np.bool_]:
        return np.array([place == 0 for place in range(len(event_attributes))], np.bool_)


def test_matches_under_an_event_measure_are_its_mappings() -> None:
    event = Event.from_json({"near": "laptop", "far": "laptop", "other": "x"})
    subscription = parse("{asked~ = laptop~} threshold 0 top 3 aggregation mean exact scored")
    matcher = Matcher([subscription], measure=OneCandidate())

    [match] = matcher.match(event)

    assert [match.mapping, *match.others] == matcher.mappings(event, subscription, 3)
    assert len(match.others) == 2


def test_a_unit_in_the_lexicon_is_that_of_an_attribute() -> None:
    lexicon = Lexicon.parse("reading is in °F")
    matcher = Matcher([parse("{reading > 25 °C} as hot")], lexicon=lexicon)

    assert not matcher.match(Event.from_json({"reading": 70}))
    assert matcher.match(Event.from_json({"reading": 80}))
    assert [match.event.statements[0].value for match in matcher.match_batch([{"reading": 80.5}])]
    assert not list(matcher.match_batch([{"reading": 70.5}]))


def test_a_text_of_a_megabyte_is_what_it_is_and_no_more() -> None:
    long = "laptop " * 150_000
    matcher = Matcher([parse("{device = laptop~} as near"), parse("{device != laptop} as other")])

    [match] = matcher.match(Event.from_json({"device": long}))

    assert match.subscription.name == "other"


def test_an_event_of_too_many_statements_is_refused() -> None:
    statements = (Statement(Text("a"), Text("b")),) * 10_001
    matcher = Matcher([parse("{a = b}")])

    with pytest.raises(EventError, match="at most 10,000 statements, got 10,001"):
        matcher.match(Event(statements))
    assert len(matcher.match(Event(statements[:10_000]))) == 1


def test_a_measure_that_nobody_knows_is_told_with_the_subscription() -> None:
    matcher = Matcher([parse("{a = 1}")])

    with pytest.raises(InvalidInput, match=r"line 1: bad: no measure 'eas'.* did you mean 'esa'\?"):
        matcher.add(parse("{a~eas = 1} as bad"))

    assert len(matcher.match(Event.from_json({"a": 1}))) == 1
    assert [one.name for one in matcher.subscriptions] == [None]


def test_a_mode_that_is_none_is_told() -> None:
    with pytest.raises(InvalidInput, match="no mode 'exact': there are default, paper"):
        Matcher(mode="exact")
    with pytest.raises(InvalidInput, match="k must be 1 or more"):
        Matcher().mappings(Event.from_json({"a": 1}), parse("{a = 1}"), 0)


@given(st.lists(near_subscriptions, max_size=4, unique=True), events, st.data())
def test_adding_and_removing_equals_building_anew(
    subscriptions: list[Subscription], event: AnyEvent, data: st.DataObject
) -> None:
    matcher = Matcher(subscriptions, measure=Steps())
    kept = list(subscriptions)
    for _ in range(len(kept) // 2):
        gone = data.draw(st.sampled_from(kept))
        kept.remove(gone)
        matcher.remove(gone)

    assert matcher.match(event) == Matcher(kept, measure=Steps()).match(event)


def test_a_matcher_is_sent_and_matches_the_same() -> None:
    event = Event.from_json(ENERGY)
    matcher = Matcher([parse("{device~ = laptop~}")])
    copy = pickle.loads(pickle.dumps(matcher))

    assert copy.match(event) == matcher.match(event) != []
