"""Is this individual a member of that class?

What is told of an individual becomes elements of a branch of the model, which finds what follows.
Then what only holds where all is told is put into it: what `only` says of told values, who is told
to have itself for a value, and the classes whose definitions are met. What is told may contradict
itself: then it is in the classes that it is told to be in and those above them, and not in all
there are.
"""

from __future__ import annotations

from functools import lru_cache

from purport.model.class_expression import ClassExpression, Named, OneOf
from purport.model.term import Term
from purport.ontology.data.data_ranges import DataRange
from purport.ontology.data.readings import readings
from purport.ontology.definitions import definitions_beyond_el
from purport.ontology.description import Description
from purport.ontology.reasoner import Reasoner
from purport.ontology.saturation.rules import BOTTOM
from purport.ontology.saturation.showing import led_to, put, reached
from purport.ontology.told_individual import ToldIndividual

_REMEMBERED = 2048  # a branch of the model each


class Membership:
    """Judges individuals by what a reasoner shows of them, and by what is told."""

    def __init__(self, reasoner: Reasoner) -> None:
        self._reasoner = reasoner
        self._definitions = definitions_beyond_el(reasoner.axioms)
        self._individual = lru_cache(maxsize=_REMEMBERED)(self._realised)

    def __reduce__(self) -> tuple[type[Membership], tuple[Reasoner]]:
        return Membership, (self._reasoner,)

    def is_member(self, description: Description, expression: ClassExpression) -> bool:
        """Whether an individual is in an expression, whose names are full IRIs."""
        found = self._individual(description)
        return found.is_in(found.element, expression)

    def types_of(self, description: Description) -> frozenset[str]:
        """Every named class that an individual is in."""
        found = self._individual(description)
        return found.model.types_of(found.element)

    def values_of(self, description: Description, property: str) -> tuple[Description | Term, ...]:
        """The values of a property and its sub-properties that are told or known."""
        found = self._individual(description)
        return tuple(found.known_values(found.element, Named(property)).values())

    def value_read(self, property: str, value: Term) -> Term:
        """A told value as the range of the property has it, where that leaves one reading."""
        role = self._reasoner.model.rules.roles.get((property, False))
        read = (value,) if role is None else self._read(value, role)
        return read[0] if len(read) == 1 else value

    def _realised(self, description: Description) -> ToldIndividual:
        found = ToldIndividual(self._reasoner.model.branch())
        self._put(found, description)
        found.model.settle()
        self._apply_onlys(found)
        self._apply_selves(found)
        self._apply_definitions(found)
        return found

    def _put(self, found: ToldIndividual, description: Description) -> int:
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
        found.told[element] = description
        return element

    def _put_data(self, found: ToldIndividual, value: Term, role: int) -> int:
        """A new element for a told value: it is in each range that one of its readings is in."""
        model, rules = found.model, found.model.rules
        read = self._read(value, role)
        element = model.value(DataRange(OneOf(read)), role)
        is_plain = len(read) == 1 and BOTTOM not in model.concepts[element]
        for number in () if is_plain else rules.asked_data:
            if any(rules.data[number].contains(one) for one in read):
                model.tell(element, number)
        found.told[element], found.readings[element] = value, read
        return element

    def _read(self, value: Term, role: int) -> tuple[Term, ...]:
        """The readings of a value that the property's range allows; all, if it allows none."""
        rules = self._reasoner.model.rules
        read = tuple(readings(value))
        ranges = [rules.data[one] for one in rules.ranges_within[role] if one in rules.data]
        return tuple(one for one in read if all(each.contains(one) for each in ranges)) or read

    def _apply_onlys(self, found: ToldIndividual) -> None:
        """Put told values into what the classes of their owners say that they are in."""
        model, onlys = found.model, found.model.rules.onlys
        for element in reversed(found.described) if onlys else ():  # owners before their values
            for number in sorted(model.concepts[element] & onlys.keys()):
                only = onlys[number]
                for other in reached(model, element, only.property):
                    if other in found.told:
                        put(model, other, only.filler)
                model.settle()

    def _apply_selves(self, found: ToldIndividual) -> None:
        """Put what is told to have itself for a value into the classes of such."""
        model, selves = found.model, found.model.rules.selves
        elements = found.described if selves else []
        for number, role in selves.items():
            for element in elements:
                if found.has_itself(element, led_to(model, element, role)):
                    model.tell(element, number)
        if selves:
            model.settle()

    def _apply_definitions(self, found: ToldIndividual) -> None:
        """Put what is told into the classes whose definitions it meets."""
        model, elements = found.model, found.described
        for name, expression in self._definitions:
            number = model.rules.numbers[name]
            for element in elements:
                is_new = number not in model.concepts[element]
                if is_new and found.is_in(element, expression):
                    model.tell(element, number)
                    model.settle()
