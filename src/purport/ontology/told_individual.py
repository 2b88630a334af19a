"""An individual that somebody tells of, as elements of a model; and what it is in.

What a model shows of it holds in every world. Beyond that what is told is taken as all there is:
`not C` holds of what is not known to be in C, and `only`, `max` and `exactly` look at the values
that are told or known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

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
from purport.ontology.axioms import NOTHING, THING
from purport.ontology.data.data_ranges import data_range, is_data_range
from purport.ontology.description import Description
from purport.ontology.saturation.model import Model
from purport.ontology.saturation.showing import is_same, is_value, reached, shows


@dataclass(slots=True)
class ToldIndividual:
    """The elements that stand for what is told: values before what has them, the individual last.

    `readings` are of data values: what they may be taken for.
    """

    model: Model
    told: dict[int, Description | Term] = field(default_factory=dict)
    readings: dict[int, tuple[Term, ...]] = field(default_factory=dict)

    @property
    def element(self) -> int:
        """The element that is the individual itself."""
        return next(reversed(self.told))

    @property
    def described(self) -> list[int]:
        """The elements that are individuals, values before what has them."""
        return [one for one, told in self.told.items() if isinstance(told, Description)]

    def is_in(self, element: int, expression: ClassExpression) -> bool:
        """Whether an element is in an expression, whose names are full IRIs."""
        model = self.model
        if is_data_range(expression):
            return self._holds_value(element, expression)
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
                return all(self.is_in(element, one) for one in operands)
            case Or(operands):
                return any(self.is_in(element, one) for one in operands)
            case Not(operand):
                return not self.is_in(element, operand)
            case Some(property, filler):
                return self._count(element, property, filler) > 0
            case Only(property, filler):
                return self._has_only(element, property, filler)
            case Cardinality(property, bound, count, filler):
                return bound.allows(self._count(element, property, filler or THING), count)
            case HasValue(property, value):
                return any(self._is_value(one, value) for one in reached(model, element, property))
            case HasSelf(property):
                return self.has_itself(element, reached(model, element, property))
        return False

    def has_itself(self, element: int, values: Iterable[int]) -> bool:
        """Whether an individual is among the values: as an element, or by its name."""
        name = self._name(element)
        return any(
            is_same(self.model, element, other) or (name is not None and self._name(other) == name)
            for other in values
        )

    def known_values(self, element: int, property: Property) -> dict[int, Description | Term]:
        """The values of a property that are told, or named in the ontology, each once."""
        values: dict[int, Description | Term] = {}
        seen: set[object] = set()
        for other in reached(self.model, element, property):
            known = self._known(other)
            if known is not None and known[0] not in seen:
                seen.add(known[0])
                values[other] = known[1]
        return values

    def _known(self, element: int) -> tuple[object, Description | Term] | None:
        """What an element is known as, after what tells it from others; None if it is unknown."""
        individual_of = self.model.rules.individual_of
        numbers = self.model.concepts[element] & individual_of.keys()
        names = sorted(individual_of[one] for one in numbers)
        told = self.told.get(element)
        if told is not None:
            return (names[0] if names else told), told
        if names:
            return names[0], Description(names[0])
        values = self.model.values_of(element)
        match values.expression if values is not None else None:
            case OneOf((value,)) | And((OneOf((value,)), *_)) if not isinstance(value, Named):
                return value, value
        return None

    def _has_only(self, element: int, property: Property, filler: ClassExpression) -> bool:
        """Whether every value is in the filler; where none is known, what must exist counts."""
        known = self.known_values(element, property)
        if known:
            return all(self.is_in(other, filler) for other in known)
        others = reached(self.model, element, property)
        return all(shows(self.model, other, filler) for other in others)

    def _count(self, element: int, property: Property, filler: ClassExpression) -> int:
        """How many values in the filler are known; 1 if there must be some that is not."""
        known = self.known_values(element, property)
        count = sum(self.is_in(other, filler) for other in known)
        return count or int(shows(self.model, element, Some(property, filler)))

    def _name(self, element: int) -> str | None:
        told = self.told.get(element)
        return told.name if isinstance(told, Description) else None

    def _is_value(self, element: int, value: Named | Term) -> bool:
        """Whether an element is this individual, or this data value."""
        if isinstance(value, Named):
            return self._name(element) == value.name or is_value(self.model, element, value)
        return self._holds_value(element, OneOf((value,)))

    def _holds_value(self, element: int, expression: ClassExpression) -> bool:
        read = self.readings.get(element)
        if read is None:
            return shows(self.model, element, expression)
        wanted = data_range(expression)
        return any(wanted.contains(one) for one in read)
