"""Why something is not covered: it is told whenever it is not, and names what does not follow."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import parse
from purport.covering.covers import covers, why_not
from purport.model import subscription as ast
from purport.model.language.write import write_predicate
from tests.strategies.covering import Pair, exact_pairs, near_pairs
from tests.strategies.covering_in_time import pairs_in_time


@given(st.one_of(exact_pairs, near_pairs, pairs_in_time))
def test_there_is_an_objection_where_nothing_is_covered_and_else_none(pair: Pair) -> None:
    assert bool(why_not(*pair)) != covers(*pair)


@given(exact_pairs)
def test_without_what_does_not_follow_it_would_be_covered(pair: Pair) -> None:
    found = why_not(*pair)
    left = [one for one in pair.general.predicates if write_predicate(one) not in found.predicates]

    if left and not found.reasons:
        assert covers(replace(pair.general, pattern=ast.Conjunction(tuple(left))), pair.specific)


@pytest.mark.parametrize(
    ("general", "specific", "told"),
    [
        ("{a > 3, b = 1}", "{a > 2, b = 1, c = 4}", ["does not follow: a > 3"]),
        ("{a within (x, y)}", "{a = x}", ["does not follow: a within (x, y)"]),
        (
            "{a = 1, start after(5 s) {b > 2}}",
            "{a = 1, start after(6 s) {b > 3}}",
            ["does not follow: start after(5 s) {b > 2}"],
        ),
        (
            "{a = $x, start after(5 s) {b = $x}}",
            "{c = $x, start after(5 s) {b = $x}}",
            ["the other one does not give $x its value by the same attribute"],
        ),
        (
            "{room = $r, start with {b = 1, room != $r}}",
            "{room = $r, start with {b = 1, room = $r}}",
            ["does not follow: start with {b = 1, room != $r}"],
        ),
        (
            "{a = 1} expires 2026-01-01",
            "{a = 1} expires 2027-01-01",
            ["expires: it ends before the other one does"],
        ),
        (
            "{a = 1} on change",
            "{a = 1}",
            ["on change: it is not told of every event that it accepts"],
        ),
        (
            "{a = 1} at most once per 5 min",
            "{a = 1}",
            ["at most once per: it is not told of every event that it accepts"],
        ),
        (
            "{a > 0, a > 1} mapping 1:1",
            "{a > 2}",
            ["mapping 1:1: it wants a statement for each predicate, the other one does not"],
        ),
        ("{a = x~} threshold 0.8", "{a = x~}", ["its threshold is higher: 0.8 > 0.5"]),
        (
            "{a = 1} then {b = 1} within 5 s",
            "{b = 1}",
            ["it asks for several events, the other one for one"],
        ),
        (
            "{a = 1, b = 1}",
            "{a = 1} then {b = 1} within 5 s",
            ["the other one asks for several events: no one statement is known to answer it"],
        ),
        (
            "{a = 1} then {b = 1} within 5 s",
            "{a = 1} then {b = 1} within 6 s",
            ["what it asks for is not known to follow from all that the other one accepts"],
        ),
        (
            "{a = $x}",
            "{a = 1}",
            ["nothing answers one of them, or no engine runs it: it is like what is written alike"],
        ),
        (
            "{a = 1}",
            "{a = 1, a = 2, a within (2, 3)}",
            ["nothing answers one of them, or no engine runs it: it is like what is written alike"],
        ),
        (
            "{a = 1, b = 1}",
            "{a = 1, b = 1, c = 1} aggregation mean exact scored threshold 0.3",
            [
                "does not follow: a = 1",
                "does not follow: b = 1",
                "the other one accepts events that do not answer all of its predicates",
            ],
        ),
    ],
)  # fmt: skip
def test_what_does_not_follow_is_named(general: str, specific: str, told: list[str]) -> None:
    assert list(why_not(parse(general), parse(specific))) == told


@pytest.mark.parametrize(
    ("general", "specific"),
    [
        ("{a > 3}", "{b = 1, a > 4}"),
        ("{a = 1} or {b = $r}", "{a = 1, c = $r, start after {a = 1}}"),
        ("{a = 1, a within (2)}", "{a = 1, a within (2)}"),
    ],
)
def test_nothing_stands_against_what_covers(general: str, specific: str) -> None:
    assert not list(why_not(parse(general), parse(specific)))
