"""A neighbour with which there is no link is tried again, and not all the time."""

import itertools

import pytest

from purport.service.overlay.patience import AFTER_BREAK, AFTER_REFUSAL, Pace, Patience


@pytest.mark.parametrize("pace", [AFTER_BREAK, AFTER_REFUSAL])
def test_waits_double_up_to_the_longest_however_often_it_fails(pace: Pace) -> None:
    patience = Patience()

    waits = [patience.wait_after(pace, lasted_seconds=0) for _ in range(2_000)]

    assert waits[0] == pace.first_seconds and waits[-1] == pace.longest_seconds
    assert all(b == min(2 * a, pace.longest_seconds) for a, b in itertools.pairwise(waits))


def test_a_link_that_breaks_at_once_is_no_success_and_one_that_lasted_is() -> None:
    patience = Patience()
    for _ in range(5):
        before = patience.wait_after(AFTER_BREAK, lasted_seconds=0.01)

    assert before == 1.6
    assert patience.wait_after(AFTER_BREAK, lasted_seconds=60) == AFTER_BREAK.first_seconds
    assert patience.wait_after(AFTER_REFUSAL, lasted_seconds=2) == 2 * AFTER_REFUSAL.first_seconds
