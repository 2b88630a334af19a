"""Which subscriptions need a closer look only where others match: those right above them.

Most are matched by a kernel, which looks at few of them for an event, each in less than a
microsecond: for these it is of no use to know what covers them. Only of those that are looked at by
their plans (bags, 1:1 mappings, classes of what an event describes), which takes a hundred times as
long, is the order kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from purport.covering.graph import CoveringGraph
from purport.matching.matcher import Matcher
from purport.model.subscription import Subscription


class Guards:
    """Keeps a matcher told of what covers its subscriptions."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._graph = CoveringGraph(ontology=matcher.ontology, defaults=matcher.defaults)
        self._guarded: dict[str, Subscription] = {}

    def add(self, name: str, subscription: Subscription) -> None:
        """A matcher has taken up a subscription."""
        if self._matcher.may_be_guarded(subscription):
            self._guarded[name] = subscription
            self._graph.add(name, subscription)
            self._tell(name, *self._graph.children(name))

    def remove(self, name: str) -> None:
        """A matcher has dropped a subscription."""
        if name in self._guarded:
            del self._guarded[name]
            others = self._graph.equivalents(name), self._graph.children(name)
            self._graph.remove(name)
            self._tell(*(one for some in others for one in some if one != name))

    def _tell(self, *names: str) -> None:
        for name in names:
            above = [self._guarded[one] for one in self._above(name)]
            self._matcher.guard(self._guarded[name], above)

    def _above(self, name: str) -> Iterable[str]:
        """Those right above one, or the first of those that ask for the same."""
        first = self._graph.equivalents(name)[0]
        return self._graph.parents(name) if first == name else (first,)
