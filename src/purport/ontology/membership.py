"""Is this individual a member of that class?

What is *shown* of an individual holds in every world. Beyond that an event is taken to tell what
there is: `not C` holds of what is not known to be in C, and `only`, `max` and `exactly` look at the
values that are told or known. A class that is defined by such an expression is judged by its
definition in the same way. What is told may contradict itself: then it is in the classes that it is
told to be in and those above them, and not in all there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from purport.model.class_expression import (
    And,
    Cardinality,
    ClassExpression,
    HasSelf,
    HasValue,
    Named,
    Not,
    OneOf,
    Only,
    Or,
    Property,
    Some,
)
from purport.model.term import Term
from purport.ontology.axioms import NOTHING, THING, Axioms, EquivalentClasses
from purport.ontology.data.data_ranges import DataRange, data_range, is_data_range
from purport.ontology.data.readings import readings
from purport.ontology.description import Description
from purport.ontology.el_profile import is_el
from purport.ontology.naming import named_in
from purport.ontology.reasoner import Reasoner
from purport.ontology.rules import BOTTOM
from purport.ontology.saturation import Model
from purport.ontology.showing import is_same, is_value, led_to, put, reached, shows

_REMEMBERED = 2048  # a branch of the model each


class Definition(NamedTuple):
    """A class, and what it takes to be in it."""

    name: str
    expression: ClassExpression


@dataclass(slots=True)
class Individual:
    """An element of a model, with the elements that stand for what is told of it."""

    description: Description
    model: Model
    element: int = 0
    told: dict[int, Description | Term] = field(default_factory=dict)
    readings: dict[int, tuple[Term, ...]] = field(default_factory=dict)  # of told data values


class Membership:
    """Judges individuals by what a reasoner shows of them, and by what is told."""

    def __init__(self, reasoner: Reasoner) -> None:
        self._reasoner = reasoner
        self._definitions = definitions_beyond_el(reasoner.axioms)
        self._names = {number: name for name, number in reasoner.model.rules.names.items()}
        self._one_of = {number: name for name, number in reasoner.model.rules.individuals.items()}
        self._individual = lru_cache(maxsize=_REMEMBERED)(self._realised)

    def __reduce__(self) -> tuple[type[Membership], tuple[Reasoner]]:
        return Membership, (self._reasoner,)

    def is_member(self, description: Description, expression: ClassExpression) -> bool:
        """Whether an individual is in an expression, whose names are full IRIs."""
        found = self._individual(description)
        return self._is_in(found, found.element, expression)

    def types_of(self, description: Description) -> frozenset[str]:
        """Every named class that an individual is in."""
        found = self._individual(description)
        concepts = found.model.concepts[found.element]
        return frozenset(self._names[one] for one in concepts if one in self._names)

    def values_of(self, description: Description, property: str) -> tuple[Description | Term, ...]:
        """The values of a property and its sub-properties that are told or known."""
        found = self._individual(description)
        known = self._known_values(found, found.element, Named(property))
        return tuple(value for _, value in known)

    def value_read(self, property: str, value: Term) -> Term:
        """A told value as the range of the property has it, where that leaves one reading."""
        role = self._reasoner.model.rules.roles.get((property, False))
        read = (value,) if role is None else self._read(value, role)
        return read[0] if len(read) == 1 else value

    def _realised(self, description: Description) -> Individual:
        found = Individual(description, self._reasoner.model.branch())
        found.element = self._put(found, description)
        found.model.settle()
        elements = [one for one, value in found.told.items() if isinstance(value, Description)]
        elements.append(found.element)
        self._apply_onlys(found, elements)
        self._apply_selves(found, elements)
        self._apply_definitions(found, elements)
        return found

    def _put(self, found: Individual, description: Description) -> int:
        """A new element of the model for a description."""
        model = found.model
        numbers = {model.rules.numbers.get(one) for one in description.types}
        known = model.rules.individuals.get(description.name or "")
        if known is not None:
            numbers |= model.concepts[model.element(known)]
        element = model.new(*sorted(number for number in numbers if number is not None))
        for property, value in description.facts:
            role = model.rules.roles.get((property, False))
            if role is None:
                continue
            if isinstance(value, Description):
                other = self._put(found, value)
                for concept in model.rules.ranges_within.get(role, ()):
                    model.tell(other, concept)
            else:
                other = self._put_data(found, value, role)
            model.connect(element, role, other)
            model.connect(other, model.rules.roles[property, True], element)
            found.told[other] = value
        return element

    def _put_data(self, found: Individual, value: Term, role: int) -> int:
        """A new element for a told value: it is in each range that one of its readings is in."""
        model, rules = found.model, found.model.rules
        read = self._read(value, role)
        element = model.value(DataRange(OneOf(read)), role)
        is_plain = len(read) == 1 and BOTTOM not in model.concepts[element]
        for number in () if is_plain else rules.asked_data:
            if any(rules.data[number].contains(one) for one in read):
                model.tell(element, number)
        found.readings[element] = read
        return element

    def _read(self, value: Term, role: int) -> tuple[Term, ...]:
        """The readings of a value that the property's range allows; all, if it allows none."""
        rules = self._reasoner.model.rules
        read = tuple(readings(value))
        ranges = [rules.data[one] for one in rules.ranges_within[role] if one in rules.data]
        return tuple(one for one in read if all(each.contains(one) for each in ranges)) or read

    def _apply_onlys(self, found: Individual, elements: Sequence[int]) -> None:
        """Put told values into what the classes of their owners say that they are in."""
        model, onlys = found.model, found.model.rules.onlys
        for element in reversed(elements) if onlys else ():  # owners before their values
            for number in sorted(model.concepts[element] & onlys.keys()):
                only = onlys[number]
                for other in reached(model, element, only.property):
                    if other in found.told:
                        put(model, other, only.filler)
                model.settle()

    def _apply_selves(self, found: Individual, elements: Sequence[int]) -> None:
        """Put what is told to have itself for a value into the classes of such."""
        model, selves = found.model, found.model.rules.selves
        for number, role in selves.items():
            for element in elements:
                values = led_to(model, element, role)
                if self._has_itself(found, element, values):
                    model.tell(element, number)
        if selves:
            model.settle()

    def _apply_definitions(self, found: Individual, elements: Sequence[int]) -> None:
        """Put what is told into the classes whose definitions it meets."""
        model = found.model
        for name, expression in self._definitions:
            for element in elements:
                number = model.rules.numbers[name]
                if number not in model.concepts[element] and self._is_in(
                    found, element, expression
                ):
                    model.tell(element, number)
                    model.settle()

    def _is_in(self, found: Individual, element: int, expression: ClassExpression) -> bool:
        model = found.model
        if is_data_range(expression):
            return _holds_value(found, element, expression)
        if expression == NOTHING:
            return False
        number = model.rules.found(expression)
        if number is not None and number in model.concepts[element]:
            return True
        if not isinstance(expression, Named | And | Or) and shows(model, element, expression):
            return True
        match expression:
            case Named():
                return expression == THING
            case And(operands):
                return all(self._is_in(found, element, one) for one in operands)
            case Or(operands):
                return any(self._is_in(found, element, one) for one in operands)
            case Not(operand):
                return not self._is_in(found, element, operand)
            case Some(property, filler):
                return self._count(found, element, property, filler) > 0
            case Only(property, filler):
                return self._has_only(found, element, property, filler)
            case Cardinality(property, bound, count, filler):
                found_count = self._count(found, element, property, filler or THING)
                return bound.allows(found_count, count)
            case HasValue(property, value):
                return any(
                    _is_told_value(found, other, value)
                    for other in reached(model, element, property)
                )
            case HasSelf(property):
                return self._has_itself(found, element, reached(model, element, property))
        return False

    def _has_itself(self, found: Individual, element: int, values: Iterable[int]) -> bool:
        """Whether an individual is among the values: as an element, or by its name."""
        name = _told_name(found, element)
        return any(
            is_same(found.model, element, other)
            or (name is not None and _told_name(found, other) == name)
            for other in values
        )

    def _has_only(
        self, found: Individual, element: int, property: Property, filler: ClassExpression
    ) -> bool:
        """Whether every value is in the filler; where none is known, what must exist counts."""
        known = [other for other, _ in self._known_values(found, element, property)]
        if known:
            return all(self._is_in(found, other, filler) for other in known)
        return all(
            shows(found.model, other, filler) for other in reached(found.model, element, property)
        )

    def _count(
        self, found: Individual, element: int, property: Property, filler: ClassExpression
    ) -> int:
        """How many values in the filler are known; 1 if there must be some that is not."""
        known = self._known_values(found, element, property)
        count = sum(self._is_in(found, other, filler) for other, _ in known)
        return count or int(shows(found.model, element, Some(property, filler)))

    def _known_values(
        self, found: Individual, element: int, property: Property
    ) -> list[tuple[int, Description | Term]]:
        """The values of a property that are told, or named in the ontology, each once."""
        values: dict[object, tuple[int, Description | Term]] = {}
        for other in reached(found.model, element, property):
            for key, value in self._known_value(found, other):
                values.setdefault(key, (other, value))
        return list(values.values())

    def _known_value(
        self, found: Individual, element: int
    ) -> Iterator[tuple[object, Description | Term]]:
        concepts = found.model.concepts[element]
        names = sorted(self._one_of[one] for one in concepts & self._one_of.keys())
        if element in found.told or element == found.element:
            told = found.told.get(element, found.description)
            yield names[0] if names else told, told
        elif names:
            yield names[0], Description(names[0])
        else:
            values = found.model.values_of(element)
            match values.expression if values is not None else None:
                case OneOf((value,)) | And((OneOf((value,)), *_)) if not isinstance(value, Named):
                    yield value, value


def definitions_beyond_el(axioms: Axioms) -> tuple[Definition, ...]:
    """The definitions that tell more of what is known than rules do, those they rest on first.

    Those that rest on each other in a ring are left out: they say nothing about what is not.
    """
    found: dict[str, list[ClassExpression]] = {}
    for axiom in axioms.axioms:
        if isinstance(axiom, EquivalentClasses):
            names = [one.name for one in axiom.operands if isinstance(one, Named)]
            others = [one for one in axiom.operands if not isinstance(one, Named)]
            for name in names:
                found.setdefault(name, []).extend(one for one in others if not is_el(one))
    found = {name: expressions for name, expressions in found.items() if expressions}
    rests_on = {
        name: {one for expression in expressions for one in named_in(expression)} & found.keys()
        for name, expressions in found.items()
    }
    return tuple(
        Definition(name, expression) for name in _in_order(rests_on) for expression in found[name]
    )


def _in_order(rests_on: dict[str, set[str]]) -> Iterable[str]:
    """Names after those that they rest on; without the rings."""
    left = dict(rests_on)
    while True:
        try:
            return list(TopologicalSorter(left).static_order())
        except CycleError as error:
            ring = set(error.args[1])
            left = {name: others - ring for name, others in left.items() if name not in ring}


def _holds_value(found: Individual, element: int, expression: ClassExpression) -> bool:
    read = found.readings.get(element)
    if read is None:
        return shows(found.model, element, expression)
    wanted = data_range(expression)
    return any(wanted.contains(one) for one in read)


def _told_name(found: Individual, element: int) -> str | None:
    told = found.description if element == found.element else found.told.get(element)
    return told.name if isinstance(told, Description) else None


def _is_told_value(found: Individual, element: int, value: Named | Term) -> bool:
    told = found.told.get(element)
    if isinstance(value, Named):
        is_told = isinstance(told, Description) and told.name == value.name
        return is_told or is_value(found.model, element, value)
    return _holds_value(found, element, OneOf((value,)))
