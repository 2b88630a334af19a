"""Subscriptions ordered by generality: the most general ones on top, equivalent ones together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from purport.covering.class_conditions import KnownClasses
from purport.covering.demand import Demand
from purport.errors import InvalidInput, NotFound
from purport.matching.plan import DEFAULTS, Defaults, Mode
from purport.model.subscription import Subscription
from purport.ontology.ontology import Ontology


@dataclass(eq=False, slots=True)
class Node:
    """Subscriptions that ask for the same, with those right above and right below them."""

    demand: Demand
    identifiers: dict[str, Subscription]
    parents: dict[Node, None] = field(default_factory=dict)
    children: dict[Node, None] = field(default_factory=dict)


class CoveringGraph:
    """Which subscriptions contain which, kept up to date as they come and go.

    >>> from purport import parse
    >>> graph = CoveringGraph()
    >>> for name, text in {"all": "{a > 0}", "some": "{a > 5}", "few": "{a > 5, b = 1}"}.items():
    ...     graph.add(name, parse(text))
    >>> graph.roots, graph.children("all"), graph.parents("few")
    (('all',), ('some',), ('some',))
    """

    def __init__(
        self,
        *,
        ontology: Ontology | None = None,
        defaults: Defaults = DEFAULTS[Mode.DEFAULT],
    ) -> None:
        self._classes, self._defaults = KnownClasses(ontology), defaults
        self._nodes: dict[str, Node] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._nodes

    @property
    def roots(self) -> tuple[str, ...]:
        """Those that no other one covers, in the order in which they came; of equals all."""
        return tuple(name for name, node in self._nodes.items() if not node.parents)

    def parents(self, identifier: str) -> tuple[str, ...]:
        """Those right above one; `NotFound` if it is not here."""
        return _names(self._node(identifier).parents)

    def children(self, identifier: str) -> tuple[str, ...]:
        """Those right below one; `NotFound` if it is not here."""
        return _names(self._node(identifier).children)

    def equivalents(self, identifier: str) -> tuple[str, ...]:
        """Those that ask for the same as one, itself among them; `NotFound` if it is not here."""
        return tuple(self._node(identifier).identifiers)

    def covers_of(self, subscription: Subscription) -> tuple[str, ...]:
        """Those here that cover a subscription, which need not be here."""
        demand = self._demand(subscription)
        return _names(one for one in self._all_nodes() if one.demand.covers(demand))

    def covered_by(self, subscription: Subscription) -> tuple[str, ...]:
        """Those here that a subscription covers, which need not be here."""
        demand = self._demand(subscription)
        return _names(one for one in self._all_nodes() if demand.covers(one.demand))

    def add(self, identifier: str, subscription: Subscription) -> None:
        """Take up a subscription; `InvalidInput` if its identifier is taken."""
        if identifier in self._nodes:
            raise InvalidInput(f"the identifier {identifier!r} is taken by another subscription")
        demand = self._demand(subscription)
        nodes = list(self._all_nodes())
        above = [one for one in nodes if one.demand.covers(demand)]
        below = [one for one in nodes if demand.covers(one.demand)]
        equals = [one for one in above if one in below]
        if equals:
            equals[0].identifiers[identifier] = subscription
            self._nodes[identifier] = equals[0]
            return
        node = Node(demand, {identifier: subscription})
        parents = [one for one in above if not any(other in above for other in one.children)]
        children = [one for one in below if not any(other in below for other in one.parents)]
        self._link(node, parents, children)
        self._nodes[identifier] = node

    def remove(self, identifier: str) -> None:
        """Drop a subscription; `NotFound` if it is not here."""
        node = self._node(identifier)
        del self._nodes[identifier], node.identifiers[identifier]
        if not node.identifiers:
            self._unlink(node)

    def _link(self, node: Node, parents: list[Node], children: list[Node]) -> None:
        for parent in parents:
            for child in children:
                if child in parent.children:
                    del parent.children[child], child.parents[parent]
            parent.children[node] = None
        for child in children:
            child.parents[node] = None
        node.parents, node.children = dict.fromkeys(parents), dict.fromkeys(children)

    def _unlink(self, node: Node) -> None:
        for parent in node.parents:
            del parent.children[node]
        for child in node.children:
            del child.parents[node]
            for parent in node.parents:
                if not _is_under(child, parent):
                    parent.children[child] = None
                    child.parents[parent] = None

    def _demand(self, subscription: Subscription) -> Demand:
        return Demand.of(subscription, self._classes, self._defaults)

    def _all_nodes(self) -> Iterator[Node]:
        return iter(dict.fromkeys(self._nodes.values()))

    def _node(self, identifier: str) -> Node:
        try:
            return self._nodes[identifier]
        except KeyError:
            raise NotFound(f"no subscription {identifier!r} is here") from None


def _is_under(node: Node, other: Node) -> bool:
    """Whether a node is somewhere below another one."""
    waiting, seen = list(node.parents), set(node.parents)
    while waiting:
        one = waiting.pop()
        if one is other:
            return True
        new = one.parents.keys() - seen
        seen |= new
        waiting += new
    return False


def _names(nodes: Iterable[Node]) -> tuple[str, ...]:
    return tuple(name for node in nodes for name in node.identifiers)
