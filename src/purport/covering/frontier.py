"""The most general of some interests: whoever asks for these is told of all the others want."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

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
        self._changed: dict[str, None] = {}

    def __iter__(self) -> Iterator[str]:
        """Those that no other one covers."""
        if EVERYTHING in self._others:
            return iter((EVERYTHING,))
        return iter((*self._tops, *self._others))

    def is_top(self, text: str) -> bool:
        """Whether an interest is one of those that no other one covers."""
        if EVERYTHING in self._others:
            return text == EVERYTHING
        return text in self._tops or text in self._others

    def covers(self, text: str) -> bool:
        """Whether an interest, which need not be here, is covered by one that is."""
        if EVERYTHING in self._others or text in self._others or text in self._graph:
            return True
        if text in (EVERYTHING, PARTS):
            return False
        try:
            return bool(self._graph.covers_of(parse(text)))
        except PurportError:
            return False

    def take_changed(self) -> Iterable[str]:
        """Those that may have become such, or are no longer, since this was asked last."""
        changed, self._changed = self._changed, {}
        return changed

    def add(self, text: str) -> None:
        """Take up an interest that is not here."""
        self._changed[text] = None
        if text in (EVERYTHING, PARTS):
            self._put(text)
            return
        graph = self._graph
        try:
            graph.add(text, parse(text))
        except PurportError:
            self._put(text)
            return
        if graph.parents(text):
            return
        for one in (*graph.children(text), *graph.equivalents(text)):
            self._lower(one)
        self._raise(min(graph.equivalents(text)))

    def remove(self, text: str) -> None:
        """Drop an interest that is here."""
        self._changed[text] = None
        if text in self._others:
            del self._others[text]
            self._change_all(text)
            return
        graph = self._graph
        below = graph.children(text)
        equals = [one for one in graph.equivalents(text) if one != text]
        graph.remove(text)
        if text not in self._tops:
            return
        del self._tops[text]
        if equals:
            self._raise(min(equals))
            return
        for one in below:
            if not graph.parents(one):
                self._raise(min(graph.equivalents(one)))

    def _put(self, text: str) -> None:
        self._others[text] = None
        self._change_all(text)

    def _change_all(self, text: str) -> None:
        """With everything, all others come and go."""
        if text == EVERYTHING:
            self._changed.update((*self._tops.items(), *self._others.items()))

    def _raise(self, text: str) -> None:
        self._tops[text] = self._changed[text] = None

    def _lower(self, text: str) -> None:
        if text in self._tops:
            del self._tops[text]
            self._changed[text] = None
