"""The classes and properties that predicates ask for, and which of them a told word answers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain

from purport.matching.asked import ClassPredicate
from purport.matching.class_answers import ClassAnswers
from purport.model.class_expression import Named
from purport.model.subscription import ClassOrder, ClassRelation, HasProperty, IsA
from purport.model.term import Term, Text
from purport.ontology.description import Description

Filed = dict[str, list[int]]


class ClassSides:
    """Sides under what an individual, or a class, must have in common with them.

    `looked_at` counts the sides that words were compared with: it shows what the index saves.
    """

    def __init__(self, answers: ClassAnswers) -> None:
        self.answers = answers
        self.looked_at = 0
        self._predicates: dict[int, ClassPredicate] = {}
        self._expressions = answers.individuals.index()
        self._by_property: Filed = {}
        self._by_class: dict[ClassRelation, Filed] = {one: {} for one in ClassRelation}
        self._of_expressions: list[int] = []

    def __len__(self) -> int:
        return len(self._predicates)

    def predicate(self, side: int) -> ClassPredicate:
        """The predicate of a side."""
        return self._predicates[side]

    def add(self, side: int, predicate: ClassPredicate) -> None:
        """File a side under a new number, higher than those before."""
        self._predicates[side] = predicate
        match predicate:
            case IsA(_, expression):
                self._expressions.add(expression, side)
            case HasProperty(_, Named(name)):
                self._by_property.setdefault(name, []).append(side)
            case ClassOrder(_, relation, Named(name)) if self.answers.is_ordered(name):
                self._by_class[relation].setdefault(name, []).append(side)
            case ClassOrder():
                self._of_expressions.append(side)

    def scores(self, word: Term, first: int) -> list[tuple[int, float]]:
        """The sides, from a number on, that a word answers, and how well."""
        individual = self.answers.individuals.named(word)
        sides = [*self.of_individual(individual, first), *self._of_class(word, first)]
        self.looked_at += len(sides)
        found = ((side, self.score(side, word)) for side in sorted(sides))
        return [(side, score) for side, score in found if score > 0]

    def score(self, side: int, word: Term) -> float:
        """How well a word answers a side."""
        return self.answers.value_answer(self._predicates[side], word).score

    def of_individual(self, individual: Description, first: int = 0) -> list[int]:
        """The sides that an individual may answer, by its classes and its properties."""
        individuals = self.answers.individuals
        found = self._expressions.candidates(individuals.types_of(individual), first)
        for name, sides in self._by_property.items():
            new = sides[bisect_left(sides, first) :]
            if new and individuals.values_of(individual, name):
                found += new
        return found

    def knows(self, text: str) -> bool:
        """Whether a text that says no words is a name."""
        if not self._predicates or not self.answers.individuals.has_wordless_names:
            return False
        named = self.answers.individuals.named(Text(text))
        return named.name is not None or bool(named.types)

    def may_be_anything(self, side: int) -> bool:
        """Whether a number may answer a side."""
        predicate = self._predicates[side]
        individuals = self.answers.individuals
        return isinstance(predicate, IsA) and individuals.may_be_anything(predicate.expression)

    def _of_class(self, word: Term, first: int) -> Iterator[int]:
        """The sides that a class may answer by its place among the others."""
        told = self.answers.individuals.class_named(word)
        if told is None:
            return
        yield from self._of_expressions[bisect_left(self._of_expressions, first) :]
        if not self.answers.is_ordered(told):
            lists = chain.from_iterable(filed.values() for filed in self._by_class.values())
            yield from (side for sides in lists for side in sides if side >= first)
            return
        classes = self.answers.individuals.ontology.classes
        near = {
            ClassRelation.MORE_SPECIFIC: classes.ancestors,
            ClassRelation.LESS_SPECIFIC: classes.descendants,
            ClassRelation.EQUIVALENT: classes.equivalents,
        }
        for relation, filed in self._by_class.items():
            for name in filed.keys() & near[relation](told) if filed else ():
                yield from filed[name][bisect_left(filed[name], first) :]
