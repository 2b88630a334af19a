"""What `purport covers` prints of several subscriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from purport.covering.graph import CoveringGraph
from purport.model.language.label import label
from purport.model.language.write import write_pattern
from purport.model.subscription import Subscription
from purport.model.term import printable

_MOST_LINES = 400


def rows(graph: CoveringGraph, here: Mapping[str, Subscription]) -> Iterator[dict[str, object]]:
    """The subscriptions in their order, each with those right above and right below it."""

    def labels(names: tuple[str, ...]) -> list[str]:
        return [label(here[name]) for name in names]

    for name, one in here.items():
        same = tuple(other for other in graph.equivalents(name) if other != name)
        yield {
            "subscription": label(one),
            "pattern": write_pattern(one.pattern),
            "parents": labels(graph.parents(name)),
            "children": labels(graph.children(name)),
            "equivalents": labels(same),
        }


def tree(graph: CoveringGraph, here: Mapping[str, Subscription]) -> Iterator[str]:
    """The order as indented lines; what several cover stands below each of them."""
    many = "subscription" if len(here) == 1 else "subscriptions"
    yield f"{len(here):,} {many}, {len(graph.roots):,} of which no other one covers"
    waiting = [(name, 0) for name in reversed(graph.roots)]
    shown: set[str] = set()
    count = 0
    while waiting and count < _MOST_LINES:
        name, level = waiting.pop()
        children = graph.children(name)
        is_repeated = name in shown and bool(children)
        yield "  " * level + _line(graph, here, name) + (" ..." if is_repeated else "")
        count += 1
        if name not in shown:
            shown.add(name)
            waiting += [(one, level + 1) for one in reversed(children)]
    if waiting:
        yield f"... more than {_MOST_LINES} lines: take --json"


def _line(graph: CoveringGraph, here: Mapping[str, Subscription], name: str) -> str:
    """What subscriptions that ask for the same are called, and what the first one asks for."""
    one = here[name]
    names = " = ".join(label(here[other]) for other in graph.equivalents(name))
    return printable(names if one.name is None else f"{names}  {write_pattern(one.pattern)}")
