"""The graph that a tableau grows: things, what is known of each, and what relates them.

Every label, edge and inequality carries its grounds: the choices (bits of an integer) that it rests
on. A contradiction names the grounds of both its sides, so that the search can go back to the last
choice that matters. Copies share their nodes until one is written to.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from purport.ontology.tableaux.absorption import GraphRules
from purport.ontology.tableaux.concepts import BOTTOM, TOP, Concepts, Kind
from purport.ontology.tableaux.data_nodes import check_values
from purport.ontology.tableaux.graph_nodes import Contradiction, Grounds, Node, OutOfBounds

_GONE = -1
_EPOCHS = count(1)


class CompletionGraph:
    """Nodes and what is still to be done with them; rules that leave no choice are applied here."""

    def __init__(self, concepts: Concepts, rules: GraphRules) -> None:
        self._concepts, self._rules = concepts, rules
        self._table = concepts.table
        self._roles = concepts.roles
        self._epoch = next(_EPOCHS)
        self.nodes: list[Node] = []
        self.gone: dict[int, int] = {}
        self.individuals: dict[int, int] = {}
        self.agenda: list[tuple[int, int]] = []
        self.choices: list[tuple[int, int]] = []
        self.limited: list[int] = []
        self.unsettled: set[int] = set()
        self.steps = [0]

    def copy(self) -> CompletionGraph:
        """The same graph, to go on from another day."""
        other = CompletionGraph(self._concepts, self._rules)
        other.nodes = list(self.nodes)
        other.gone, other.individuals = dict(self.gone), dict(self.individuals)
        other.agenda, other.choices = list(self.agenda), list(self.choices)
        other.limited, other.unsettled = list(self.limited), set(self.unsettled)
        other.steps = self.steps  # shared: what was done in vain counts too
        self._epoch = next(_EPOCHS)
        return other

    def live(self) -> Iterator[int]:
        """The nodes that are still there."""
        return (node for node in range(len(self.nodes)) if node not in self.gone)

    def current(self, node: int) -> int:
        """The node that a node was merged into, itself if into none, -1 if it was cut off."""
        while node != _GONE and node in self.gone:
            node = self.gone[node]
        return node

    def new_node(self, parent: int | None, grounds: Grounds = 0, *, is_data: bool = False) -> int:
        """A thing of which nothing is known but what holds of all."""
        number = len(self.nodes)
        self.nodes.append(Node(self._epoch, parent, is_data))
        if not is_data:
            for concept in self._rules.of_all:
                self.add(number, concept, grounds)
        return number

    def individual(self, nominal: int) -> int:
        """The node of an individual, with all that is said of it and whom it is related to."""
        edges: list[tuple[int, int, int]] = []
        waiting = [nominal]
        while waiting:
            one = waiting.pop()
            if one in self.individuals:
                continue
            self.individuals[one] = self._new_individual(one)
            (name,) = self._table[one].arguments
            for role, value in self._rules.edges.get(name, ()):
                edges.append((one, role, self._concepts.nominal(value)))
                waiting.append(edges[-1][2])
        for one, role, other in edges:
            source, target = (self.current(self.individuals[end]) for end in (one, other))
            self.connect(source, target, role, 0)
        return self.current(self.individuals[nominal])

    def _new_individual(self, nominal: int) -> int:
        node = self.new_node(None)
        self.add(node, nominal, 0)
        (name,) = self._table[nominal].arguments
        for concept in self._rules.of_individual.get(name, ()):
            self.add(node, concept, 0)
        return node

    def add(self, number: int, concept: int, grounds: Grounds) -> None:
        """Note that a thing is in a concept."""
        label = self.nodes[number].label
        if concept == TOP or concept in label:
            return
        if concept == BOTTOM:
            raise Contradiction(grounds, number, ("nothing",))
        if concept ^ 1 in label:
            raise Contradiction(grounds | label[concept ^ 1], number, ("both", concept))
        node = self._writable(number)
        node.label[concept] = grounds
        node.signature = None
        self.agenda.append((number, concept))

    def connect(self, source: int, target: int, role: int, grounds: Grounds) -> None:
        """Note that a property, and so every wider one, relates two things."""
        for wider in self._roles.wider(role):
            if wider not in self.nodes[source].edges.get(target, ()):
                self._connect_one(source, target, wider, grounds)
                source, target = self.current(source), self.current(target)

    def distinguish(self, one: int, other: int, grounds: Grounds) -> None:
        """Note that two things are different."""
        if one == other:
            raise Contradiction(grounds, one, ("different from itself",))
        if other not in self.nodes[one].different:
            self._writable(one).different[other] = grounds
            self._writable(other).different[one] = grounds
            check_values(self.nodes, self._table, one)

    def merge(self, one: int, other: int, grounds: Grounds) -> None:
        """Note that two nodes are the same thing; the younger goes, with what grew from it."""
        if one == other:
            return
        nodes = self.nodes
        if other in nodes[one].different:
            raise Contradiction(grounds | nodes[one].different[other], one, ("same", other))
        kept, lost = min(one, other), max(one, other)
        if nodes[kept].parent is not None and nodes[lost].parent is None:
            kept, lost = lost, kept
        leaving = nodes[lost]
        self.gone[lost] = kept
        edges = {number: dict(roles) for number, roles in leaving.edges.items()}
        self._cut_loose(lost)
        for concept, old in leaving.label.items():
            self.add(kept, concept, old | grounds)
        for number, old in leaving.different.items():
            if self.current(number) != _GONE:
                self.distinguish(kept, self.current(number), old | grounds)
        for number, roles in edges.items():
            if number != lost and nodes[number].parent == lost:
                continue
            for role, old in roles.items():
                neighbour = self.current(number)
                if neighbour != _GONE:
                    self.connect(self.current(kept), neighbour, role, old | grounds)

    def propagate(self, most_steps: int) -> None:
        """Apply the rules that leave no choice until none is left."""
        while self.agenda:
            number, concept = self.agenda.pop()
            if number in self.gone:
                continue
            self.steps[0] += 1
            if self.steps[0] > most_steps:
                raise OutOfBounds
            self._apply(number, concept)

    def refutation(self, number: int, concept: int) -> Grounds | None:
        """On which grounds a thing cannot be in a concept; None if it may be."""
        label = self.nodes[number].label
        if concept ^ 1 in label:
            return label[concept ^ 1]
        match self._table[concept].kind:
            case Kind.ATOM:
                for other in self._rules.disjoint.get(concept, set()) & label.keys():
                    return label[other]
            case Kind.AND:
                for part in self._table[concept].arguments:
                    found = self.refutation(number, part)
                    if found is not None:
                        return found
            case Kind.CONSTANT:
                return 0 if concept == BOTTOM else None
        return None

    def has(self, number: int, concept: int) -> bool:
        """Whether a thing is known to be in a concept."""
        if concept == TOP or concept in self.nodes[number].label:
            return True
        one = self._table[concept]
        return one.kind is Kind.AND and all(self.has(number, part) for part in one.arguments)

    def neighbours(self, number: int, role: int) -> list[tuple[int, Grounds]]:
        """The values of a property, with the grounds of each."""
        return [
            (other, roles[role])
            for other, roles in self.nodes[number].edges.items()
            if role in roles
        ]

    def signature(self, number: int) -> frozenset[int]:
        """All labels of a node."""
        node = self.nodes[number]
        if node.signature is None:
            node.signature = frozenset(node.label)
        return node.signature

    def _writable(self, number: int) -> Node:
        node = self.nodes[number]
        if node.epoch != self._epoch:
            node = self.nodes[number] = node.copy(self._epoch)
        return node

    def _apply(self, number: int, concept: int) -> None:
        node = self.nodes[number]
        grounds = node.label[concept]
        one = self._table[concept]
        match one.kind:
            case Kind.ATOM:
                self._apply_rules(number, concept, grounds)
            case Kind.AND:
                for part in one.arguments:
                    self.add(self.current(number), part, grounds)
            case Kind.OR:
                self.choices.append((number, concept))
            case Kind.SOME | Kind.AT_LEAST:
                self._writable(number).somes.append(concept)
                self._check_counts(number)
                self.unsettled.add(number)
            case Kind.AT_MOST:
                self._writable(number).limits.append(concept)
                self._check_counts(number)
                self.limited.append(number)
            case Kind.ONLY:
                self._apply_only(number, grounds, *one.arguments)
            case Kind.STEP:
                self._apply_step(number, grounds, *one.arguments)
            case Kind.PATH:
                self._apply_path(number, grounds, *one.arguments)
            case Kind.SELF:
                self.connect(number, number, one.arguments[0], grounds)
            case Kind.NOT_SELF:
                self._check_loop(number)
            case Kind.NOMINAL:
                self._apply_rules(number, concept, grounds)
                self._apply_nominal(number, concept, grounds)
            case Kind.DATA | Kind.NOT_DATA:
                check_values(self.nodes, self._table, number)

    def _apply_nominal(self, number: int, concept: int, grounds: Grounds) -> None:
        number = self.current(number)
        if number != _GONE:
            same = self.individual(concept)
            self.merge(self.current(number), same, grounds)

    def _apply_rules(self, number: int, concept: int, grounds: Grounds) -> None:
        rules, label = self._rules, self.nodes[number].label
        for other in rules.disjoint.get(concept, ()):
            if other in label:
                raise Contradiction(grounds | label[other], number, ("disjoint", concept, other))
        for added in rules.of_label.get(concept, ()):
            self.add(number, added, grounds)
        for others, added in rules.of_labels.get(concept, ()):
            label = self.nodes[number].label
            together = grounds
            for other in others:
                if other not in label:
                    break
                together |= label[other]
            else:
                self.add(number, added, together)

    def _apply_only(self, number: int, grounds: Grounds, role: int, filler: int) -> None:
        if self._roles.is_simple(role):
            self._apply_step(number, grounds, role, filler)
        else:
            self._apply_path(number, grounds, role, 0, filler)

    def _apply_step(self, number: int, grounds: Grounds, role: int, filler: int) -> None:
        self._writable(number).onlys.append((role, filler, grounds))
        for other, old in self.neighbours(number, role):
            self.add(other, filler, grounds | old)

    def _apply_path(
        self, number: int, grounds: Grounds, role: int, state: int, filler: int
    ) -> None:
        automaton = self._roles.automaton(role)
        if state in automaton.finals:
            self.add(number, filler, grounds)
        for step, next_state in automaton.steps[state]:
            onward = self._concepts.along(role, next_state, filler)
            self.add(number, self._concepts.step(step, onward), grounds)

    def _connect_one(self, source: int, target: int, role: int, grounds: Grounds) -> None:
        forwards = self._writable(source).edges.setdefault(target, {})
        forwards[role] = grounds
        self._check_roles(source, target, role)
        self._follow_edge(source, target, role, grounds)
        backwards = self._writable(target).edges.setdefault(source, {})
        if role ^ 1 in backwards:
            return
        backwards[role ^ 1] = grounds
        if not self.nodes[target].is_data:
            self._follow_edge(target, source, role ^ 1, grounds)
        for concept in self._rules.of_value.get(role, ()):
            self.add(target, concept, grounds)

    def _follow_edge(self, source: int, target: int, role: int, grounds: Grounds) -> None:
        for concept in self._rules.of_source.get(role, ()):
            self.add(source, concept, grounds)
        for only_role, filler, old in self.nodes[source].onlys:
            if only_role == role:
                self.add(target, filler, grounds | old)
        if source == target:
            self._check_loop(source)
        if self.nodes[source].limits:
            self.limited.append(source)

    def _check_roles(self, source: int, target: int, role: int) -> None:
        roles = self.nodes[source].edges[target]
        if source == target and role in self._rules.irreflexive:
            raise Contradiction(roles[role], source, ("irreflexive", role))
        for other in self._rules.disjoint_roles.get(role, ()):
            grounds = roles.get(other)
            if grounds is None and other ^ 1 in self.nodes[target].edges.get(source, ()):
                grounds = self.nodes[target].edges[source][other ^ 1]
            if grounds is not None:
                raise Contradiction(
                    roles[role] | grounds, source, ("disjoint properties", role, other)
                )

    def _check_loop(self, number: int) -> None:
        node = self.nodes[number]
        loops = node.edges.get(number, {})
        for concept, grounds in node.label.items():
            one = self._table[concept]
            if one.kind is Kind.NOT_SELF and one.arguments[0] in loops:
                raise Contradiction(
                    grounds | loops[one.arguments[0]], number, ("itself", one.arguments[0])
                )

    def _check_counts(self, number: int) -> None:
        """At least five and at most four contradict each other before anything is counted."""
        node = self.nodes[number]
        for limit in node.limits:
            most, wide_role, wide = self._table[limit].arguments
            for some in node.somes:
                one = self._table[some]
                least, role, filler = (
                    one.arguments if one.kind is Kind.AT_LEAST else (1, *one.arguments)
                )
                if (
                    least > most
                    and (wide in (TOP, filler))
                    and wide_role in self._roles.wider(role)
                ):
                    raise Contradiction(
                        node.label[limit] | node.label[some], number, ("counts", some, limit)
                    )

    def _cut_loose(self, number: int) -> None:
        """Take a node out of its neighbours' edges, and cut off what grew from it."""
        waiting = [number]
        while waiting:
            lost = waiting.pop()
            for other in self.nodes[lost].edges:
                if other == lost or other in self.gone:
                    continue
                if self.nodes[other].parent == lost:
                    self.gone[other] = _GONE
                    waiting.append(other)
                else:
                    self._writable(other).edges.pop(lost, None)
                    self.unsettled.add(other)
            for other in self.nodes[lost].different:
                if other not in self.gone:
                    self._writable(other).different.pop(lost, None)
