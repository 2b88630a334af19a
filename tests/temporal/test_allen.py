"""Allen's relations: exactly one of thirteen holds between any two intervals."""

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import Matcher, parse
from purport.model.event import Statement
from purport.model.subscription import AllenRelation
from purport.model.term import Text
from purport.temporal.allen import allen_relation
from purport.temporal.occurrence import Occurrence
from tests.oracles.temporal_scan import answers

Bounds = tuple[int, int]

DEFINITIONS: dict[AllenRelation, Callable[[int, int, int, int], bool]] = {
    AllenRelation.BEFORE: lambda a, b, c, d: b < c,
    AllenRelation.AFTER: lambda a, b, c, d: d < a,
    AllenRelation.MEETS: lambda a, b, c, d: a < b == c < d,
    AllenRelation.MET_BY: lambda a, b, c, d: c < d == a < b,
    AllenRelation.OVERLAPS: lambda a, b, c, d: a < c < b < d,
    AllenRelation.OVERLAPPED_BY: lambda a, b, c, d: c < a < d < b,
    AllenRelation.STARTS: lambda a, b, c, d: a == c and b < d,
    AllenRelation.STARTED_BY: lambda a, b, c, d: a == c and d < b,
    AllenRelation.DURING: lambda a, b, c, d: c < a and b < d,
    AllenRelation.CONTAINS: lambda a, b, c, d: a < c and d < b,
    AllenRelation.FINISHES: lambda a, b, c, d: c < a and b == d,
    AllenRelation.FINISHED_BY: lambda a, b, c, d: a < c and b == d,
    AllenRelation.EQUALS: lambda a, b, c, d: a == c and b == d,
}
INVERSES = {
    AllenRelation.BEFORE: AllenRelation.AFTER,
    AllenRelation.MEETS: AllenRelation.MET_BY,
    AllenRelation.OVERLAPS: AllenRelation.OVERLAPPED_BY,
    AllenRelation.STARTS: AllenRelation.STARTED_BY,
    AllenRelation.DURING: AllenRelation.CONTAINS,
    AllenRelation.FINISHES: AllenRelation.FINISHED_BY,
    AllenRelation.EQUALS: AllenRelation.EQUALS,
}
INVERSES |= {inverse: relation for relation, inverse in INVERSES.items()}

intervals = st.tuples(st.integers(), st.integers()).map(lambda pair: (min(pair), max(pair)))
INSTANTS_AND_INTERVALS = [(start, end) for start in range(5) for end in range(start, 5)]


@pytest.mark.parametrize("first", INSTANTS_AND_INTERVALS)
def test_exactly_one_definition_holds_and_it_is_the_one_found(first: Bounds) -> None:
    for second in INSTANTS_AND_INTERVALS:
        holding = [one for one, is_so in DEFINITIONS.items() if is_so(*first, *second)]

        assert holding == [allen_relation(first, second)]


@given(intervals, intervals)
def test_any_two_intervals_stand_in_the_one_relation_that_is_defined(
    first: Bounds, second: Bounds
) -> None:
    holding = [one for one, is_so in DEFINITIONS.items() if is_so(*first, *second)]

    assert holding == [allen_relation(first, second)]


@given(intervals, intervals)
def test_the_other_way_round_the_inverse_holds(first: Bounds, second: Bounds) -> None:
    assert allen_relation(second, first) is INVERSES[allen_relation(first, second)]


def test_every_relation_occurs() -> None:
    pairs = product(INSTANTS_AND_INTERVALS, repeat=2)

    assert {allen_relation(*pair) for pair in pairs} == set(AllenRelation)


# ---- relations by name, and the forms of the paper that are made of after, during and with ----

EXACT = Matcher(measure="exact")


def x_and_y(x: Bounds, *others: Bounds) -> list[Occurrence]:
    def named(name: str, number: int, bounds: Bounds) -> Occurrence:
        said = (Statement(Text("kind"), Text(name)),)
        return Occurrence(f"{name}{number}", *bounds, said, number)

    return [named("x", 0, x), *(named("y", 1 + place, one) for place, one in enumerate(others))]


def holds(text: str, occurrences: list[Occurrence]) -> bool:
    return answers(parse(text), occurrences, matcher=EXACT) == {"x0": 1.0}


OVERLAPPED_BY = "{kind = x, interval overlapped by {kind = y}}"
OVERLAPPED_BY_IN_THE_PAPER = "{kind = x, start during {kind = y}, end after {kind = y}}"


def test_both_forms_hold_where_one_event_overlaps_the_other() -> None:
    events = x_and_y((5, 8), (1, 6))

    assert holds(OVERLAPPED_BY, events)
    assert holds(OVERLAPPED_BY_IN_THE_PAPER, events)


def test_the_paper_s_form_holds_by_two_witnesses_of_which_neither_overlaps() -> None:
    events = x_and_y((5, 8), (0, 20), (1, 2))

    assert holds(OVERLAPPED_BY_IN_THE_PAPER, events)
    assert not holds(OVERLAPPED_BY, events)


def test_the_paper_s_form_holds_where_an_event_meets_the_other() -> None:
    events = x_and_y((6, 8), (1, 6))

    assert holds(OVERLAPPED_BY_IN_THE_PAPER, events)
    assert holds("{kind = x, interval met by {kind = y}}", events)
    assert not holds(OVERLAPPED_BY, events)


def test_the_paper_s_during_holds_by_two_events_that_leave_a_gap() -> None:
    events = x_and_y((5, 8), (4, 6), (7, 9))

    assert holds("{kind = x, start during {kind = y}, end during {kind = y}}", events)
    assert not holds("{kind = x, interval during {kind = y}}", events)


def test_the_paper_s_equals_holds_by_two_events_of_which_neither_is_as_long() -> None:
    events = x_and_y((5, 8), (5, 6), (7, 8))

    assert holds("{kind = x, start with {kind = y}, end with {kind = y}}", events)
    assert not holds("{kind = x, interval equals {kind = y}}", events)


@given(intervals, intervals)
def test_the_relation_by_name_is_the_only_one_that_answers(x: Bounds, y: Bounds) -> None:
    events = x_and_y(x, y)

    found = {
        relation
        for relation in AllenRelation
        if holds(f"{{kind = x, interval {relation} {{kind = y}}}}", events)
    }

    assert found == {allen_relation(x, y)}
