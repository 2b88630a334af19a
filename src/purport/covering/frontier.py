"""The most general of some interests: whoever asks for these is told of all the others want."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from purport.covering.graph import CoveringGraph
from purport.covering.interest import EVERYTHING, PARTS
from purport.errors import PurportError
from purport.model.language.parse import parse


class Frontier:
    """Texts of interests as they come and go, and which of them no other one covers.

    Of those that ask for the same, the first by its letters stands for all: which one does not
    depend on when each came. What cannot be read here covers nothing, and is covered by nothing but
    `EVERYTHING`.

    >>> frontier = Frontier()
    >>> for text in ("{heat > 30}", "{heat > 20}", "{heat > 20, room = hall}"):
    ...     frontier.add(text)
    >>> list(frontier)
    ['{heat > 20}']
    >>> frontier.remove("{heat > 20}")
    >>> sorted(frontier)
    ['{heat > 20, room = hall}', '{heat > 30}']
    """

    def __init__(self, graph: Callable[[], CoveringGraph] = CoveringGraph) -> None:
        self._graph = graph()
        self._tops: dict[str, None] = {}  # of the graph, one of each kind
        self._others: dict[str, None] = {}  # that the graph does not have

    def __len__(self) -> int:
        return len(self._graph) + len(self._others)

    def __contains__(self, text: str) -> bool:
        return text in self._others or text in self._graph

    def __iter__(self) -> Iterator[str]:
        """Those that no other one covers."""
        if EVERYTHING in self._others:
            return iter((EVERYTHING,))
        return iter((*self._tops, *self._others))

    def add(self, text: str) -> None:
        """Take up an interest that is not here."""
        if text in (EVERYTHING, PARTS):
            self._others[text] = None
            return
        try:
            self._graph.add(text, parse(text))
        except PurportError:
            self._others[text] = None
            return
        if self._graph.parents(text):
            return
        for one in (*self._graph.children(text), *self._graph.equivalents(text)):
            self._tops.pop(one, None)
        self._tops[min(self._graph.equivalents(text))] = None

    def remove(self, text: str) -> None:
        """Drop an interest that is here."""
        if text in self._others:
            del self._others[text]
            return
        graph = self._graph
        below = graph.children(text)
        equals = [one for one in graph.equivalents(text) if one != text]
        graph.remove(text)
        if text not in self._tops:
            return
        del self._tops[text]
        if equals:
            self._tops[min(equals)] = None
            return
        for one in below:
            if not graph.parents(one):
                self._tops[min(graph.equivalents(one))] = None
