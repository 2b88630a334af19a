"""What one statement must say of classes, and when that follows from what another says."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from purport.covering.known_classes import KnownClasses, Spelt
from purport.covering.limits import Kind, Limit
from purport.errors import InvalidInput
from purport.matching.asked import ClassPredicate, plain_term
from purport.matching.individuals import TYPE
from purport.matching.keys import Key, asked_attribute_key
from purport.model.class_expression import Named
from purport.model.comparison import Operator
from purport.model.language.write import write_predicate
from purport.model.subscription import (
    AskedAttribute,
    ClassOrder,
    ClassRelation,
    HasProperty,
    IsA,
)
from purport.ontology.description import is_type_name

_EQUALITIES = (Operator.EQUAL, Operator.NOT_EQUAL)
_NAMES = (Kind.TEXT, Kind.IRI)


@dataclass(frozen=True, slots=True)
class ClassCondition:
    """What one statement must say of classes; `text` is the predicate but for its attribute.

    Without an ontology, or with a name that it does not know, it implies itself and nothing else.
    """

    attribute: Key
    text: str
    predicate: ClassPredicate = field(compare=False)
    spelt: Spelt | None = field(compare=False)  # the expression of an `isa`
    classes: KnownClasses | None = field(compare=False, repr=False)

    @classmethod
    def of(cls, predicate: ClassPredicate, classes: KnownClasses | None) -> ClassCondition:
        """The condition of a predicate without `~`."""
        if classes is not None:
            try:
                predicate = _resolved(predicate, classes)
            except InvalidInput:
                classes = None
        key = asked_attribute_key(predicate.attribute.term)
        text = write_predicate(replace(predicate, attribute=AskedAttribute(TYPE)))
        spelt = Spelt.of(predicate.expression) if isinstance(predicate, IsA) else None
        return cls(key, text, predicate, spelt, classes)

    def implies(self, other: ClassCondition) -> bool:
        """Whether each statement that meets this condition meets the other, too."""
        if self.attribute != other.attribute:
            return False
        if self.text == other.text:
            return True
        if self.classes is None or other.classes is None:
            return False
        if self.spelt is not None and other.spelt is not None:
            return self.classes.contains(other.spelt, self.spelt)
        match self.predicate, other.predicate:
            case ClassOrder() as mine, ClassOrder() as its:
                return _stands_so(mine, its, self.classes)
            case HasProperty() as mine, HasProperty() as its:
                return _has(mine, its, self.classes)
        return False


def _resolved(predicate: ClassPredicate, classes: KnownClasses) -> ClassPredicate:
    """A predicate with full IRIs, as `ClassAnswers.resolved` makes it."""
    ontology = classes.ontology
    if is_type_name(str(predicate.attribute.term)):
        predicate = replace(predicate, attribute=AskedAttribute(TYPE))
    match predicate:
        case IsA(_, expression) | ClassOrder(_, _, expression):
            return replace(predicate, expression=ontology.resolved(expression))
        case HasProperty(_, property):
            return replace(predicate, property=Named(ontology.names.property_named(property.name)))


def _stands_so(mine: ClassOrder, its: ClassOrder, classes: KnownClasses) -> bool:
    """Whether what stands so to the one class stands so to the other, by their own order."""
    one, other = mine.expression, its.expression
    if not isinstance(one, Named) or not isinstance(other, Named):
        return False
    if not classes.is_ordered(one) or not classes.is_ordered(other):
        return False
    if mine.relation is ClassRelation.EQUIVALENT:
        return classes.stands(one, its.relation, other)
    is_same = classes.stands(one, ClassRelation.EQUIVALENT, other)
    return mine.relation is its.relation and (is_same or classes.stands(one, its.relation, other))


def _has(mine: HasProperty, its: HasProperty, classes: KnownClasses) -> bool:
    """Whether a value that answers the one answers the other, too.

    A name may stand for an individual, which may have others: only the same name will do. The name
    of a property may imply a unit, in which bare numbers are compared.
    """
    if not classes.has_below(its.property.name, mine.property.name):
        return False
    told, asked = plain_term(mine.value), plain_term(its.value)
    limit, other = Limit.of(mine.operator, told), Limit.of(its.operator, asked)
    if mine.property != its.property and Kind.NUMBER in (limit.kind, other.kind):
        return False
    if limit.kind in _NAMES and other.kind in _NAMES and mine.operator in _EQUALITIES:
        return mine.operator is its.operator and told == asked
    return limit.implies(other)
