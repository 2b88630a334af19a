"""A covering graph as a picture: boxes of subscriptions below those that cover them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from purport.covering.graph import CoveringGraph
from purport.errors import InvalidInput
from purport.model.term import printable
from purport.ontology.codes.boxes import MOST_BOXES, Box, Chart, draw_chart
from purport.plots import COLOURS, require_picture, short

_SHOWN_NAMES = 3  # of those that ask for the same
_LONGEST = 60


def draw_graph(
    path: Path,
    graph: CoveringGraph,
    *,
    label: Callable[[str], str] = str,
    text: Callable[[str], str] = str,
    title: str = "",
) -> None:
    """Draw which subscription covers which (.svg, .png, .pdf), with labels and texts by identifier.

    The number of each is how many are below it. More than 150 boxes are refused: nobody could read
    them.
    """
    require_picture(path)
    firsts = _parents_first(graph)
    if not firsts:
        raise InvalidInput("there is no subscription to draw")
    if len(firsts) > MOST_BOXES:
        raise InvalidInput(
            f"{len(firsts):,} different subscriptions, of which at most {MOST_BOXES} can be read "
            "in a picture"
        )
    numbers = {name: number for number, name in enumerate(firsts)}
    boxes = {numbers[name]: _box(graph, name, label, text) for name in firsts}
    parents = {
        numbers[name]: sorted(numbers[one] for one in graph.parents(name)) for name in firsts
    }
    draw_chart(path, Chart(boxes, parents), title)


def _parents_first(graph: CoveringGraph) -> list[str]:
    """One of each that ask for the same, after those that cover it."""
    found: dict[str, None] = {}
    waiting = list(reversed(graph.roots))
    while waiting:
        name = waiting.pop()
        found[name] = None
        waiting += (
            one
            for one in reversed(graph.children(name))
            if all(parent in found for parent in graph.parents(one))
        )
    return list(found)


def _box(
    graph: CoveringGraph, name: str, label: Callable[[str], str], text: Callable[[str], str]
) -> Box:
    same = graph.equivalents(name)
    shown = " ≡ ".join(short(printable(label(one)), _LONGEST) for one in same[:_SHOWN_NAMES])
    line = "" if label(name) == text(name) else short(printable(text(name)), _LONGEST)
    return Box(shown, str(len(graph.below(name))), line, COLOURS[0])
