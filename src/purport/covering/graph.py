"""Subscriptions ordered by generality: the most general ones on top, equivalent ones together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from purport.covering.candidates import Candidates, Flags
from purport.covering.demand import Demand
from purport.covering.known_classes import KnownClasses
from purport.covering.lines import Lines
from purport.covering.marks import Marks, given_marks, needed_marks
from purport.errors import InvalidInput, NotFound
from purport.matching.plan import DEFAULTS, Defaults, Mode
from purport.model.subscription import Subscription
from purport.ontology.ontology import Ontology


@dataclass(eq=False, slots=True)
class _Node:
    """Subscriptions that ask for the same, with those right above and right below them."""

    demand: Demand
    order: int  # in which it came
    slot: int
    identifiers: dict[str, None] = field(default_factory=dict)
    parents: dict[_Node, None] = field(default_factory=dict)
    children: dict[_Node, int] = field(default_factory=dict)  # with the numbers of lines


_Nodes = dict[_Node, None]
_SomeNodes = Mapping[_Node, object]


class CoveringGraph:
    """Which subscriptions contain which, kept up to date as they come and go.

    >>> from purport import parse
    >>> graph = CoveringGraph()
    >>> for name, text in {"some": "{a > 5}", "few": "{a > 7, b = 1}", "all": "{a > 0}"}.items():
    ...     graph.add(name, parse(text))
    >>> graph.roots, graph.children("all"), graph.parents("few")
    (('all',), ('some',), ('some',))
    >>> graph.covers_of(parse("{a > 6}")), graph.covered_by(parse("{a > 6}"))
    (('some', 'all'), ('few',))

    Of subscriptions that ask for the same, the first stands for all in `roots`, `parents` and
    `children`.
    """

    def __init__(
        self,
        *,
        ontology: Ontology | None = None,
        defaults: Defaults = DEFAULTS[Mode.DEFAULT],
    ) -> None:
        self._classes = None if ontology is None else KnownClasses(ontology)
        self._defaults = defaults
        self._nodes: dict[str, _Node] = {}
        self._by_slot: dict[int, _Node] = {}
        self._roots: _Nodes = {}
        self._candidates, self._lines = Candidates(), Lines()
        self._came = 0
        self.compared = 0  # how many pairs were looked at: it shows what the index saves

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._nodes

    @property
    def roots(self) -> tuple[str, ...]:
        """Those that no other one covers."""
        return _first(self._roots)

    def parents(self, identifier: str) -> tuple[str, ...]:
        """Those right above one; `NotFound` if it is not here."""
        return _first(self._node(identifier).parents)

    def children(self, identifier: str) -> tuple[str, ...]:
        """Those right below one; `NotFound` if it is not here."""
        return _first(self._node(identifier).children)

    def equivalents(self, identifier: str) -> tuple[str, ...]:
        """Those that ask for the same as one, itself among them; `NotFound` if it is not here."""
        return tuple(self._node(identifier).identifiers)

    def below(self, identifier: str) -> tuple[str, ...]:
        """All that one covers and that do not cover it; `NotFound` if it is not here."""
        return _all(_and_all(self._node(identifier).children, _children))

    def covers_of(self, subscription: Subscription) -> tuple[str, ...]:
        """All here that cover a subscription, which need not be here."""
        demand = self._demand(subscription)
        return _all(_and_all(self._right_above(demand, given_marks(demand)), _parents))

    def covered_by(self, subscription: Subscription) -> tuple[str, ...]:
        """All here that a subscription covers, which need not be here."""
        demand = self._demand(subscription)
        return _all(_and_all(self._right_below(demand, needed_marks(demand)), _children))

    def add(self, identifier: str, subscription: Subscription) -> None:
        """Take up a subscription; `InvalidInput` if its identifier is taken."""
        if identifier in self._nodes:
            raise InvalidInput(f"the identifier {identifier!r} is taken by another subscription")
        demand = self._demand(subscription)
        needed, given = needed_marks(demand), given_marks(demand)
        above = self._right_above(demand, given)
        same = next((one for one in above if self._covers(demand, one.demand)), None)
        if same is None:
            below = self._right_below(demand, needed)
            same = _Node(demand, self._came, self._candidates.add(needed, given))
            self._came += 1
            self._put(same, above, below)
        same.identifiers[identifier] = None
        self._nodes[identifier] = same

    def remove(self, identifier: str) -> None:
        """Drop a subscription; `NotFound` if it is not here."""
        node = self._node(identifier)
        del self._nodes[identifier], node.identifiers[identifier]
        if not node.identifiers:
            self._take_out(node)

    def _put(self, node: _Node, parents: _Nodes, children: _Nodes) -> None:
        """Put a node between those right above and right below it."""
        for parent in parents:
            for child in children.keys() & parent.children.keys():
                self._unlink(parent, child)
            self._link(parent, node)
        for child in children:
            self._link(node, child)
            self._roots.pop(child, None)
        if not parents:
            self._roots[node] = None
        self._by_slot[node.slot] = node

    def _take_out(self, node: _Node) -> None:
        """Take out a node; those below it are right below those above it, if below no other one."""
        self._roots.pop(node, None)
        parents, children = list(node.parents), list(node.children)
        for parent in parents:
            self._unlink(parent, node)
        for child in children:
            self._unlink(node, child)
        above = _Above(parents)
        for child in children:
            known = above.any_of(child.parents)
            for place, parent in enumerate(parents):
                if not known >> place & 1:
                    self._link(parent, child)
            if not child.parents:
                self._roots[child] = None
        del self._by_slot[node.slot]
        marks = needed_marks(node.demand), given_marks(node.demand)
        self._candidates.remove(node.slot, *marks)

    def _link(self, parent: _Node, child: _Node) -> None:
        parent.children[child] = self._lines.add(parent.slot, child.slot)
        child.parents[parent] = None

    def _unlink(self, parent: _Node, child: _Node) -> None:
        self._lines.remove(parent.children.pop(child))
        del child.parents[parent]

    def _right_above(self, demand: Demand, given: Marks) -> _Nodes:
        """The lowest nodes that cover a demand."""
        some = self._candidates.above(given)
        lowest = self._lines.lowest(some)
        return self._outermost(
            some, lowest, lambda one: self._covers(one.demand, demand), _children, _parents
        )

    def _right_below(self, demand: Demand, needed: Marks) -> _Nodes:
        """The highest nodes that a demand covers."""
        some = self._candidates.below(needed)
        highest = self._lines.highest(some)
        return self._outermost(
            some, highest, lambda one: self._covers(demand, one.demand), _parents, _children
        )

    def _outermost(
        self,
        left: Flags,
        ends: Iterable[int],
        is_so: Callable[[_Node], bool],
        beyond: Callable[[_Node], _SomeNodes],
        behind: Callable[[_Node], _SomeNodes],
    ) -> _Nodes:
        """Of the candidates that are left, those of which it is so, and of none beyond them.

        It begins with the ends. It is so of all behind one of which it is so; only where it is not
        are these looked at.
        """
        waiting = [self._by_slot[slot] for slot in ends]
        found: _Nodes = {}
        while waiting:
            one = waiting.pop()
            if one in found or not left[one.slot]:
                continue
            if is_so(one):
                found[one] = None
                continue
            left[one.slot] = False
            waiting += [
                other
                for other in behind(one)
                if left[other.slot] and not any(left[each.slot] for each in beyond(other))
            ]
        return found

    def _covers(self, one: Demand, other: Demand) -> bool:
        self.compared += 1
        return one.covers(other)

    def _demand(self, subscription: Subscription) -> Demand:
        return Demand.of(subscription, self._classes, self._defaults)

    def _node(self, identifier: str) -> _Node:
        try:
            return self._nodes[identifier]
        except KeyError:
            raise NotFound(f"no subscription {identifier!r} is here") from None


class _Above:
    """Which of some nodes are above others, each as a bit; what was found is kept."""

    def __init__(self, nodes: Sequence[_Node]) -> None:
        self._bits = {node: 1 << place for place, node in enumerate(nodes)}
        self._known: dict[_Node, int] = {}

    def any_of(self, nodes: Iterable[_Node]) -> int:
        """Those that are one of these, or above one."""
        found = 0
        for node in nodes:
            found |= self._of(node)
        return found

    def _of(self, node: _Node) -> int:
        waiting = [node]
        while waiting:
            one = waiting[-1]
            unknown = [other for other in one.parents if other not in self._known]
            if unknown:
                waiting += unknown
                continue
            waiting.pop()
            bits = self._bits.get(one, 0)
            for other in one.parents:
                bits |= self._known[other]
            self._known[one] = bits
        return self._known[node]


_parents: Callable[[_Node], _SomeNodes] = attrgetter("parents")
_children: Callable[[_Node], _SomeNodes] = attrgetter("children")


def _and_all(nodes: _SomeNodes, beyond: Callable[[_Node], _SomeNodes]) -> _Nodes:
    """Nodes, and all that are beyond them."""
    found: _Nodes = dict.fromkeys(nodes)
    waiting = list(nodes)
    while waiting:
        for one in beyond(waiting.pop()):
            if one not in found:
                found[one] = None
                waiting.append(one)
    return found


def _first(nodes: _SomeNodes) -> tuple[str, ...]:
    """The first identifier of each node, in the order in which the nodes came."""
    return tuple(next(iter(node.identifiers)) for node in sorted(nodes, key=_order))


def _all(nodes: _SomeNodes) -> tuple[str, ...]:
    """All identifiers of nodes, in the order in which the nodes came."""
    return tuple(name for node in sorted(nodes, key=_order) for name in node.identifiers)


_order: Callable[[_Node], int] = attrgetter("order")
