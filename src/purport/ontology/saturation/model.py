"""A model of the rules in which everything is as general as it can be.

One element stands for each class, each individual and each thing that must exist. An element is
in a concept just if the rules say so; so what the model shows of a class holds for all its members.
This is how OWL 2 EL is classified (Baader, Brandt & Lutz 2005; Kazakov, Krötzsch & Simančík 2014),
and what is kept of other axioms is sound.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import reduce
from typing import Generic, TypeVar

from purport.ontology.data.data_ranges import DataRange
from purport.ontology.saturation.rules import BOTTOM, TOP, Rules

Kept = TypeVar("Kept")


class Layered(Generic[Kept]):
    """A list that goes on where another one, which stays as it is, ends."""

    def __init__(self, below: list[Kept] | Layered[Kept]) -> None:
        self._below = below
        self._first = len(below)
        self._more: list[Kept] = []

    def __getitem__(self, place: int) -> Kept:
        if place < self._first:
            return self._below[place]
        return self._more[place - self._first]

    def __len__(self) -> int:
        return self._first + len(self._more)

    def append(self, kept: Kept) -> None:
        """Add to what is here, not to what is below."""
        self._more.append(kept)


class Model:
    """The elements, the concepts that each is in, and the roles that lead to others.

    `branch` gives a model that goes on from this one, for what is asked once: elements of this one
    stay as they are, since nothing is ever told of an element by what leads to it.
    """

    def __init__(self, rules: Rules, below: Model | None = None) -> None:
        self.rules = rules
        self._below = below
        self._first = 0 if below is None else len(below.concepts)
        self.concepts: list[set[int]] | Layered[set[int]] = (
            [] if below is None else Layered(below.concepts)
        )
        self.forward: list[dict[int, set[int]]] | Layered[dict[int, set[int]]] = (
            [] if below is None else Layered(below.forward)
        )
        self.values: dict[int, DataRange] = {}  # of elements that are data values
        self._backward: dict[int, dict[int, set[int]]] = {}
        self._places: dict[Hashable, int] = {}
        self._todo: list[tuple[int, int]] = []
        self._steps: list[tuple[int, int, int]] = []

    @classmethod
    def of(cls, rules: Rules) -> Model:
        """The model of everything that has a name."""
        model = cls(rules)
        for concept in (TOP, *rules.names.values(), *rules.individuals.values()):
            model.element(concept)
        model.settle()
        while model._share_what_is_said_of_individuals():
            model.settle()
        model._backward.clear()
        return model

    def branch(self) -> Model:
        """A model that goes on from this one."""
        return Model(self.rules, self)

    def element(self, concept: int, others: tuple[int, ...] = ()) -> int:
        """The element for whatever is in a concept, and in some others besides."""
        key = (concept, others) if others else concept
        place = self._place(key)
        if place is None:
            place = self._places[key] = self.new(concept, *others)
        return place

    def new(self, *concepts: int) -> int:
        """A new element in some concepts."""
        place = len(self.concepts)
        self.concepts.append(set())
        self.forward.append({})
        self._backward[place] = {}
        for concept in (TOP, *concepts):
            self.tell(place, concept)
        ranges = [self.rules.data[one] for one in concepts if one in self.rules.data]
        if ranges:
            self._fit(place, reduce(DataRange.meet, ranges))
        return place

    def value(self, values: DataRange, role: int) -> int:
        """A new element that is one of some data values, at the end of a role."""
        place = self.new()
        ranges = (self.rules.data.get(one) for one in self.rules.ranges_within.get(role, ()))
        self._fit(place, reduce(DataRange.meet, filter(None, ranges), values))
        return place

    def values_of(self, element: int) -> DataRange | None:
        """The data values that an element is one of; None if it is an individual."""
        found = self.values.get(element)
        return self._below.values_of(element) if found is None and self._below else found

    def types_of(self, element: int) -> frozenset[str]:
        """The named classes that an element is in."""
        names = self.rules.class_of
        return frozenset(names[one] for one in self.concepts[element] if one in names)

    def tell(self, element: int, concept: int) -> None:
        """Put an element into a concept; what follows is found by `settle`."""
        concepts = self.concepts[element]
        if concept not in concepts:
            concepts.add(concept)
            self._todo.append((element, concept))

    def lead(self, element: int, role: int, concept: int) -> int:
        """Let a role lead from an element to the one in a concept."""
        ranges = self.rules.ranges_within.get(role, ())
        if concept in self.rules.data:
            ranges = tuple(one for one in ranges if one in self.rules.data)
        other = self.element(concept, ranges)
        self.connect(element, role, other)
        return other

    def connect(self, element: int, role: int, other: int) -> None:
        """Let a role lead from one element to another."""
        forward = self.forward[element].setdefault(role, set())
        if other not in forward:
            forward.add(other)
            if other >= self._first:
                self._backward[other].setdefault(role, set()).add(element)
            self._steps.append((element, role, other))

    def settle(self) -> None:
        """Find out what follows from all that was told."""
        todo, steps = self._todo, self._steps
        while todo or steps:
            if todo:
                self._follow(*todo.pop())
            else:
                self._follow_step(*steps.pop())

    def _follow(self, element: int, concept: int) -> None:
        """What follows from an element's being in a concept."""
        rules, tell = self.rules, self.tell
        if concept in rules.told:
            for other in rules.told[concept]:
                tell(element, other)
        if concept in rules.conjunctions:
            with_it = rules.conjunctions[concept]
            for other in with_it.keys() & self.concepts[element]:
                tell(element, with_it[other])
        if concept in rules.unions:
            for other in rules.unions[concept]:
                tell(element, other)
        if concept in rules.links:
            self.lead(element, *rules.links[concept])
        if concept in rules.asked_links:
            asked, backward = rules.asked_links[concept], self._backward[element]
            for role in asked.keys() & backward.keys():
                for before in backward[role]:
                    for link in asked[role]:
                        tell(before, link)
        if concept in rules.selves:
            self._lead_to_itself(element, rules.selves[concept])
        if concept == BOTTOM:
            for before in set().union(*self._backward[element].values()):
                tell(before, BOTTOM)

    def _follow_step(self, element: int, role: int, other: int) -> None:
        """What follows from a role's leading from one element to another."""
        rules, concepts = self.rules, self.concepts[other]
        if BOTTOM in concepts:
            self.tell(element, BOTTOM)
        for concept in rules.asked_links.keys() & concepts:
            for link in rules.asked_links[concept].get(role, ()):
                self.tell(element, link)
        for second, reached in rules.after.get(role, ()):
            for further in list(self.forward[other].get(second, ())):
                for wider in reached:
                    self.connect(element, wider, further)
        for first, reached in rules.before.get(role, ()):
            for before in list(self._backward[element].get(first, ())):
                for wider in reached:
                    self.connect(before, wider, other)

    def _share_what_is_said_of_individuals(self) -> bool:
        """Tell individuals what is said of them where they stand as values of what exists."""
        one_of = {number: self.element(number) for number in self.rules.individuals.values()}
        seen, edge = set(one_of.values()), list(one_of.values())
        while edge:
            steps = self.forward[edge.pop()].values()
            fresh = set().union(*steps) - seen
            seen |= fresh
            edge += fresh
        for element in seen:
            for number in self.concepts[element] & one_of.keys():
                for concept in self.concepts[element] - self.concepts[one_of[number]]:
                    self.tell(one_of[number], concept)
        self._tell_individuals_what_leads_to_them(one_of)
        return bool(self._todo)

    def _tell_individuals_what_leads_to_them(self, one_of: Mapping[int, int]) -> None:
        """Tell individuals of others that have them for a value, and of themselves if they do."""
        new: dict[int, set[int]] = {}
        for number, element in one_of.items():
            for role, others in self.forward[element].items():
                for other in others:
                    for value in self.concepts[other] & one_of.keys():
                        follows = self._following(number, role, value)
                        if fresh := follows - self.concepts[one_of[value]]:
                            new.setdefault(value, set()).update(fresh)
        for value, concepts in new.items():
            self.rules.told[value] += sorted(concepts)
        for element in range(len(self.concepts)) if new else ():
            for value in self.concepts[element] & new.keys():
                for concept in new[value]:
                    self.tell(element, concept)

    def _following(self, individual: int, role: int, value: int) -> set[int]:
        """The concepts that a value is in because a role leads to it from an individual."""
        led_to = self.rules.led_to(individual, role)
        follows = set() if led_to is None else {led_to}
        if value == individual:
            follows |= self._selves_within(role)
        return follows

    def _selves_within(self, role: int) -> set[int]:
        """The concepts of what a role leads to from itself."""
        above = self.rules.role_above[role]
        return {number for number, own in self.rules.selves.items() if own in above}

    def _place(self, key: Hashable) -> int | None:
        place = self._places.get(key)
        if place is None and self._below is not None:
            return self._below._place(key)
        return place

    def _lead_to_itself(self, element: int, role: int) -> None:
        self.connect(element, role, element)
        for number in self._selves_within(role):
            self.tell(element, number)

    def _fit(self, element: int, values: DataRange) -> None:
        """Put an element that is a data value into the ranges that hold it."""
        self.values[element] = values
        if values.is_empty:
            self.tell(element, BOTTOM)
            return
        for number in self.rules.asked_data:
            if self.rules.data[number].includes(values):
                self.tell(element, number)
