"""What temporal subscriptions mean, worked out by hand: the oracle says the same."""

import pytest

from purport.temporal.occurrence import Occurrence
from tests.temporal.by_hand import answering, found, one

# ---- other events as witnesses ----


@pytest.mark.parametrize(
    ("end", "is_so"), [(6, False), (7, True), (9, True), (10, False), (11, False)]
)
def test_after_is_strictly_after_the_end_and_within_the_limit(end: int, is_so: bool) -> None:
    events = one("x", 10, 20), one("y", 0, end)

    assert ("x" in found("{kind = x, start after(0.003 ms) {kind = y}}", *events)) is is_so


@pytest.mark.parametrize(("end", "is_so"), [(0, True), (19, True), (20, False)])
def test_after_without_a_limit_reaches_back_forever(end: int, is_so: bool) -> None:
    events = one("x", 10, 20), one("y", 0, end)

    assert ("x" in found("{kind = x, end after {kind = y}}", *events)) is is_so


def test_nothing_is_after_what_goes_on() -> None:
    assert not found("{kind = x, start after {kind = y}}", one("x", 10, 20), one("y", 0, None))


@pytest.mark.parametrize(
    ("start", "end", "is_so"),
    [
        (10, 10, True),
        (0, 10, True),
        (10, 30, True),
        (11, 30, False),
        (0, 9, False),
        (0, None, True),
    ],
)
def test_during_includes_both_bounds(start: int, end: int | None, is_so: bool) -> None:
    events = one("x", 10, 20), one("y", start, end)

    assert ("x" in found("{kind = x, start during {kind = y}}", *events)) is is_so


@pytest.mark.parametrize(("watermark", "is_so"), [(9, False), (10, True)])
def test_what_goes_on_counts_once_time_has_come_so_far(watermark: int, is_so: bool) -> None:
    events = one("x", 10, 20), one("y", 0, None)
    text = "{kind = x, start during {kind = y}}"

    assert ("x" in found(text, *events, watermark=watermark)) is is_so


def test_simultaneous_events_share_the_bound_that_is_named() -> None:
    same_start, same_end = one("y1", 10, 30), one("y2", 0, 20)

    assert found("{kind = x, start with {kind = y}}", one("x", 10, 20), same_start)
    assert not found("{kind = x, end with {kind = y}}", one("x", 10, 20), same_start)
    assert found("{kind = x, end with {kind = y}}", one("x", 10, 20), same_end)
    assert not found("{kind = x, end with {kind = y}}", one("x", 10, None), one("y", 10, None))
    assert found("{kind = x, start with {kind = y}}", one("x", 10, None), one("y", 10, None))


def test_nobody_bears_witness_to_himself() -> None:
    assert not found("{kind = x, start during {kind = x}}", one("x1", 1, 5))
    assert (
        answering("{kind = x, start during {kind = x}}", one("x1", 1, 5), one("x2", 2, 3)) == "x2"
    )


def test_who_comes_around_the_outer_event_may_be_a_witness_again() -> None:
    text = "{kind = x, start during {kind = y, start during {kind = x}}}"

    assert answering(text, one("x", 1, 5), one("y", 1, 5)) == "x"


def test_an_event_that_goes_on_can_be_asked_about_its_start_alone() -> None:
    events = one("x", 10, None), one("y", 0, 5)

    assert found("{kind = x, start after {kind = y}}", *events)
    assert not found("{kind = x, end after {kind = y}}", *events)
    assert not found("{kind = x, interval after {kind = y}}", *events)
    assert not found("{kind = x, start after {kind = y}, end after {kind = y}}", *events)


def test_late_events_take_no_part() -> None:
    late = Occurrence("y", 0, 5, one("y", 0, 5).statements, is_late=True)

    assert not found("{kind = x, start after {kind = y}}", one("x", 10, 20), late)
    assert not found("{kind = y}", late)


def test_filters_are_nested() -> None:
    text = "{kind = x, start after {kind = y, start after {kind = z}}}"

    assert answering(text, one("x", 10, 10), one("y", 5, 6), one("z", 1, 2)) == "x"
    assert answering(text, one("x", 10, 10), one("y", 5, 6), one("z", 5, 5)) == ""


# ---- references ----


def test_a_reference_is_to_the_event_around() -> None:
    text = "{kind = x, start after {kind = y, room = $ROOM}}"

    assert found(text, one("x", 9, 9, room="hall"), one("y", 1, 2, room="Hall"))
    assert not found(text, one("x", 9, 9, room="hall"), one("y", 1, 2, room="attic"))
    assert not found(text, one("x", 9, 9), one("y", 1, 2, room="hall"))
    assert not found(text, one("x", 9, 9, room="hall"), one("y", 1, 2))


def test_any_of_several_values_will_do() -> None:
    text = "{kind = x, start after {kind = y, level > $level}}"

    assert found(text, one("x", 9, 9, level=[3, 5]), one("y", 1, 2, level=[1, 4]))
    assert not found(text, one("x", 9, 9, level=[4, 5]), one("y", 1, 2, level=[1, 4]))


def test_a_reference_two_filters_deep_is_to_the_event_next_around() -> None:
    text = "{kind = x, start after {kind = y, start after {kind = z, level = $level}}}"
    near = one("x", 9, 9, level=1), one("y", 5, 6, level=2), one("z", 1, 2, level=2)
    far = one("x", 9, 9, level=1), one("y", 5, 6, level=2), one("z", 1, 2, level=1)

    assert answering(text, *near) == "x"
    assert answering(text, *far) == ""


def test_ranges_and_lists_may_refer_too() -> None:
    y = one("y", 1, 2, level=2, room="hall")

    for text, level, is_so in (
        ("{kind = x, start after {level in [1, $level]}}", 2, True),
        ("{kind = x, start after {level in [1, $level]}}", 1, False),
        ("{kind = x, start after {level in (7, $level)}}", 2, True),
        ("{kind = x, start after {level within ($level, 3)}}", 3, False),
        ("{kind = x, start after {level contains all ($level)}}", 2, True),
    ):
        assert ("x" in found(text, one("x", 9, 9, level=level), y)) is is_so, text


def test_a_near_value_of_the_event_around_counts_by_its_score() -> None:
    text = "{room = hall, start after {kind = $kind~, room = attic}}"
    events = one("x", 9, 9, kind="hot", room="hall"), one("y", 1, 2, kind="mild", room="attic")

    assert found(text, *events) == {"x": pytest.approx(0.6)}


# ---- history ----


def test_history_looks_at_what_ended_before_the_moment() -> None:
    text = "{kind = x, level filter(>) {kind = y}}"

    assert found(text, one("x", 10, 20, level=5), one("y", 0, 9, level=4))
    assert not found(text, one("x", 10, 20, level=5), one("y", 0, 10, level=4))
    assert not found(text, one("x", 10, 20, level=5), one("y", 0, 9, level=5))
    assert not found(text, one("x", 10, 20), one("y", 0, 9, level=4))


def test_the_moment_is_the_end_where_the_end_is_asked_about() -> None:
    text = "{kind = x, level filter(>) {kind = y}, end after {kind = z}}"
    events = one("x", 10, 20, level=5), one("y", 0, 19, level=4), one("z", 1, 1)

    assert answering(text, *events) == "x"


def test_only_the_last_events_count_in_the_order_of_ends_and_ids() -> None:
    x = one("x", 10, 20, level=5)
    low, high, even = one("y1", 0, 5, level=4), one("y2", 0, 6, level=9), one("y0", 0, 6, level=1)

    assert found("{level filter(>, last 2) {kind = y}}", x, low, high)
    assert not found("{kind = x, level filter(>, last 1) {kind = y}}", x, low, high)
    assert not found("{kind = x, level filter(>, last 1) {kind = y}}", x, even, high)
    assert found("{kind = x, level filter(>, last 2) {kind = y}}", x, even, high)


def test_an_event_without_the_value_is_one_of_the_last_all_the_same() -> None:
    x, old, new = one("x", 10, 20, level=5), one("y1", 0, 5, level=4), one("y2", 0, 6)

    assert not found("{kind = x, level filter(>, last 1) {kind = y}}", x, old, new)


@pytest.mark.parametrize(("watermark", "is_so"), [(9, False), (10, True)])
def test_history_is_known_when_time_has_come_to_the_moment(watermark: int, is_so: bool) -> None:
    events = one("x", 10, 20, level=5), one("y", 0, 3, level=4)
    text = "{kind = x, level filter(>) {kind = y}}"

    assert ("x" in found(text, *events, watermark=watermark)) is is_so


def test_a_near_attribute_is_that_of_the_best_mappings_as_many_as_are_asked_for() -> None:
    text = "{level~ filter(>) {room = attic}} threshold 0.3"
    x = one("x", 10, 20, level=5, degree=8, room="hall")
    y = one("y", 0, 5, level=6, degree=3, room="attic")
    in_the_attic_by_degree = 2 / (1 + 1 / 0.6)

    assert answering(text, x, y) == ""  # 5 is not above 6
    assert found(f"{text} top 2", x, y) == {"x": pytest.approx(in_the_attic_by_degree)}  # 5 > 3


def test_a_near_attribute_of_the_event_itself_counts_with_its_probability() -> None:
    text = "{room = hall, level~ filter(>) {room = attic}}"
    x, y = one("x", 10, 20, degree=8, room="hall"), one("y", 0, 5, level=6, room="attic")

    assert found(text, x, y) == {"x": pytest.approx(2 / (1 + 1 / 0.6))}


# ---- windows ----


def test_a_window_is_open_at_both_ends_and_has_the_event_itself() -> None:
    x = one("x", 10, 20)

    assert found("{kind = x, count() over 0.005 ms = 1}", x)
    for end, number in ((5, 1), (6, 2), (9, 2), (10, 1)):
        other = one("x0", 0, end)
        assert "x" in found(f"{{kind = x, count() over 0.005 ms = {number}}}", x, other)


def test_only_what_answers_the_plain_predicates_is_counted() -> None:
    text = "{kind = x, room = $r, count() over 1 s = 2, start after {kind = y}}"
    events = one("x1", 5, 6), one("y", 7, 8), one("x2", 10, 20, room="hall")

    assert answering(text, *events) == "x2"


@pytest.mark.parametrize(
    ("condition", "is_so"),
    [
        ("count(level) over 1 s = 4", True),
        ("count() over 1 s = 3", True),
        ("sum(level) over 1 s = 10", True),
        ("avg(level) over 1 s = 2.5", True),
        ("min(level) over 1 s = 1", True),
        ("max(level) over 1 s = 4", True),
        ("max(level) over 1 s > 4", False),
        ("max(degree) over 1 s > 0", False),
    ],
)
def test_all_values_are_aggregated(condition: str, is_so: bool) -> None:
    events = (
        one("x", 10, 20, level=1),
        one("y1", 0, 5, level=[2, 3]),
        one("y2", 0, 6, level=4),
        one("z", 0, 6, degree=4),
    )
    text = f"{{kind in (x, y), {condition}}}"

    assert ("x" in found(text, *events)) is is_so


def test_units_are_those_of_what_is_asked_for() -> None:
    events = one("x", 10, 20, level="68 °F"), one("x0", 0, 5, level="30 °C")

    assert answering("{avg(level) over 1 s = 25 °C}", *events) == "x"


@pytest.mark.parametrize(("watermark", "is_so"), [(9, False), (10, True)])
def test_a_window_is_known_when_time_has_come_to_the_moment(watermark: int, is_so: bool) -> None:
    text = "{kind = x, count() over 1 s = 1}"

    assert ("x" in found(text, one("x", 10, 20), watermark=watermark)) is is_so


# ---- compositions ----


@pytest.mark.parametrize(("end", "is_so"), [(9, True), (10, False)])
def test_a_sequence_is_strictly_one_after_the_other(end: int, is_so: bool) -> None:
    events = one("x", 0, end), one("y", 10, 20)

    assert answering("{kind = x} then {kind = y}", *events) == ("y" if is_so else "")


def test_a_sequence_is_short_from_its_first_start_to_its_last() -> None:
    events = one("x", 0, 1), one("y", 5, 6), one("z", 10, 99)
    text = "{kind = x} then {kind = y} then {kind = z} within"

    assert answering(f"{text} 0.01 ms", *events) == "z"
    assert answering(f"{text} 0.009 ms", *events) == ""


def test_the_steps_of_a_sequence_but_the_last_have_ended() -> None:
    text = "{kind = x} then {kind = y}"

    assert answering(text, one("x", 0, 1), one("y", 5, None)) == "y"
    assert answering(text, one("x", 0, None), one("y", 5, 6)) == ""


def test_the_steps_of_a_sequence_agree_on_what_is_named() -> None:
    text = "{kind = x, room = $r} then {kind = y, room = $r}"
    first, second = one("x1", 0, 1, room="hall"), one("x2", 2, 3, room="attic")

    assert answering(text, first, second, one("y", 5, 6, room="hall")) == "y"
    assert answering(text, second, one("y", 5, 6, room="hall")) == ""
    assert answering(text, first, one("y", 5, 6)) == ""
    assert answering(text, first, one("y", 5, 6, room=["attic", "hall"])) == "y"


def test_an_alternation_is_any_of_its_patterns() -> None:
    text = "{kind = x} or {kind = y}"

    assert answering(text, one("x", 0, 1), one("y", 5, None), one("z", 6, 7)) == "x y"


def test_a_repetition_is_about_its_last_event() -> None:
    text = "{kind = x} 3 times within 0.01 ms"
    events = one("x1", 0, 2), one("x2", 2, 4), one("x3", 3, 10), one("x4", 9, 11)

    assert answering(text, *events[:3]) == "x3"
    assert answering(text, events[0], events[1], events[3]) == ""
    assert answering(text, *events) == "x3 x4"


def test_of_events_that_end_together_the_one_with_the_greater_id_is_last() -> None:
    assert answering("{kind = x} 2 times within 1 s", one("x1", 0, 5), one("x2", 0, 5)) == "x2"


def test_an_event_is_not_repeated_by_itself() -> None:
    text = "({kind = x} or {room = hall}) 2 times within 1 s"

    assert answering(text, one("x1", 0, 5, room="hall")) == ""


@pytest.mark.parametrize(
    ("events", "is_so"),
    [
        ((one("x", 0, 2), one("y", 3, 10)), "y"),
        ((one("y", 0, 2), one("x", 3, 10)), "x"),
        ((one("x", 0, 10), one("y", 2, 5)), "x"),
        ((one("x", 0, 11), one("y", 1, 5)), "x"),
        ((one("x", 0, 5), one("y", 0, 5)), "y"),
        ((one("x", 0, 2), one("y", 3, 11)), ""),
        ((one("x", 0, 2), one("y", 3, None)), ""),
    ],
)
def test_a_coincidence_is_about_what_ends_last_in_any_order(
    events: tuple[Occurrence, ...], is_so: str
) -> None:
    assert answering("{kind = x} and {kind = y} within 0.01 ms", *events) == is_so


def test_without_a_limit_a_coincidence_may_take_any_time() -> None:
    assert answering("{kind = x} and {kind = y}", one("y", 0, 1), one("x", 900, 901)) == "x"


def test_the_events_of_a_coincidence_are_different_ones() -> None:
    text = "{kind = x} and {room = hall} and {kind = x}"
    both = one("x1", 0, 1, room="hall")

    assert answering(text, both, one("x2", 2, 3)) == ""
    assert answering(text, both, one("x2", 2, 3), one("x3", 4, 5)) == "x3"


def test_the_parts_of_a_coincidence_agree_on_what_is_named() -> None:
    text = "{kind = x, room = $r} and {kind = y, room = $r}"
    hall, attic = one("y1", 0, 1, room="hall"), one("y2", 2, 3, room="attic")

    assert answering(text, hall, one("x", 5, 6, room="hall")) == "x"
    assert answering(text, attic, one("x", 5, 6, room="hall")) == ""


@pytest.mark.parametrize(("end", "is_so"), [(10, True), (11, False), (15, False), (16, True)])
def test_an_absence_is_decided_by_what_ends_after_the_trigger_up_to_the_deadline(
    end: int, is_so: bool
) -> None:
    text = "not {kind = y} within 0.005 ms after {kind = x}"

    assert answering(text, one("x", 0, 10), one("y", 0, end)) == ("x" if is_so else "")


@pytest.mark.parametrize(("watermark", "is_so"), [(15, False), (16, True)])
def test_an_absence_is_known_after_the_deadline(watermark: int, is_so: bool) -> None:
    text = "not {kind = y} within 0.005 ms after {kind = x}"

    assert answering(text, one("x", 0, 10), watermark=watermark) == ("x" if is_so else "")


def test_the_beginning_of_an_event_is_heard_if_it_was_told_apart() -> None:
    text = "not {kind = y} within 0.005 ms after {kind = x}"

    assert answering(text, one("x", 0, 10), one("y", 12, 30, is_in_parts=True)) == ""
    assert answering(text, one("x", 0, 10), one("y", 12, None, is_in_parts=True)) == ""
    assert answering(text, one("x", 0, 10), one("y", 12, 30)) == "x"


def test_the_beginning_of_a_sequence_is_not_heard() -> None:
    text = "not ({kind = y} then {kind = z}) within 0.005 ms after {kind = x}"
    events = one("x", 0, 10), one("y", 12, 13), one("z", 14, 30, is_in_parts=True)

    assert answering(text, *events) == "x"


def test_what_is_missing_agrees_with_the_trigger_on_what_is_named() -> None:
    text = "not {kind = y, room = $r} within 0.005 ms after {kind = x, room = $r}"
    other = one("y", 11, 12, room="attic")

    assert answering(text, one("x", 0, 10, room="hall"), other) == "x"
    assert answering(text, one("x", 0, 10, room="attic"), other) == ""


def test_a_trigger_that_goes_on_has_no_deadline() -> None:
    assert answering("not {kind = y} within 1 s after {kind = x}", one("x", 0, None)) == ""


def test_an_absence_ends_at_its_deadline() -> None:
    text = "(not {kind = y} within 0.005 ms after {kind = x}) then {kind = z}"

    assert answering(text, one("x", 0, 10), one("z", 15, 20)) == ""
    assert answering(text, one("x", 0, 10), one("z", 16, 20)) == "z"


# ---- probabilities ----


def test_a_match_is_as_likely_as_the_product_of_its_parts_by_the_best_witness() -> None:
    text = "{kind = hot~, start after {kind = hot~, room = attic}} threshold 0.3"
    x = one("x", 10, 20, kind="warm", room="hall")
    mild = one("y1", 0, 1, kind="mild", room="attic")
    warm = one("y2", 0, 1, kind="warm", room="attic")
    warm_and_in = 2 / (1 / 0.8 + 1)

    assert found(text, x, mild, warm) == {"x": pytest.approx(0.8 * warm_and_in)}


def test_every_part_must_be_likely_and_all_together_too() -> None:
    text = "{kind = hot~} then {kind = hot~}"
    first, second = one("x", 0, 1, kind="warm"), one("y", 5, 6, kind="mild")

    assert found(text, first, second) == {}
    assert found(f"{text} threshold 0.4", first, second) == {"y": pytest.approx(0.48)}
    assert found(f"{text} threshold 0.7", first, first) == {}


def test_what_is_perhaps_there_makes_an_absence_less_likely_once() -> None:
    text = "not {kind = hot~} within 1 s after {kind = x} threshold 0.1"
    x, warm, mild = one("x", 0, 1), one("y", 2, 3, kind="warm"), one("z", 4, 5, kind="mild")

    assert found(text, x, warm) == {"x": pytest.approx(0.2)}
    assert found(text, x, mild) == {"x": pytest.approx(0.4)}
    assert found(f"not {{kind = warm~}} {text.split('} ', 1)[1]}", x, mild) == {
        "x": pytest.approx(0.1)
    }
