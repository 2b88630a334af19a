"""What covers what among subscriptions to single events, against brute force."""

from hypothesis import given
from hypothesis import strategies as st

from purport import Event, Matcher
from purport.covering.covers import covers
from tests.oracles.refuted_covering import answerable, refuting_event
from tests.strategies.approximate import Steps
from tests.strategies.covering import Pair, events_for, exact_pairs, near_pairs, tidy_pairs


def _accepted(pair: Pair, event: Event) -> tuple[bool, bool]:
    """Whether the general and the specific subscription match an event."""
    found = [
        bool(Matcher([one], measure=Steps()).match(event)) for one in (pair.general, pair.specific)
    ]
    return found[0], found[1]


def _check(pair: Pair, data: st.DataObject) -> None:
    if not covers(pair.general, pair.specific):
        return
    for _ in range(4):
        event = data.draw(events_for(pair))
        is_told, is_asked_for = _accepted(pair, event)
        assert is_told or not is_asked_for


@given(exact_pairs, st.data())
def test_what_an_exact_subscription_accepts_no_cover_of_it_refuses(
    pair: Pair, data: st.DataObject
) -> None:
    _check(pair, data)


@given(near_pairs, st.data())
def test_what_an_approximate_subscription_accepts_no_cover_of_it_refuses(
    pair: Pair, data: st.DataObject
) -> None:
    _check(pair, data)


@given(tidy_pairs)
def test_what_a_subscription_with_values_of_one_kind_does_not_cover_has_an_event_to_show_it(
    pair: Pair,
) -> None:
    refuting = refuting_event(*pair)

    if covers(*pair):
        assert refuting is None
    elif refuting is not None:
        assert _accepted(pair, refuting) == (False, True)
    else:
        assert not answerable(pair.specific)
