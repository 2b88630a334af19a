import numpy as np
import pytest

from purport.evaluation.ranking import Effectiveness, best_effectiveness, effectiveness_at

TRUTH = np.array([True, False, True, False])


def test_a_perfect_ranking_has_f1_of_1() -> None:
    best = best_effectiveness([np.array([0.9, 0.1, 0.8, 0.2])], [TRUTH])

    assert best == Effectiveness(1.0, 1.0)
    assert best.f1 == 1


def test_events_of_the_same_probability_are_cut_off_together() -> None:
    best = best_effectiveness([np.array([0.5, 0.5, 0.5, 0.5])], [TRUTH])

    assert best == Effectiveness(0.5, 1.0)


def test_precision_is_not_interpolated() -> None:
    # The first event is wrong: no cut-off is better than 2 of 3.
    best = best_effectiveness([np.array([0.8, 0.9, 0.7, 0.1])], [TRUTH])

    assert best.precision == pytest.approx(2 / 3)
    assert best.recall == 1


def test_subscriptions_without_a_relevant_event_are_left_out() -> None:
    nothing = np.zeros(4, np.bool_)
    scores = [np.array([0.9, 0.1, 0.8, 0.2]), np.array([0.9, 0.9, 0.9, 0.9])]

    assert best_effectiveness(scores, [TRUTH, nothing]).f1 == 1
    assert effectiveness_at(0.5, scores, [TRUTH, nothing]).f1 == 1


def test_a_threshold_that_finds_nothing_has_f1_of_0() -> None:
    assert effectiveness_at(0.95, [np.array([0.9, 0.1, 0.8, 0.2])], [TRUTH]).f1 == 0
