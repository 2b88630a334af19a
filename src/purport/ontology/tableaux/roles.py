"""Properties as the tableau sees them: numbers, their order, and the paths that they stand for.

A property has an even number and its inverse the odd one after it. Where a transitive property or
a chain is among the narrower ones of a property, what `only` says of it must be carried along whole
paths; an automaton reads which paths count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from purport.model.class_expression import Inverse, Named, Property
from purport.ontology.axioms import (
    Axioms,
    Characteristic,
    PropertyChain,
    PropertyIs,
)
from purport.ontology.property_order import PropertyOrder, Role
from purport.ontology.reachable import reachable

_START, _END = 0, 1
_Edge = tuple[int, int | None, int]


@dataclass(frozen=True, slots=True)
class Automaton:
    """Which paths count: from each state the steps to take, and the states where a path may end."""

    steps: tuple[tuple[tuple[int, int], ...], ...]
    finals: frozenset[int]


class Roles:
    """The properties of an ontology, with their inverses."""

    def __init__(self, axioms: Axioms) -> None:
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self.data: set[int] = set()
        self._data_names = axioms.data_properties - axioms.object_properties
        self.chains: dict[int, list[tuple[int, ...]]] = {}
        for name in sorted(axioms.object_properties | axioms.data_properties):
            self.number(Named(name))
        for axiom in axioms.axioms:
            self._take(axiom)
        order = PropertyOrder(axioms)
        self.supers = {
            self._placed(role): frozenset(map(self._placed, order.above(role)))
            for role in product(self._names.copy(), (False, True))
        }
        self.subs: dict[int, set[int]] = {}
        for role, wider in self.supers.items():
            for one in wider:
                self.subs.setdefault(one, set()).add(role)
        self._automata: dict[int, Automaton] = {}

    def number(self, property_: Property) -> int:
        """The number of a property, or of the inverse of one."""
        if isinstance(property_, Inverse):
            return self.number(property_.property) ^ 1
        number = self._numbers.get(property_.name)
        if number is None:
            number = self._numbers[property_.name] = 2 * len(self._names)
            self._names.append(property_.name)
            if property_.name in self._data_names:
                self.data.add(number)
        return number

    def name(self, role: int) -> str:
        """The name of a property, or of the one that it is the inverse of."""
        return self._names[role // 2]

    def wider(self, role: int) -> Iterable[int]:
        """The property and all that hold wherever it holds."""
        return self.supers.get(role, (role,))

    def narrower(self, role: int) -> Iterable[int]:
        """The property and all that it holds wherever they hold."""
        return self.subs.get(role, (role,))

    def is_simple(self, role: int) -> bool:
        """Whether the property follows from no path of more than one step."""
        return not any(sub in self.chains for sub in self.narrower(role))

    def automaton(self, role: int) -> Automaton:
        """The paths that a property which is not simple stands for."""
        found = self._automata.get(role)
        if found is None:
            found = self._automata[role] = _without_empty_steps(*self._edges(role, frozenset()))
        return found

    def _take(self, axiom: object) -> None:
        match axiom:
            case PropertyIs(property_, Characteristic.TRANSITIVE):
                role = self.number(property_)
                self._chain((role, role), role)
            case PropertyChain(steps, wider):
                self._chain(tuple(map(self.number, steps)), self.number(wider))

    def _placed(self, role: Role) -> int:
        name, is_backwards = role
        return self.number(Named(name)) ^ is_backwards

    def _chain(self, steps: tuple[int, ...], wider: int) -> None:
        self.chains.setdefault(wider, []).append(steps)
        backwards = tuple(step ^ 1 for step in reversed(steps))
        self.chains.setdefault(wider ^ 1, []).append(backwards)

    def _edges(self, role: int, outer: frozenset[int]) -> tuple[int, list[_Edge]]:
        """How many states there are, and the steps between them, None for an empty one."""
        edges: list[_Edge] = [(_START, role, _END)]
        count = 2
        for chain in self.chains.get(role, ()):
            begin, end, steps = _between(chain, role)
            states = [begin, *range(count, count + len(steps) - 1), end]
            count += max(0, len(steps) - 1)
            links = zip(states, steps, states[1:], strict=False)
            edges += links if steps else [(begin, None, end)]
        for sub in self.narrower(role):
            if sub != role and not self.is_simple(sub):
                edges.append((_START, sub, _END))
        return self._refined(count, edges, outer | {role})

    def _refined(
        self, count: int, edges: list[_Edge], outer: frozenset[int]
    ) -> tuple[int, list[_Edge]]:
        """The steps over properties that stand for paths themselves replaced by those paths."""
        refined: list[_Edge] = []
        for begin, step, end in edges:
            refined.append((begin, step, end))
            if step is None or step in outer or self.is_simple(step):
                continue
            inner_count, inner = self._edges(step, outer)
            refined += [(begin, None, count + _START), (count + _END, None, end)]
            refined += [(count + left, one, count + right) for left, one, right in inner]
            count += inner_count
        return count, refined


def _between(chain: tuple[int, ...], role: int) -> tuple[int, int, tuple[int, ...]]:
    """Between which states of its property a chain leads, and over which steps."""
    if chain == (role, role):
        return _END, _START, ()
    if chain[0] == role:
        return _END, _END, chain[1:]
    if chain[-1] == role:
        return _START, _START, chain[:-1]
    return _START, _END, chain


def _without_empty_steps(count: int, edges: list[_Edge]) -> Automaton:
    empty: dict[int, set[int]] = {}
    for begin, step, end in edges:
        if step is None:
            empty.setdefault(begin, set()).add(end)
    steps, finals = [], set()
    for state in range(count):
        together = reachable([state], lambda one: empty.get(one, ()))
        steps.append(
            tuple(
                dict.fromkeys(
                    (step, end)
                    for begin, step, end in edges
                    if begin in together and step is not None
                )
            )
        )
        if _END in together:
            finals.add(state)
    return Automaton(tuple(steps), frozenset(finals))
