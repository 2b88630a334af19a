"""Axioms as rules over numbered concepts, for saturation.

A concept is a class, one individual (`{wine:Red}`), a data range, or a compound of those. What
follows from being in a concept is *told*; a compound that something follows from is *asked*. An
expression that has no rule here (`only`, `max 3`, an `or` that is told) is a concept without parts:
it is known by its shape alone, which is sound, and left to the tableau beyond that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from functools import reduce
from itertools import combinations

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    HasSelf,
    HasValue,
    Inverse,
    Named,
    Not,
    OneOf,
    Only,
    Or,
    Property,
    Some,
)
from purport.model.term import Term
from purport.ontology.axioms import (
    NOTHING,
    THING,
    Axiom,
    Axioms,
    Characteristic,
    ClassAssertion,
    DifferentIndividuals,
    DisjointClasses,
    Domain,
    EquivalentClasses,
    PropertyAssertion,
    PropertyChain,
    PropertyDenial,
    PropertyIs,
    Range,
    SameIndividuals,
    SubClass,
)
from purport.ontology.data.data_ranges import DataRange, data_range, is_data_range
from purport.ontology.property_order import PropertyOrder, Role, backwards, role_of

TOP, BOTTOM = 0, 1

Steps = tuple[int, ...]  # the first roles of a chain, which lead somewhere as a role does


class Rules:
    """What follows from what, by the numbers of concepts and roles."""

    def __init__(self, axioms: Axioms) -> None:
        self.order = PropertyOrder(axioms)
        self.numbers: dict[Hashable, int] = {THING.name: TOP, NOTHING.name: BOTTOM}
        self.roles: dict[Role | Steps, int] = {}
        self.told: defaultdict[int, list[int]] = defaultdict(list)
        self.conjunctions: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self.unions: defaultdict[int, list[int]] = defaultdict(list)
        self.links: dict[int, tuple[int, int]] = {}  # of `r some C`: the role and the filler
        self.selves: dict[int, int] = {}
        self.onlys: dict[int, Only] = {}
        self.data: dict[int, DataRange] = {}
        self.asked_data: list[int] = []
        self.ranges: defaultdict[int, list[int]] = defaultdict(list)
        self._backward: dict[int, int] = {}  # for a role the one read backwards
        self._asked_links: dict[int, tuple[int, int]] = {}
        self._chains: list[tuple[int, int, int]] = []
        self._objects: list[tuple[int, int]] = []  # a role, and an individual that it leads to
        self.names = {name: self._number(name) for name in sorted(axioms.classes)}
        self.individuals = {name: self.individual(name) for name in sorted(axioms.individuals)}
        self.class_of = {number: name for name, number in self.names.items()}
        self.individual_of = {number: name for name, number in self.individuals.items()}
        for name in sorted(axioms.object_properties | axioms.data_properties):
            one, other = self._role((name, False)), self._role((name, True))
            self._backward |= {one: other, other: one}
        for axiom in axioms.axioms:
            self._take(axiom)
        self._follow_the_order()

    def individual(self, name: str) -> int:
        """The concept of one individual."""
        return self._number(("one", name))

    def role(self, property: Property) -> int:
        """The number of a role."""
        return self._role(role_of(property))

    def told_parts(self, expression: ClassExpression) -> list[int]:
        """The concepts that whatever is in the expression is in."""
        match expression:
            case And(operands):
                return [part for one in operands for part in self.told_parts(one)]
            case Some(property, filler):
                return [self._link(property, self._bundle(self.told_parts(filler)))]
            case HasValue(property, value):
                return [self._link(property, self._value(value))]
            case Cardinality(property, Bound.MIN | Bound.EXACTLY, count, filler) if count > 0:
                parts = [] if filler is None else self.told_parts(filler)
                return [self._link(property, self._bundle(parts)), self._opaque(expression)]
            case Cardinality(property, Bound.MAX | Bound.EXACTLY, 0, filler):
                return [self._opposite(expression, Some(property, filler or THING))]
            case Not(operand) if not is_data_range(expression):
                return [self._opposite(expression, operand)]
        return [self._atom(expression)]

    def asked(self, expression: ClassExpression) -> int:
        """The concept of an expression that something follows from."""
        match expression:
            case And(operands) if not is_data_range(expression):
                return self._conjunction([self.asked(one) for one in operands])
            case Or(operands) if not is_data_range(expression):
                return self._union([self.asked(one) for one in operands])
            case OneOf(members) if len(members) > 1 and not is_data_range(expression):
                return self._union([self._value(one) for one in members])
            case Some(property, filler):
                return self._asked_link(property, self.asked(filler))
            case HasValue(property, value):
                return self._asked_link(property, self._value(value))
            case Cardinality(_, Bound.MIN, 0, _):
                return TOP
            case Cardinality(property, Bound.MIN, 1, filler):
                return self._asked_link(property, TOP if filler is None else self.asked(filler))
        number = self._atom(expression)
        if number in self.data and number not in self.asked_data:
            self.asked_data.append(number)
        return number

    def found(self, expression: ClassExpression) -> int | None:
        """The concept of an expression that is not taken apart, if there is one so far."""
        match expression:
            case Named(name):
                return self.numbers.get(name)
            case OneOf((Named(name),)):
                return self.individuals.get(name)
            case HasSelf(property):
                return self.numbers.get(("self", self.roles.get(role_of(property))))
        return self.numbers.get(("shape", expression))

    def led_to(self, individual: int, role: int) -> int | None:
        """The concept of what a named role leads to from an individual."""
        found = self._backward.get(role)
        if found is None:
            return None
        number = self._number(("some", found, individual))
        self.links[number] = found, individual
        return number

    def imply(self, narrower: ClassExpression, wider: ClassExpression) -> None:
        """What is in the narrower is in the wider."""
        self.told[self.asked(narrower)] += self.told_parts(wider)

    def _take(self, axiom: Axiom) -> None:
        match axiom:
            case SubClass(narrower, wider):
                self.imply(narrower, wider)
            case EquivalentClasses(operands):
                for one, other in zip(operands, (*operands[1:], operands[0]), strict=True):
                    self.imply(one, other)
            case DisjointClasses(operands):
                self._tell_apart([self.asked(one) for one in operands])
            case Domain(Inverse(property), expression) | Range(Named() as property, expression):
                self.ranges[self.role(property)] += self.told_parts(expression)
            case Range(Inverse(property), expression) | Domain(property, expression):
                self.imply(Some(property, THING), expression)
            case PropertyChain(steps, wider):
                self._chain_both_ways([role_of(one) for one in steps], role_of(wider))
            case PropertyIs(property, Characteristic.TRANSITIVE):
                self._chain_both_ways([role_of(property)] * 2, role_of(property))
            case ClassAssertion(individual, type_):
                self.told[self.individual(individual)] += self.told_parts(type_)
            case PropertyAssertion(subject, name, value):
                self._relate(subject, name, value)
            case PropertyDenial(subject, name, value):
                related = self.asked(HasValue(Named(name), value))
                self._tell_apart([self.individual(subject), related])
            case SameIndividuals(names):
                numbers = [self.individual(name) for name in names]
                for number, same in zip(numbers, (*numbers[1:], numbers[0]), strict=True):
                    self.told[number].append(same)
            case DifferentIndividuals(names):
                self._tell_apart([self.individual(one) for one in names])

    def _relate(self, subject: str, property: str, value: Named | Term) -> None:
        """Tell a value of an individual, and what follows for the value of it."""
        told = self.told[self.individual(subject)]
        told += self.told_parts(HasValue(Named(property), value))
        if isinstance(value, Named):
            self._objects.append((self.role(Named(property)), self.individual(value.name)))
            link = self._link(Inverse(Named(property)), self.individual(subject))
            self.told[self.individual(value.name)].append(link)

    def _number(self, key: Hashable) -> int:
        return self.numbers.setdefault(key, len(self.numbers))

    def _role(self, role: Role | Steps) -> int:
        return self.roles.setdefault(role, len(self.roles))

    def _opaque(self, expression: ClassExpression) -> int:
        number = self._number(("shape", expression))
        if isinstance(expression, Only):
            self.onlys[number] = expression
        return number

    def _atom(self, expression: ClassExpression) -> int:
        """The concept of an expression that is not taken apart."""
        if is_data_range(expression):
            found = data_range(expression)
            number = self._number(("data", found))
            self.data[number] = found
            return number
        match expression:
            case Named(name):
                return self._number(name)
            case OneOf((Named(name),)):
                return self.individual(name)
            case HasSelf(property):
                role = self.role(property)
                number = self._number(("self", role))
                self.selves[number] = role
                return number
        return self._opaque(expression)

    def _value(self, value: Named | Term) -> int:
        return self._atom(OneOf((value,)))

    def _bundle(self, parts: Iterable[int]) -> int:
        """One concept for what is in all of some concepts, from which they follow."""
        several = sorted({*parts} - {TOP})
        if len(several) < 2:
            return several[0] if several else TOP
        if all(part in self.data for part in several):
            met = reduce(DataRange.meet, (self.data[part] for part in several))
            number = self._number(("data", met))
            self.data[number] = met
            return number
        number = self._number(("all", *several))
        self.told[number] = several
        return number

    def _link(self, property: Property, filler: int) -> int:
        """The concept `property some filler`."""
        role = self.role(property)
        number = self._number(("some", role, filler))
        self.links[number] = role, filler
        return number

    def _asked_link(self, property: Property, filler: int) -> int:
        number = self._link(property, filler)
        self._asked_links[number] = self.links[number]
        return number

    def _conjunction(self, parts: Iterable[int]) -> int:
        """One concept for what is in all of some concepts, which follows from them."""
        first, *others = sorted({*parts} - {TOP}) or [TOP]
        for other in others:
            both = self._number(("and", first, other))
            self.conjunctions[first][other] = both
            self.conjunctions[other][first] = both
            first = both
        return first

    def _union(self, parts: Iterable[int]) -> int:
        several = sorted({*parts})
        number = self._number(("or", *several))
        for part in several:
            if number not in self.unions[part]:
                self.unions[part].append(number)
        return number

    def _opposite(self, expression: ClassExpression, of: ClassExpression) -> int:
        """A concept of what is not in another one."""
        number = self._opaque(expression)
        self._tell_apart([number, self.asked(of)])
        return number

    def _tell_apart(self, parts: Iterable[int]) -> None:
        for one, other in combinations(parts, 2):
            both = self._conjunction((one, other))
            if BOTTOM not in self.told[both]:
                self.told[both].append(BOTTOM)

    def _chain_both_ways(self, steps: list[Role], wider: Role) -> None:
        """What some roles lead to one after the other, and the same read backwards."""
        self._chain([self._role(one) for one in steps], self._role(wider))
        back = [self._role(backwards(one)) for one in reversed(steps)]
        self._chain(back, self._role(backwards(wider)))

    def _chain(self, steps: list[int], wider: int) -> None:
        first, *others = steps
        for place, step in enumerate(others, 1):
            is_last = place == len(others)
            reached = wider if is_last else self._role(tuple(steps[: place + 1]))
            self._chains.append((first, step, reached))
            first = reached

    def _follow_the_order(self) -> None:
        """Let what is asked of a role be answered by every role within it."""
        above = {number: self._above(role) for role, number in list(self.roles.items())}
        within: defaultdict[int, list[int]] = defaultdict(list)
        for number, wider in above.items():
            for one in wider:
                within[one].append(number)
        self.role_above = {number: frozenset(wider) for number, wider in above.items()}
        self.asked_links: dict[int, dict[int, list[int]]] = {}
        for link, (role, filler) in self._asked_links.items():
            by_role = self.asked_links.setdefault(filler, {})
            for narrower in within[role]:
                by_role.setdefault(narrower, []).append(link)
        chained: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        for first, second, reached in self._chains:
            for one in within.get(first, [first]):
                for other in within.get(second, [second]):
                    chained[one, other].add(reached)
        self.after: defaultdict[int, list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
        self.before: defaultdict[int, list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
        for (one, other), wider_roles in chained.items():
            self.after[one].append((other, tuple(sorted(wider_roles))))
            self.before[other].append((one, tuple(sorted(wider_roles))))
        self.ranges_within = {
            number: tuple(dict.fromkeys(part for one in wider for part in self.ranges[one]))
            for number, wider in above.items()
        }
        for role, individual in self._objects:
            self.told[individual] += self.ranges_within[role]

    def _above(self, role: Role | Steps) -> list[int]:
        """The roles that contain one, itself among them; a part of a chain is in no other."""
        match role:
            case (str() as name, bool() as is_backwards):
                return [self._role(wider) for wider in self.order.above((name, is_backwards))]
        return [self.roles[role]]
