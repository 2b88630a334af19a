"""How long a journal keeps what was done."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.broker.retention import Retention, Stretch
from purport.model.interval import microseconds_of

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)
SECOND = 1_000_000


def stretches(*ages: int) -> list[Stretch]:
    """Stretches of ten entries and a hundred bytes each, whose last entries are so old."""
    now = microseconds_of(NOON)
    return [
        Stretch(10 * place + 1, 10 * place + 10, 0, now - age * SECOND, 100, str(place))
        for place, age in enumerate(ages)
    ]


@pytest.mark.parametrize(
    ("retention", "through"),
    [
        (Retention(), 0),
        (Retention(most_age=timedelta(seconds=21)), 10),
        (Retention(most_age=timedelta(seconds=20)), 10),  # nothing that is just as old
        (Retention(most_age=timedelta(seconds=19)), 20),
        (Retention(most_bytes=300), 0),
        (Retention(most_bytes=299), 10),
        (Retention(most_bytes=0), 30),
        (Retention(most_age=timedelta(seconds=20), most_bytes=100), 20),
    ],
)
def test_what_is_old_and_what_is_too_much_goes(retention: Retention, through: int) -> None:
    assert retention.droppable(stretches(30, 20, 10), NOON, None) == through


@pytest.mark.parametrize(
    ("first_wanted", "through"), [(1, 0), (10, 0), (11, 10), (20, 10), (21, 20), (31, 30)]
)
def test_a_stretch_stays_as_long_as_somebody_waits_for_an_entry_of_it(
    first_wanted: int, through: int
) -> None:
    nothing = Retention(most_bytes=0)

    assert nothing.droppable(stretches(30, 20, 10), NOON, first_wanted) == through


@given(
    st.lists(st.integers(0, 9), max_size=6).map(lambda ages: sorted(ages, reverse=True)),
    st.none() | st.integers(0, 9),
    st.none() | st.integers(0, 700),
    st.none() | st.integers(1, 70),
)
def test_only_what_may_go_goes_the_oldest_first(
    ages: list[int], most_seconds: int | None, most_bytes: int | None, first_wanted: int | None
) -> None:
    most_age = None if most_seconds is None else timedelta(seconds=most_seconds)
    kept = stretches(*ages)
    through = Retention(most_age, most_bytes).droppable(kept, NOON, first_wanted)

    left = [one for one in kept if one.last > through]
    assert through == (left[0].first - 1 if left else kept[-1].last if kept else 0)
    assert through < (first_wanted or 1_000)
    for place in range(len(kept) - len(left)):
        is_old = most_seconds is not None and ages[place] > most_seconds
        assert is_old or (most_bytes is not None and 100 * (len(kept) - place) > most_bytes)
    if left and (first_wanted is None or left[0].last < first_wanted):
        assert most_seconds is None or ages[len(kept) - len(left)] <= most_seconds
        assert most_bytes is None or 100 * len(left) <= most_bytes
