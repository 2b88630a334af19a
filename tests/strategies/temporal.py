"""Streams of events in time, and temporal subscriptions that they answer often.

Times are a few microseconds after 1970, so that events touch, tie and overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from hypothesis import strategies as st

from purport.matching.matcher import Matcher
from purport.model import subscription as ast
from purport.model.comparison import Operator
from purport.model.event import Event, Statement
from purport.model.interval import Interval, time_of
from purport.model.language.parse import parse
from purport.model.term import Term, Text, Time, folded
from purport.model.units import Quantity
from tests.oracles.temporal_arrivals import Passing, Publication, Step
from tests.strategies.pairwise import Pairwise
from tests.strategies.wine_cellar import cellar

LATEST = 8
KINDS = ("hot", "warm", "mild", "cold")
ROOMS = ("hall", "attic")
LEVELS = (0, 1, 2)
SCORES = {
    frozenset({"hot", "warm"}): 0.8,
    frozenset({"hot", "mild"}): 0.6,
    frozenset({"warm", "mild"}): 0.9,
    frozenset({"kind", "sort"}): 0.8,
    frozenset({"level", "degree"}): 0.6,
    frozenset({"room", "place"}): 0.9,
}


@dataclass(frozen=True, slots=True)
class FewWords(Pairwise):
    """A measure that knows how a few words are related, and of no others."""

    def score(self, left: str, right: str) -> float:
        if folded(left) == folded(right):
            return 1.0
        return SCORES.get(frozenset({folded(left), folded(right)}), 0.0)


def matcher(asked: Sequence[ast.Subscription] = ()) -> Matcher:
    """One that knows a few words, and wines."""
    return Matcher(asked, measure=FewWords(), ontology=cellar())


# ---- events ----


_kinds = [Text(kind) for kind in KINDS]
_rooms = [Text(room) for room in ROOMS]
_levels = [Quantity(level) for level in LEVELS]


def _said(name: str, values: Sequence[Term]) -> list[Statement]:
    return [Statement(Text(name), value) for value in values]


_KIND, _ROOM, _LEVEL = _said("kind", _kinds), _said("room", _rooms), _said("level", _levels)
_DRINK = _said("drink", [Text("Merlot"), Text("Chateau"), Text("Wine"), Text("beer")])
_OTHERS = [*_said("sort", _kinds), *_said("place", _rooms), *_said("degree", _levels), *_DRINK]
contents = st.one_of(
    st.tuples(st.sampled_from(_KIND), st.sampled_from(_ROOM), st.sampled_from(_LEVEL)),
    st.lists(
        st.sampled_from([*_KIND, *_ROOM, *_LEVEL, *_OTHERS]), min_size=1, max_size=4, unique=True
    ).map(tuple),
)
times = st.integers(0, LATEST)
_seldom = st.sampled_from([False, False, False, True])


@dataclass(frozen=True, slots=True)
class _Notice:
    """An event to be published; one without a time happens when its turn comes."""

    event: Event
    time: int | None


@st.composite
def _notices(draw: st.DrawFn, identifier: str, is_plain: bool) -> list[_Notice]:
    """What is published of one event, in order."""
    said = draw(contents)
    if draw(_seldom):
        said = (*said, Statement(Text("due"), Time(time_of(draw(times)))))

    def notice(start: int | None, end: int | None, more: tuple[Statement, ...]) -> _Notice:
        bounds = (None if one is None else time_of(one) for one in (start, end))
        return _Notice(Event(more, identifier, Interval(*bounds)), start if end is None else end)

    start, end = sorted(draw(st.tuples(times, times)))
    match draw(st.sampled_from(["instant", "whole", "whole", "parts", "open", "timeless"])):
        case "whole":
            return [notice(start, end, said)]
        case "instant":
            return [notice(end, end, said)]
        case "parts":
            last = draw(contents) if not is_plain and draw(_seldom) else ()
            return [notice(start, None, said), notice(None, end, last)]
        case "open":
            return [notice(start, None, said)]
        case _:
            return [_Notice(Event(said, identifier), None)]


@st.composite
def streams(draw: st.DrawFn, most: int = 7, *, is_plain: bool = False) -> list[Step]:
    """Publications and passing time: events in any order, some told twice or wrongly.

    The time at which they are published seldom goes back, as that of a clock does that is set.

    A plain one has nothing wrong in it: each event is told in order, and once, and its end adds
    nothing to what its start says.
    """
    count = draw(st.integers(min(4, most), most))
    notices = [one for number in range(count) for one in draw(_notices(f"e{number}", is_plain))]
    orders = ["as told"] if is_plain else ["in time", "in time", "as told", "in any order"]
    match draw(st.sampled_from(orders)):
        case "in time":
            notices.sort(key=lambda one: LATEST if one.time is None else one.time)
        case "in any order":
            notices = draw(st.permutations(notices))
    if not is_plain and draw(_seldom):
        notices.insert(draw(st.integers(0, len(notices))), draw(st.sampled_from(notices)))
    steps: list[Step] = []
    now = 0
    for one in notices:
        if not is_plain and draw(_seldom):
            now = max(0, now - draw(st.integers(1, 6)))  # the clock is put back
        now = now + draw(st.integers(0, 1)) if one.time is None else max(now, one.time)
        steps.append(Publication(one.event, now))
        if not is_plain and draw(_seldom):
            now += draw(st.integers(0, 4))
            steps.append(Passing(now))
    if not is_plain and draw(st.booleans()):
        steps.append(Passing(now + draw(st.integers(0, 20))))
    return steps


allowances = st.sampled_from([0, 0, 2, 100])

# ---- subscriptions ----

_operators = st.sampled_from(Operator)
_endpoints = st.sampled_from(ast.Endpoint)
_references = st.sampled_from([*ast.Endpoint, *ast.Endpoint, ast.AskedAttribute(Text("due"))])
durations = st.integers(1, 10).map(lambda number: timedelta(microseconds=number))


def _predicates(*texts: str) -> list[ast.Predicate]:
    return [parse(f"{{{text}}}").predicates[0] for text in texts]


_PLAIN = _predicates(
    "kind = hot", "kind = cold", "kind != mild", "kind in (hot, warm)", "room = hall",
    "room != attic", "room within (hall, attic)", "level >= 0", "level > 0", "level != 1",
    "level in [0, 1]", "level contains all (0)", "drink isa Claret", "drink has hasColour = Red",
)  # fmt: skip
_NEAR = _predicates(
    "kind = hot~", "kind = warm~", "kind~ = hot", "kind~ = hot~", "kind~ in (mild~, cold)",
    "room~ = hall", "level~ >= 0", "level~ < 2", "kind != hot~", "room~ within (hall, attic)",
)  # fmt: skip
_CORRELATED = _predicates(
    "room = $room", "room != $ROOM", "level < $level", "level >= $level", "level = $level",
    "kind != $kind", "kind in ($kind, hot)", "level in [0, $level]", "room within ($room, hall)",
)  # fmt: skip
_NEARLY_CORRELATED = _predicates(
    "kind = $kind~", "kind != $kind~", "room~ = $room", "level~ <= $level", "kind~ = $kind~",
    "kind in ($kind~, cold)",
)  # fmt: skip
_BINDING = _predicates("room = $r", "level = $s", "level = $r")
_NEARLY_BINDING = _predicates("room~ = $r", "level~ = $s")


def plain_predicates(*, near: bool) -> st.SearchStrategy[ast.Predicate]:
    """What one event alone answers."""
    return st.sampled_from(_NEAR + _NEAR + _PLAIN if near else _PLAIN)


def correlated_predicates(*, near: bool) -> st.SearchStrategy[ast.Predicate]:
    """What depends on the event around: `room = $room`, `level < $level`."""
    return st.sampled_from(_CORRELATED + _NEARLY_CORRELATED if near else _CORRELATED)


def binding_predicates(*, near: bool) -> st.SearchStrategy[ast.Predicate]:
    """What the parts of a composition agree on: `room = $r`."""
    return st.sampled_from(_BINDING + _NEARLY_BINDING if near else _BINDING)


def _attribute(names: Sequence[str], near: bool) -> st.SearchStrategy[ast.AskedAttribute]:
    approximations = [None, ast.Approximation()] if near else [None]
    return st.builds(
        ast.AskedAttribute, st.sampled_from(names).map(Text), st.sampled_from(approximations)
    )


def aggregates(*, near: bool) -> st.SearchStrategy[ast.Predicate]:
    """What windows are asked for."""
    wanted = st.sampled_from([*_levels, Quantity(0.5)]).map(ast.AskedValue)
    every = st.sampled_from(ast.Function)
    counting = st.just(ast.Function.COUNT)
    level = _attribute(["level"], near)
    return st.one_of(
        st.builds(ast.WindowAggregate, every, level, durations, _operators, wanted),
        st.builds(ast.WindowAggregate, counting, st.none(), durations, _operators, wanted),
    )


def positive_predicates(
    inner: st.SearchStrategy[ast.Conjunction],
) -> st.SearchStrategy[ast.Predicate]:
    """What another event bears witness to."""
    return st.one_of(
        st.builds(ast.After, _references, st.one_of(st.none(), durations), inner),
        st.builds(ast.During, _references, inner),
        st.builds(ast.Simultaneous, _endpoints, inner),
        st.builds(ast.AllenRelated, st.sampled_from(ast.AllenRelation), inner),
    )


def history_filters(
    inner: st.SearchStrategy[ast.Conjunction], *, near: bool
) -> st.SearchStrategy[ast.Predicate]:
    """What is compared with earlier events."""
    attributes = _attribute(["level", "level", "kind"], near)
    last = st.sampled_from([None, 1, 2])
    return st.builds(ast.HistoryFilter, attributes, _operators, last, inner)


@dataclass(frozen=True, slots=True)
class _World:
    """What may be asked for."""

    near: bool
    is_positive: bool
    is_correlated: bool


def conjunctions(
    *, near: bool, depth: int = 3, is_positive: bool = False, is_correlated: bool = True
) -> st.SearchStrategy[ast.Conjunction]:
    """Conjunctions with temporal predicates, nested so deep.

    Positive ones ask for other events alone, uncorrelated ones have no `$names`.
    """
    return _conjunctions(_World(near, is_positive, is_correlated), depth)


@st.composite
def _conjunctions(
    draw: st.DrawFn, world: _World, depth: int, *, is_inner: bool = False
) -> ast.Conjunction:
    near, is_correlated = world.near, False
    predicates = draw(st.lists(plain_predicates(near=near), max_size=1))
    if world.is_correlated and draw(_seldom):
        others = correlated_predicates if is_inner else binding_predicates
        predicates.append(draw(others(near=near)))
        is_correlated = is_inner
    if depth > 0:
        inner = _conjunctions(world, depth - 1, is_inner=True)
        kinds = [positive_predicates(inner)]
        if not world.is_positive:
            kinds.append(history_filters(inner, near=near))
        if not world.is_positive and not is_correlated:  # beside `$names` they are refused
            kinds.append(aggregates(near=near))
        most = 2 if depth == 1 else 1
        predicates += draw(st.lists(st.one_of(kinds), min_size=1, max_size=most))
    if not predicates:
        predicates.append(draw(plain_predicates(near=near)))
    return ast.Conjunction(tuple(predicates))


def patterns(
    *, near: bool, depth: int = 2, is_positive: bool = False, is_correlated: bool = True
) -> st.SearchStrategy[ast.Pattern]:
    """Compositions of every kind, nested so deep, of conjunctions that share `$names`."""
    return _patterns(_World(near, is_positive, is_correlated), depth)


@st.composite
def _patterns(draw: st.DrawFn, world: _World, depth: int) -> ast.Pattern:
    if depth == 0:
        return draw(_conjunctions(world, 1 if draw(_seldom) else 0))
    inner = _patterns(world, draw(st.integers(0, depth - 1)))
    several = st.lists(inner, min_size=2, max_size=3 if depth == 1 else 2).map(tuple)
    kinds: list[st.SearchStrategy[ast.Pattern]] = [
        st.builds(ast.Alternation, several),
        st.builds(ast.Sequence, several, st.one_of(st.none(), durations)),
        st.builds(ast.Coincidence, several, st.one_of(st.none(), durations)),
        st.builds(ast.Repetition, inner, st.sampled_from([2, 2, 3]), durations),
    ]
    if not world.is_positive:
        kinds.append(st.builds(ast.Absence, inner, durations, inner))
    return draw(st.one_of(kinds))


options = st.builds(
    ast.Options,
    threshold=st.sampled_from([0.3, None, 0.7]),
    top=st.sampled_from([None, None, 2]),
    mapping=st.sampled_from([None, None, ast.Multiplicity.ONE_TO_ONE]),
    aggregation=st.sampled_from([None, *ast.Aggregation]),
    exact=st.sampled_from([None, None, *ast.Exactness]),
)


def subscriptions(*, near: bool) -> st.SearchStrategy[ast.Subscription]:
    """Subscriptions to events in time, with `~` or without."""
    return st.builds(
        ast.Subscription,
        st.one_of(
            *(conjunctions(near=near, depth=depth) for depth in (1, 2, 3)),
            *(patterns(near=near, depth=depth) for depth in (1, 1, 2)),
        ),
        options if near else st.just(ast.Options()),
    )


exact_subscriptions = subscriptions(near=False)
near_subscriptions = subscriptions(near=True)
