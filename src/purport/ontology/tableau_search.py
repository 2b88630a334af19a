"""The search for a graph without contradiction: choices, counts, new nodes, and ways back.

A choice is given a bit. What rests on it carries the bit; a contradiction goes back to the last
choice among its grounds, skipping those that had nothing to do with it, and what was tried in vain
is known to be false from there on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import combinations

from purport.ontology.completion_graph import CompletionGraph
from purport.ontology.concepts import TOP, Concepts, Kind
from purport.ontology.graph_nodes import Contradiction, Grounds, OutOfBounds

_RANKS = {
    Kind.NOT_ATOM: 0, Kind.NOT_NOMINAL: 0, Kind.NOT_DATA: 0, Kind.NOT_SELF: 0, Kind.ONLY: 1,
    Kind.AT_MOST: 1, Kind.NOMINAL: 2, Kind.SELF: 2, Kind.AND: 3, Kind.SOME: 4, Kind.AT_LEAST: 5,
}  # fmt: skip
_NAMES_LAST = 6  # so that a class is found in a model only where nothing else would do


class Outcome(Enum):
    """How a search ended."""

    MODEL = "a graph without contradiction was completed"
    CONTRADICTION = "every graph contradicts itself"
    GAVE_UP = "the bounds were reached first"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is tried before giving up."""

    most_nodes: int
    most_steps: int


@dataclass(frozen=True, slots=True)
class Label:
    """A way to choose: a node is in a concept."""

    node: int
    concept: int


@dataclass(frozen=True, slots=True)
class Merger:
    """A way to choose: two nodes are the same."""

    one: int
    other: int


@dataclass(slots=True)
class _Choice:
    graph: CompletionGraph
    ways: Sequence[Label | Merger]
    grounds: Grounds
    failed: list[Grounds] = field(default_factory=list)


class Search:
    """One search from one graph; `graph` is the completed one when it ends in a model."""

    def __init__(self, graph: CompletionGraph, concepts: Concepts, bounds: Bounds) -> None:
        self.graph = graph
        self.contradiction: Contradiction | None = None
        self._concepts, self._table = concepts, concepts.table
        self._bounds = bounds
        self._choices: list[_Choice] = []

    def run(self) -> Outcome:
        """Complete the graph, or show that it cannot be."""
        while True:
            try:
                self.graph.propagate(self._bounds.most_steps)
                if not (self._decide() or self._limit() or self._expand()):
                    return Outcome.MODEL
            except OutOfBounds:
                return Outcome.GAVE_UP
            except Contradiction as contradiction:
                self.contradiction = self._go_back(contradiction)
                if self.contradiction is not None:
                    return Outcome.CONTRADICTION

    def _go_back(self, contradiction: Contradiction) -> Contradiction | None:
        """Take the next way at the last choice that the contradiction rests on.

        Where there is no such choice, or the ways left contradict themselves at once, the
        contradiction that remains is given.
        """
        while self._choices:
            choice = self._choices.pop()
            bit = 1 << len(self._choices)
            if not contradiction.grounds & bit:
                continue
            choice.failed.append(contradiction.grounds & ~bit)
            try:
                self._take_next(choice)
            except Contradiction as next_one:
                contradiction = next_one
            else:
                return None
        return contradiction

    def _choose(self, ways: Sequence[Label | Merger], grounds: Grounds) -> None:
        self._take_next(_Choice(self.graph, ways, grounds))

    def _take_next(self, choice: _Choice) -> None:
        """Take the first way not tried; those that failed are known not to be so."""
        place = len(choice.failed)
        is_last = place == len(choice.ways) - 1
        grounds = choice.grounds
        if is_last:
            self.graph = choice.graph
            for failed in choice.failed:
                grounds |= failed
        else:
            self.graph = choice.graph.copy()
            grounds = 1 << len(self._choices)
            self._choices.append(choice)
        for way, failed in zip(choice.ways, choice.failed, strict=False):
            self._rule_out(way, failed)
        match choice.ways[place]:
            case Label(node, concept):
                self.graph.add(node, concept, grounds)
            case Merger(one, other):
                self.graph.merge(one, other, grounds)

    def _rule_out(self, way: Label | Merger, grounds: Grounds) -> None:
        match way:
            case Label(node, concept):
                self.graph.add(node, concept ^ 1, grounds)
            case Merger(one, other):
                self.graph.distinguish(one, other, grounds)

    def _decide(self) -> bool:
        """Settle the disjunctions that leave one way, or choose at one of those with fewest."""
        graph = self.graph
        waiting: list[tuple[int, int]] = []
        best: tuple[int, int, list[int], Grounds] | None = None
        has_settled = False
        for node, concept in graph.choices:
            if node in graph.gone:
                continue
            ways, grounds = self._ways(node, concept)
            if ways is None:
                continue
            if not ways:
                raise Contradiction(grounds, node, ("no way", concept))
            if len(ways) == 1:
                graph.add(node, ways[0], grounds)
                has_settled = True
                continue
            waiting.append((node, concept))
            if best is None or len(ways) < best[0]:
                best = len(ways), node, ways, grounds
        graph.choices = waiting
        if has_settled or best is None:
            return has_settled
        _, node, ways, grounds = best
        ways.sort(key=lambda one: _RANKS.get(self._table[one].kind, _NAMES_LAST))
        self._choose([Label(node, one) for one in ways], grounds)
        return True

    def _ways(self, node: int, concept: int) -> tuple[list[int] | None, Grounds]:
        """What is left of a disjunction, None if it holds; and on which grounds."""
        graph = self.graph
        grounds = graph.nodes[node].label[concept]
        ways = []
        for part in self._table[concept].arguments:
            if graph.has(node, part):
                return None, 0
            refutation = graph.refutation(node, part)
            if refutation is None:
                ways.append(part)
            else:
                grounds |= refutation
        return ways, grounds

    def _limit(self) -> bool:
        """Merge values of a property of which there are too many; True if something was done."""
        graph = self.graph
        graph.limited = [node for node in dict.fromkeys(graph.limited) if self._is_crowded(node)]
        return any(
            self._limit_one(node, limit)
            for node in graph.limited
            for limit in graph.nodes[node].limits
        )

    def _is_crowded(self, node: int) -> bool:
        """Whether there are more values than some limit allows, be they in its filler or not."""
        if node in self.graph.gone:
            return False
        limits = (self._table[limit].arguments for limit in self.graph.nodes[node].limits)
        return any(len(self.graph.neighbours(node, role)) > most for most, role, _ in limits)

    def _limit_one(self, node: int, limit: int) -> bool:
        graph = self.graph
        most, role, filler = self._table[limit].arguments
        neighbours = graph.neighbours(node, role)
        if len(neighbours) <= most:
            return False
        counted, open_ = [], []
        for other, grounds in neighbours:
            if graph.has(other, filler):
                counted.append((other, grounds | self._grounds_of(other, filler)))
            elif graph.refutation(other, filler) is None:
                open_.append(other)
        if len(counted) + len(open_) <= most:
            return False
        if open_:
            self._choose([Label(open_[0], filler ^ 1), Label(open_[0], filler)], 0)
            return True
        self._merge_some(counted, most, graph.nodes[node].label[limit], (node, limit))
        return True

    def _grounds_of(self, node: int, concept: int) -> Grounds:
        if concept == TOP:
            return 0
        label = self.graph.nodes[node].label
        if concept in label:
            return label[concept]
        grounds = 0
        for part in self._table[concept].arguments:
            grounds |= self._grounds_of(node, part)
        return grounds

    def _merge_some(
        self, counted: list[tuple[int, Grounds]], most: int, grounds: Grounds, at: tuple[int, int]
    ) -> None:
        if most == 1:
            counted = counted[:2]
        for _, old in counted:
            grounds |= old
        ways = []
        for (one, _), (other, _) in combinations(counted, 2):
            difference = self.graph.nodes[one].different.get(other)
            if difference is None:
                ways.append(Merger(one, other))
            else:
                grounds |= difference
        if not ways:
            raise Contradiction(grounds, at[0], ("too many", at[1], len(counted)))
        self._choose(ways, grounds)

    def _expand(self) -> bool:
        """Give one node the values that it must have; True if there was one that lacked some."""
        graph = self.graph
        if not graph.unsettled:
            return False
        blocked = self._blocked()
        for node in sorted(graph.unsettled):
            if node in graph.gone:
                graph.unsettled.discard(node)
            elif node not in blocked:
                graph.unsettled.discard(node)
                if self._expand_one(node):
                    return True
        return False

    def _expand_one(self, node: int) -> bool:
        has_grown = False
        for concept in list(self.graph.nodes[node].somes):
            one = self._table[concept]
            grounds = self.graph.nodes[node].label[concept]
            if one.kind is Kind.SOME:
                has_grown |= self._give_value(node, grounds, *one.arguments)
            else:
                has_grown |= self._give_values(node, grounds, *one.arguments)
        return has_grown

    def _give_value(self, node: int, grounds: Grounds, role: int, filler: int) -> bool:
        graph = self.graph
        for other, _ in graph.neighbours(node, role):
            if graph.has(other, filler):
                return False
        if self._table[filler].kind is Kind.NOMINAL:
            graph.connect(node, graph.individual(filler), role, grounds)
            return True
        only_one = self._only_value(node, role)
        if only_one is not None:
            other, old = only_one
            graph.connect(node, other, role, grounds | old)
            graph.add(other, filler, grounds | old)
            return True
        self._new_value(node, role, filler, grounds)
        return True

    def _only_value(self, node: int, role: int) -> tuple[int, Grounds] | None:
        """A value that any other would be merged with, since there may be one only."""
        for limit in self.graph.nodes[node].limits:
            most, wide_role, filler = self._table[limit].arguments
            if most == 1 and filler == TOP and wide_role in self._concepts.roles.wider(role):
                for other, grounds in self.graph.neighbours(node, wide_role):
                    return other, grounds | self.graph.nodes[node].label[limit]
        return None

    def _new_value(self, node: int, role: int, filler: int, grounds: Grounds) -> int:
        if len(self.graph.nodes) >= self._bounds.most_nodes:
            raise OutOfBounds
        is_data = role in self._concepts.roles.data
        value = self.graph.new_node(node, is_data=is_data)
        self.graph.connect(node, value, role, grounds)
        self.graph.add(value, filler, grounds)
        return value

    def _give_values(self, node: int, grounds: Grounds, count: int, role: int, filler: int) -> bool:
        graph = self.graph
        found: list[int] = []
        for other, _ in graph.neighbours(node, role):
            if graph.has(other, filler) and all(
                one in graph.nodes[other].different for one in found
            ):
                found.append(other)
        if len(found) >= count:
            return False
        values = [self._new_value(node, role, filler, grounds) for _ in range(count)]
        for one, other in combinations(values, 2):
            graph.distinguish(one, other, grounds)
        return True

    def _blocked(self) -> set[int]:
        """Nodes that need not grow, for an older one with the same labels and parent does."""
        graph = self.graph
        blocked: set[int] = set()
        seen: set[tuple[frozenset[int], frozenset[int], frozenset[int]]] = set()
        for number in graph.live():
            node = graph.nodes[number]
            if node.parent is None or node.is_data:
                continue
            if node.parent in blocked:
                blocked.add(number)
                continue
            roles = frozenset(graph.nodes[node.parent].edges.get(number, ()))
            signature = (graph.signature(number), graph.signature(node.parent), roles)
            if signature in seen:
                blocked.add(number)
            seen.add(signature)
        return blocked
