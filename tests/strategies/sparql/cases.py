"""Whole cases: a graph, queries that are subscribed for a while, and updates."""

import re
from dataclasses import dataclass, replace

from tests.strategies.sparql.pen import Pen, Written
from tests.strategies.sparql.queries import Query, query
from tests.strategies.sparql.updates import graph, request

_SWAPPED = {"a": "b", "b": "a", "p": "q", "q": "p", "g": "h", "h": "g", "1": "2", "2": "1"}


@dataclass(frozen=True, slots=True)
class Subscribed:
    """A query that is subscribed before the update of one number, and ends before another."""

    query: Query
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class Case:
    """A graph to begin with, subscriptions, and updates."""

    graph: str
    subscribed: tuple[Subscribed, ...]
    updates: tuple[str, ...]


def case(pen: Pen) -> Case:
    """Any case; some of its queries are the same, or alike up to constants."""
    beginning = graph(pen)
    queries = [query(pen)]
    for _ in range(pen.pick([0, 0, 1, 2])):
        queries.append(
            pen.one_of(
                [
                    (70, lambda: query(pen)),
                    (15, lambda: pen.pick(queries)),
                    (15, lambda: alike(pen.pick(queries))),
                ]
            )
        )
    updates = tuple(request(pen) for _ in range(pen.pick([1, 3, 4, 5, 6])))
    return Case(beginning, tuple(_subscribed(pen, one, len(updates)) for one in queries), updates)


def alike_case(pen: Pen) -> Case:
    """One query several times, under the same constants and others."""
    one = query(pen)
    queries = [one, *pen.some(lambda: alike(one) if pen.chance(50) else one, 1, 4)]
    updates = tuple(request(pen) for _ in range(pen.pick([1, 3, 4, 5, 6])))
    subscribed = tuple(_subscribed(pen, one, len(updates)) for one in queries)
    return Case(graph(pen), subscribed, updates)


def alike(one: Query) -> Query:
    """The same query over other constants."""

    def swapped(text: str) -> str:
        return re.sub(r"(<urn:|\be:)([abpqgh])\b|\b([12])\b", _other, text)

    return replace(one, text=swapped(one.text), behind=swapped(one.behind))


def _other(found: re.Match[str]) -> str:
    return (found[1] or "") + _SWAPPED[found[2] or found[3]]


def _subscribed(pen: Pen, one: Query, updates: int) -> Subscribed:
    since = pen.number(0, updates - 1) if pen.chance(25) else 0
    until = pen.number(since + 1, updates) if pen.chance(20) else updates
    return Subscribed(one, since, until)


cases = Written(case)
alike_cases = Written(alike_case)
requests = Written(request)
