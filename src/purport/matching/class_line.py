"""First-line matchers for classes: is what a statement tells of one that is asked for?

The statement names an individual by its value. One that says a type, `type` or `wine.type`, tells
of the individual that its level describes; `wine.type` is a statement about `wine` too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from purport.matching.asked import ClassPredicate, RowPredicate, is_near_value
from purport.matching.attribute_side import Allowed
from purport.matching.class_answers import ClassAnswers
from purport.matching.first_line import FirstLine, Side
from purport.matching.individuals import thing_of
from purport.model.event import Event
from purport.model.language.write import write_predicate
from purport.model.subscription import AskedAttribute, ClassOrder, HasProperty, IsA
from purport.model.term import Text
from purport.model.words import said
from purport.relatedness.measure import Scores


@dataclass(frozen=True, slots=True)
class ClassLine(FirstLine):
    """The class that a value is in, the property that it has, or its rank among classes.

    `predicate` has the names as the subscriber wrote them, `asked` has full IRIs.
    """

    predicate: ClassPredicate
    asked: ClassPredicate
    answers: ClassAnswers

    @property
    def is_sharp(self) -> bool:
        """Whether no number can be an answer, nor anything that has not the property."""
        if isinstance(self.asked, IsA):
            return not self.answers.individuals.may_be_anything(self.asked.expression)
        return not is_near_value(self.asked)

    def rows(self, *, is_required: bool) -> tuple[RowPredicate, ...]:
        """The predicate itself."""
        return (self.asked,)

    def _names(self, event: Event) -> tuple[Scores, Allowed]:
        """How attributes score, each by its own name or by that of the thing that it types."""
        told = [one.attribute for one in event.statements]
        names, named = self.attribute.scores(told)
        things = [thing_of(one) or one for one in told]
        if things == told:
            return names, named
        scores, allowed = self.attribute.scores(things)
        return np.maximum(names, scores), named | allowed

    def _values(self, event: Event, named: Allowed) -> tuple[Scores, Allowed]:
        described = self.answers.individuals.described_in(event)
        found = []
        for place, one in enumerate(event.statements):
            if place in described and not isinstance(self.asked, ClassOrder):
                found.append(self.answers.answer(self.asked, described[place], None))
            else:
                found.append(self.answers.value_answer(self.asked, one.value))
        scores = np.array([one.score for one in found], np.float32).astype(np.float64)
        return scores, np.array([one.is_allowed for one in found], np.bool_)

    def _value_side(self, event: Event, scores: Scores) -> Side:
        asked = write_predicate(self.predicate)
        side = "property" if isinstance(self.asked, HasProperty) else "class"
        told = tuple(said(one.value) for one in event.statements)
        return Side(side, "the ontology", None, (asked,), told, scores, self._reasons(event))

    def _reasons(self, event: Event) -> tuple[str, ...]:
        """For each statement what is said of whom, such as `RedWine isa Wine`."""
        individuals = self.answers.individuals
        described = individuals.described_in(event)
        somebody = replace(self.predicate, attribute=AskedAttribute(Text("it")))
        asked = write_predicate(somebody).removeprefix("it")
        found = []
        for place, one in enumerate(event.statements):
            individual = described.get(place) or individuals.named(one.value)
            found.append(f"{self.answers.told(individual, one.value)}{asked}")
        return tuple(found)
