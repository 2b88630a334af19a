"""How well does an individual answer a predicate of classes?

Names in the predicates here are full IRIs. `isa` asks for a member of a class expression, `has` for
a value of a property, and `more specific than` and its kin take the value as a class by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from purport.errors import InvalidInput
from purport.matching.asked import ClassPredicate, plain_term
from purport.matching.individuals import TYPE, Individuals
from purport.matching.measures import Measures
from purport.model.class_expression import ClassExpression, Named
from purport.model.comparison import Operator, holds
from purport.model.language.write import write_predicate
from purport.model.subscription import (
    AskedAttribute,
    AskedValue,
    ClassOrder,
    ClassRelation,
    HasProperty,
    IsA,
)
from purport.model.term import Resource, Term, Text, folded
from purport.model.words import said, says_words
from purport.ontology.axioms import NOTHING, THING
from purport.ontology.data.data_ranges import is_data_range
from purport.ontology.description import Description, is_type_name


class Answer(NamedTuple):
    """A score, and whether what is exact in the predicate holds."""

    score: float
    is_allowed: bool


_ENDS = frozenset([THING.name, NOTHING.name])
_UNNAMED = Text("something")
_FACTS_TOLD = 3
_NO = Answer(0.0, False)
_YES = Answer(1.0, True)


class ClassAnswers:
    """Judges individuals by an ontology, and words that it says of them by measures."""

    def __init__(self, individuals: Individuals, measures: Measures) -> None:
        self.individuals = individuals
        self._measures = measures

    def resolved(self, predicate: ClassPredicate) -> ClassPredicate:
        """A predicate with full IRIs; `UnknownName` if the ontology does not know a name in it.

        However the type of an event is asked for (`a`, `rdf:type`), it is asked for as `type`.
        """
        ontology, asked = self.individuals.ontology, predicate.attribute
        if asked.approximation is None and is_type_name(str(asked.term)):
            predicate = replace(predicate, attribute=AskedAttribute(TYPE))
        match predicate:
            case IsA(_, expression):
                return replace(predicate, expression=ontology.resolved(expression))
            case ClassOrder(_, _, expression):
                found = ontology.resolved(expression)
                if is_data_range(found):
                    text = write_predicate(predicate)
                    raise InvalidInput(f"{text}: data stand in no order of classes")
                return replace(predicate, expression=found)
            case HasProperty(_, property):
                name = ontology.names.property_named(property.name)
                self._require_value(name, predicate.value)
                return replace(predicate, property=Named(name))

    def answer(
        self, predicate: ClassPredicate, individual: Description, value: Term | None
    ) -> Answer:
        """How well an individual answers; `value` is told of it, unless it is described."""
        match predicate:
            case IsA(_, expression):
                is_in = self.individuals.is_member(individual, expression, value)
                return _YES if is_in else _NO
            case HasProperty():
                return self._has(predicate, individual)
            case ClassOrder():
                raise TypeError("an order of classes is asked of a value, not of an individual")

    def value_answer(self, predicate: ClassPredicate, value: Term) -> Answer:
        """How well a value answers, whatever else is told."""
        if isinstance(predicate, ClassOrder):
            told = self.individuals.class_named(value)
            is_so = told is not None and self._stands(Named(told), predicate)
            return _YES if is_so else _NO
        return self.answer(predicate, self.individuals.named(value), value)

    def is_ordered(self, name: str) -> bool:
        """Whether a class stands in the order of classes, as all but the first and last ones do."""
        return name not in _ENDS and name in self.individuals.ontology.classes

    def told(self, individual: Description, value: Term) -> str:
        """What a person calls an individual: its name or its classes, and what is told of it."""
        short = self.individuals.ontology.names.short
        if individual.name is not None:
            called = short(individual.name)
        else:
            called = " and ".join(map(short, individual.types)) or str(value)
        facts = [
            f"{short(property)} {self.told(one, _UNNAMED) if isinstance(one, Description) else one}"
            for property, one in individual.facts[:_FACTS_TOLD]
        ]
        return f"{called} with {', '.join(facts)}" if facts else called

    def _stands(self, told: Named, predicate: ClassOrder) -> bool:
        """Whether a class stands to the asked one as the predicate says."""
        asked = predicate.expression
        below, above = self._contains(asked, told), self._contains(told, asked)
        match predicate.relation:
            case ClassRelation.MORE_SPECIFIC:
                return below and not above
            case ClassRelation.LESS_SPECIFIC:
                return above and not below
            case ClassRelation.EQUIVALENT:
                return below and above

    def _contains(self, wider: ClassExpression, narrower: ClassExpression) -> bool:
        ontology = self.individuals.ontology
        if isinstance(wider, Named) and isinstance(narrower, Named):
            names = wider.name, narrower.name
            if all(map(self.is_ordered, names)):
                return ontology.subsumes(*names)
        return ontology.subsumes_expression(wider, narrower)

    def _require_value(self, property: str, asked: AskedValue) -> None:
        """`UnknownName` if a text is to name an individual, and names none; an IRI may be new."""
        is_data = self.individuals.ontology.names.is_data_property(property)
        if not is_data and asked.approximation is None and isinstance(asked.term, Text):
            self.individuals.require_individual(asked.term.text)

    def _has(self, predicate: HasProperty, individual: Description) -> Answer:
        """The best answer among the values that an individual has of the property."""
        values = self.individuals.values_of(individual, predicate.property.name)
        if not values:
            return _NO
        if predicate.value.approximation is None:
            return _YES if any(self._holds(one, predicate) for one in values) else _NO
        near = [self._nearness(one, predicate) for one in values]
        is_like = predicate.operator is Operator.EQUAL
        return Answer(max(near) if is_like else 1.0 - min(near), True)

    def _holds(self, told: Description | Term, predicate: HasProperty) -> bool:
        operator, asked = predicate.operator, plain_term(predicate.value)
        if not isinstance(told, Description):
            unit = self._measures.unit_of(Resource(predicate.property.name))
            return holds(told, operator, asked, unit=unit)
        is_same = self._is_named(told, asked)
        return (operator is Operator.EQUAL and is_same) or (
            operator is Operator.NOT_EQUAL and not is_same
        )

    def _is_named(self, told: Description, asked: Term) -> bool:
        """Whether a value that is an individual is the one asked for, by a name or a text of it."""
        if not isinstance(asked, Text | Resource):
            return False
        if self.individuals.is_same(told, asked):
            return True
        return told.name is not None and folded(said(Resource(told.name))) == folded(str(asked))

    def _nearness(self, told: Description | Term, predicate: HasProperty) -> float:
        asked: AskedValue = predicate.value
        if self._holds(told, replace(predicate, operator=Operator.EQUAL)):
            return 1.0
        words = self._words_of(told)
        if words is None or asked.approximation is None:
            return 0.0
        measure = self._measures.for_values(asked.approximation.measure)
        return float(measure.matrix([said(plain_term(asked))], [words])[0, 0])

    def _words_of(self, told: Description | Term) -> str | None:
        """What a value says for a measure, if it says words."""
        if isinstance(told, Description):
            name = told.name or next(iter(told.types), None)
            return said(Resource(name)) if name is not None and ":" in name else None
        return said(told) if says_words(told) else None
