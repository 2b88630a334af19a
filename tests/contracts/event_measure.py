"""What every event measure promises."""

import pickle
from collections.abc import Sequence

import numpy as np
import pytest

from purport.relatedness.measure import EventMeasure

ASKED: Sequence[str] = ("parking", "energy consumption", "", "xyzzy", "停车场", "word " * 500)
EVENTS: Sequence[Sequence[str]] = (
    ("garage", "energy", "laptop", "weather", "temperature", "power", "computer"),
    ("parking",),
    ("", "   ", "xyzzy", "a" * 5000, "停车场"),
    ("energy", "energy", "Energy"),
)


class EventMeasureContract:
    """A test class for an event measure inherits this and gives a `measure`."""

    @pytest.fixture
    def measure(self) -> EventMeasure:
        raise NotImplementedError

    def test_there_is_a_score_from_0_to_1_for_each_attribute(self, measure: EventMeasure) -> None:
        for asked in ASKED:
            for event in EVENTS:
                scores = measure.rows(asked, event)
                assert scores.shape == (len(event),)
                assert np.all((scores >= 0) & (scores <= 1))

    def test_who_is_no_candidate_scores_0(self, measure: EventMeasure) -> None:
        for asked in ASKED:
            for event in EVENTS:
                candidates = measure.candidates(asked, event)
                assert candidates.any()
                assert np.all(measure.rows(asked, event)[~candidates] == 0)

    def test_an_event_may_have_no_attributes(self, measure: EventMeasure) -> None:
        assert measure.rows("parking", []).shape == (0,)
        assert measure.candidates("parking", []).shape == (0,)

    def test_the_same_attribute_answers_fully(self, measure: EventMeasure) -> None:
        assert measure.rows("energy", EVENTS[0])[1] == 1

    def test_the_order_of_attributes_makes_no_difference(self, measure: EventMeasure) -> None:
        event = list(EVENTS[0])
        forwards, backwards = measure.rows("power", event), measure.rows("power", event[::-1])

        assert forwards == pytest.approx(backwards[::-1])

    def test_another_process_gives_the_same_scores(self, measure: EventMeasure) -> None:
        copy = pickle.loads(pickle.dumps(measure))

        assert np.array_equal(copy.rows("power", EVENTS[0]), measure.rows("power", EVENTS[0]))
