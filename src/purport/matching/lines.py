"""From predicates to their first-line matchers."""

from __future__ import annotations

from purport.errors import InvalidInput
from purport.matching.asked import (
    BagPredicate,
    ClassPredicate,
    MatchedPredicate,
    asked_values,
)
from purport.matching.attribute_side import attribute_side
from purport.matching.bag_line import BagLine
from purport.matching.class_answers import ClassAnswers
from purport.matching.class_line import ClassLine
from purport.matching.first_line import FirstLine, ValueLine
from purport.matching.measures import Measures
from purport.model.language.write import write_predicate


def line_of(
    predicate: MatchedPredicate, measures: Measures, classes: ClassAnswers | None
) -> FirstLine:
    """The first-line matcher of a predicate; `measures` are found by name.

    `InvalidInput` if it asks for classes, and there is no ontology or not one that knows them.
    """
    for asked in asked_values(predicate):
        if asked.approximation is not None:
            measures.for_values(asked.approximation.measure)
    if isinstance(predicate, BagPredicate):
        return BagLine(predicate, attribute_side(predicate.attribute, measures), measures)
    if not isinstance(predicate, ClassPredicate):
        return ValueLine(predicate, attribute_side(predicate.attribute, measures), measures)
    if classes is None:
        text = write_predicate(predicate)
        raise InvalidInput(f"{text} asks an ontology, and none is given (ontology=, --ontology)")
    resolved = classes.resolved(predicate)
    attribute = attribute_side(resolved.attribute, measures)
    return ClassLine(predicate, attribute, measures, resolved, classes)
