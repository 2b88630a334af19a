"""Joins of any length: one loop within another, in as many functions as Python needs for that."""

import ast
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Quad, Store

from purport.sparql import Engine
from purport.sparql.join_code import JoinCode, Look, Names, join_code, key_at
from tests.sparql.requery import quads_of

LENGTHS = (1, 2, 14, 15, 19, 20, 21, 60, 150)
MOST_BLOCKS = 20  # that Python nests

Fact = tuple[int, int]
Row = tuple[int, ...]


@st.composite
def joins(draw: st.DrawFn) -> tuple[tuple[Names, ...], list[set[Fact]]]:
    """Patterns each of which begins where one of the last few ended, and the facts of each."""
    length = draw(st.sampled_from(LENGTHS))
    ends = draw(st.dictionaries(st.integers(0, length - 1), st.integers(0, length), max_size=3))
    more = draw(st.dictionaries(st.integers(0, length - 1), st.sampled_from([0, 2, 3]), max_size=3))
    patterns: list[Names] = []
    facts: list[set[Fact]] = []
    for place in range(length):
        begin = max(0, place - draw(st.integers(0, 2)))
        end = ends.get(place, place + 1)  # which may be one that is known
        patterns.append((f"v{begin}", None, f"v{end}", None))
        values = range(more.get(place, 1))
        facts.append({(one, other) for one in range(3) for other in values} if values else set())
    return tuple(patterns), facts


@given(joins())
def test_a_join_of_any_length_finds_what_going_through_all_facts_finds(
    join: tuple[tuple[Names, ...], list[set[Fact]]],
) -> None:
    patterns, facts = join
    names = tuple(dict.fromkeys(one for names in patterns for one in names if one))

    code = join_code(patterns, 0, (), names)

    out: list[tuple[object, Row]] = []
    begin = [(one, None, other, None) for one, other in facts[0]]
    code.run(begin, out, {None: "everybody"}, *finders_of(code, facts))
    assert sorted(out) == sorted(("everybody", row) for row in slow_join(patterns, facts, names))


def finders_of(code: JoinCode, facts: Sequence[set[Fact]]) -> list[object]:
    """What the steps of a join find, each in a mapping of its own."""
    finders: list[object] = []
    for step in code.steps:
        assert isinstance(step, Look)
        found: dict[object, list[object]] = {}
        key, value = key_at(step.bound), key_at(step.free)
        for one, other in facts[step.pattern]:
            found.setdefault(key((one, None, other)), []).append(value((one, None, other)))
        finders.append(found.get)
    return finders


def slow_join(
    patterns: Sequence[Names], facts: Sequence[set[Fact]], names: Sequence[str]
) -> list[Row]:
    """All solutions, each pattern joined with each of its facts."""
    rows: list[dict[str | None, int]] = [{}]
    for (subject, _, value, _), some in zip(patterns, facts, strict=True):
        rows = [
            row | {subject: one, value: other}
            for row in rows
            for one, other in some
            if row.get(subject, one) == one
            and row.get(value, other) == other
            and (subject != value or one == other)
        ]
    return [tuple(row[name] for name in names) for row in rows]


@pytest.mark.parametrize("length", [3, 12])
def test_a_short_join_is_one_function(length: int) -> None:
    assert len(functions_of(chain(length))) == 1


def test_no_function_of_a_long_join_nests_as_deep_as_python_can() -> None:
    for function in functions_of(chain(150)):
        assert depth_of(function) < MOST_BLOCKS


def chain(length: int) -> JoinCode:
    patterns = tuple((f"v{n}", None, f"v{n + 1}", None) for n in range(length))
    return join_code(patterns, 0, (), (f"v{length}",))


def functions_of(code: JoinCode) -> list[ast.stmt]:
    return ast.parse(code.source).body


def depth_of(node: ast.AST) -> int:
    deepest = max((depth_of(one) for one in ast.iter_child_nodes(node)), default=0)
    return deepest + isinstance(node, ast.For | ast.If)


@pytest.mark.parametrize("length", [19, 20, 21, 60])
def test_queries_and_updates_with_many_triple_patterns_are_as_good_as_others(length: int) -> None:
    chain_of = " ".join(f"?v{n} <urn:p{n % 7}> ?v{n + 1} ." for n in range(length))
    facts = " ".join(f"<urn:n{n}> <urn:p{n % 7}> <urn:n{n + 1}> ." for n in range(length + 1))
    updates = [
        f"INSERT DATA {{ {facts} }}",
        f"INSERT {{ ?v0 <urn:leads> ?v{length} }} WHERE {{ {chain_of} }}",
        f"DELETE {{ ?v0 <urn:p0> ?v1 }} WHERE {{ {chain_of} ?v0 <urn:leads> ?v{length} }}",
    ]
    engine, theirs = Engine(), Store()
    live = engine.subscribe(f"SELECT ?v0 ?v{length} {{ {chain_of} }}")

    told = []
    for update in updates:
        told += [(len(one.added), len(one.removed)) for one in engine.update(update)]
        theirs.update(update)
        assert quads_of(engine) == set[Quad](theirs)

    assert live.initial == []
    assert told == [(1, 0), (0, 1)]
