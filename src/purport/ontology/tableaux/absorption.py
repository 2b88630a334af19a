"""Axioms as rules: where these labels are found together, that one is added.

An axiom `C ⊑ D` says that nothing is in `C` and outside `D`. Of the parts of `C and not D`, those
made of classes, individuals, `and`, `or` and `some` are what a rule waits for; the others, negated,
are what it adds. So `Pizza and hasTopping some Meat ⊑ X` waits for a pizza of which a topping was
found to be meat, and no other node of the graph ever branches over it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from purport.model.class_expression import ClassExpression, Named
from purport.ontology.axioms import (
    Axiom,
    Axioms,
    Characteristic,
    ClassAssertion,
    DifferentIndividuals,
    DisjointClasses,
    DisjointProperties,
    Domain,
    EquivalentClasses,
    PropertyAssertion,
    PropertyDenial,
    PropertyIs,
    Range,
    SameIndividuals,
    SubClass,
)
from purport.ontology.tableaux.concepts import BOTTOM, TOP, Concepts, Kind


@dataclass(slots=True)
class GraphRules:
    """What follows from labels, from edges, and from being an individual."""

    of_label: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    of_labels: dict[int, list[tuple[tuple[int, ...], int]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    of_all: list[int] = field(default_factory=list)
    of_source: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    of_value: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    disjoint: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    disjoint_roles: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    irreflexive: set[int] = field(default_factory=set)
    of_individual: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    edges: dict[str, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list))


def rules_of(axioms: Axioms, concepts: Concepts) -> GraphRules:
    """The rules that all axioms together make."""
    absorption = _Absorption(concepts)
    for axiom in axioms.axioms:
        absorption.take(axiom)
    return absorption.rules


class _Absorption:
    def __init__(self, concepts: Concepts) -> None:
        self.rules = GraphRules()
        self._concepts = concepts
        self._roles = concepts.roles
        self._triggers: dict[int, tuple[int, ...]] = {}

    def take(self, axiom: Axiom) -> None:
        number = self._concepts.number
        match axiom:
            case SubClass(narrower, wider):
                self._include(number(narrower), number(wider))
            case EquivalentClasses(operands):
                numbers = [number(one) for one in operands]
                for one, next_one in zip(numbers, [*numbers[1:], numbers[0]], strict=True):
                    self._include(one, next_one)
            case DisjointClasses(operands):
                self._separate([number(one) for one in operands])
            case Domain(property_, domain):
                self._put_at_source(self._roles.number(property_), number(domain))
            case Range(property_, range_):
                self._take_range(self._roles.number(property_), range_)
            case PropertyIs(property_, characteristic):
                self._characterise(self._roles.number(property_), characteristic)
            case DisjointProperties(operands):
                roles = [self._roles.number(one) for one in operands]
                for role in roles:
                    for other in roles:
                        if role != other:
                            self.rules.disjoint_roles[role].add(other)
                            self.rules.disjoint_roles[role ^ 1].add(other ^ 1)
            case _:
                self._take_individual(axiom)

    def _take_individual(self, axiom: Axiom) -> None:
        concepts, rules = self._concepts, self.rules
        match axiom:
            case ClassAssertion(individual, expression):
                rules.of_individual[individual].append(concepts.number(expression))
            case PropertyAssertion(subject, name, value):
                role = self._roles.number(Named(name))
                if isinstance(value, Named):
                    rules.edges[subject].append((role, value.name))
                else:
                    told = concepts.at_least(1, role, concepts.value(value))
                    rules.of_individual[subject].append(told)
            case PropertyDenial(subject, name, value):
                role = self._roles.number(Named(name))
                denied = concepts.at_least(1, role, concepts.value(value)) ^ 1
                rules.of_individual[subject].append(denied)
            case SameIndividuals(names):
                for name in names[1:]:
                    rules.of_individual[names[0]].append(concepts.nominal(name))
                    rules.of_individual[name].append(concepts.nominal(names[0]))
            case DifferentIndividuals(names):
                for name in names:
                    others = (concepts.nominal(one) ^ 1 for one in names if one != name)
                    rules.of_individual[name].extend(others)

    def _take_range(self, role: int, range_: ClassExpression) -> None:
        if role in self._roles.data:
            self.rules.of_value[role].append(self._concepts.data(range_))
        else:
            self._put_at_source(role ^ 1, self._concepts.number(range_))

    def _characterise(self, role: int, characteristic: Characteristic) -> None:
        at_least = self._concepts.at_least
        match characteristic:
            case Characteristic.FUNCTIONAL:
                self._put_at_source(role, at_least(2, role, TOP) ^ 1)
            case Characteristic.INVERSE_FUNCTIONAL:
                self._put_at_source(role ^ 1, at_least(2, role ^ 1, TOP) ^ 1)
            case Characteristic.REFLEXIVE:
                self.rules.of_all.append(self._concepts.itself(role))
            case Characteristic.IRREFLEXIVE:
                self.rules.irreflexive |= {role, role ^ 1}
            case Characteristic.ASYMMETRIC:
                self.rules.irreflexive |= {role, role ^ 1}
                self.rules.disjoint_roles[role].add(role ^ 1)
                self.rules.disjoint_roles[role ^ 1].add(role)

    def _separate(self, concepts: list[int]) -> None:
        for place, concept in enumerate(concepts):
            for other in concepts[place + 1 :]:
                if self._is_atom(concept) and self._is_atom(other) and concept != other:
                    self.rules.disjoint[concept].add(other)
                    self.rules.disjoint[other].add(concept)
                else:
                    self._forbid((concept, other))

    def _is_atom(self, concept: int) -> bool:
        return self._concepts.table[concept].kind is Kind.ATOM

    def _include(self, narrower: int, wider: int) -> None:
        """Add the rules for `narrower ⊑ wider`, one for each part of what has several."""
        table = self._concepts.table
        if table[wider].kind is Kind.AND:
            for part in table[wider].arguments:
                self._include(narrower, part)
        elif table[narrower].kind is Kind.OR:
            for part in table[narrower].arguments:
                self._include(part, wider)
        elif narrower != wider:
            self._forbid((narrower, wider ^ 1))

    def _forbid(self, concepts: tuple[int, ...]) -> None:
        """Add the rule that nothing is in all of these."""
        together = self._concepts.conjunction(concepts)
        if together == BOTTOM:
            return
        one = self._concepts.table[together]
        parts = one.arguments if one.kind is Kind.AND else (together,)
        waits: list[int] = []
        adds: list[int] = []
        for part in parts:
            if self._is_positive(part):
                waits += self._trigger(part)
            else:
                adds.append(part ^ 1)
        self._add_rule(tuple(dict.fromkeys(waits)), self._concepts.disjunction(adds))

    def _add_rule(self, waits: tuple[int, ...], adds: int) -> None:
        if not waits:
            self.rules.of_all.append(adds)
        elif len(waits) == 1:
            self.rules.of_label[waits[0]].append(adds)
        elif adds == BOTTOM and len(waits) == 2 and all(map(self._is_atom, waits)):
            self.rules.disjoint[waits[0]].add(waits[1])
            self.rules.disjoint[waits[1]].add(waits[0])
        else:
            for wait in waits:
                others = tuple(one for one in waits if one != wait)
                self.rules.of_labels[wait].append((others, adds))

    def _is_positive(self, concept: int) -> bool:
        """Whether labels alone show that something is in it, so that a rule can wait for it."""
        one = self._concepts.table[concept]
        match one.kind:
            case Kind.ATOM | Kind.NOMINAL:
                return True
            case Kind.AND | Kind.OR:
                return all(map(self._is_positive, one.arguments))
            case Kind.SOME:
                role, filler = one.arguments
                return filler == TOP or (role not in self._roles.data and self._is_positive(filler))
        return False

    def _trigger(self, concept: int) -> tuple[int, ...]:
        """The labels that will be found on whatever is in a positive concept."""
        found = self._triggers.get(concept)
        if found is None:
            found = self._new_trigger(concept)
        return found

    def _new_trigger(self, concept: int) -> tuple[int, ...]:
        one = self._concepts.table[concept]
        match one.kind:
            case Kind.AND:
                return tuple(label for part in one.arguments for label in self._trigger(part))
            case Kind.OR | Kind.SOME:
                label = self._concepts.fresh_atom()
                self._triggers[concept] = (label,)  # first: chains may lead back here
                if one.kind is Kind.OR:
                    for part in one.arguments:
                        self._add_rule(self._trigger(part), label)
                else:
                    self._wait_for_value(label, *one.arguments)
                return (label,)
        return (concept,)

    def _wait_for_value(self, label: int, role: int, filler: int) -> None:
        """Put a label on whatever has a value of the property in the filler."""
        if filler == TOP:
            self._put_at_source(role, label)
        else:
            self._add_rule(self._trigger(filler), self._concepts.only(role ^ 1, label))

    def _put_at_source(self, role: int, concept: int) -> None:
        """Whatever has the property is in the concept; so is what has a chain that implies it."""
        self.rules.of_source[role].append(concept)
        for sub in self._roles.narrower(role):
            for chain in self._roles.chains.get(sub, ()):
                if chain[0] in self._roles.narrower(role):
                    continue
                path = TOP
                for step in reversed(chain):
                    path = self._concepts.at_least(1, step, path)
                self._forbid((path, concept ^ 1))
