"""What one statement must say of classes, and what of that an ontology lets follow.

Subsumption is OWL's: it holds in every world. An individual that an event describes is judged by
what is told, as if that were all (`purport.ontology.told_individual`), so that a member of the
narrower expression need not be known to be in the wider one. It is for named classes, for what
`and` and `or` make of them, and for all expressions of OWL 2 EL in an ontology of that profile.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from purport.covering.limits import Kind, Limit
from purport.errors import InvalidInput
from purport.matching.asked import ClassPredicate, plain_term
from purport.matching.individuals import TYPE
from purport.matching.keys import Key, asked_attribute_key
from purport.model.class_expression import And, ClassExpression, Named, Or
from purport.model.comparison import Operator
from purport.model.language.write import write_class, write_predicate
from purport.model.subscription import (
    AskedAttribute,
    ClassOrder,
    ClassRelation,
    HasProperty,
    IsA,
)
from purport.ontology.axioms import NOTHING, THING
from purport.ontology.description import is_type_name
from purport.ontology.el_profile import is_beyond_el, is_el
from purport.ontology.expression_index import told_unions
from purport.ontology.ontology import Ontology

_REMEMBERED = 65_536
_EQUALITIES = (Operator.EQUAL, Operator.NOT_EQUAL)


class KnownClasses:
    """What follows for members of classes; without an ontology, nothing but from the same."""

    def __init__(self, ontology: Ontology | None) -> None:
        self._ontology = ontology
        self.contains = lru_cache(maxsize=_REMEMBERED)(self._contains)
        self.is_ordered = lru_cache(maxsize=_REMEMBERED)(self._is_ordered)

    def condition(self, predicate: ClassPredicate) -> ClassCondition:
        """The condition of a predicate without `~`.

        With a name that the ontology does not know, it implies itself and nothing else.
        """
        resolved, is_known = predicate, False
        if self._ontology is not None:
            try:
                resolved, is_known = self._resolved(predicate, self._ontology), True
            except InvalidInput:
                resolved = predicate
        key = asked_attribute_key(resolved.attribute.term)
        anything = replace(resolved, attribute=AskedAttribute(TYPE))
        return ClassCondition(key, write_predicate(anything), resolved, is_known, self)

    def stands(self, one: Named, relation: ClassRelation, other: Named) -> bool:
        """Whether two classes stand so to each other in the order of classes."""
        below, above = self._is_above(other, one), self._is_above(one, other)
        match relation:
            case ClassRelation.MORE_SPECIFIC:
                return below and not above
            case ClassRelation.LESS_SPECIFIC:
                return above and not below
            case ClassRelation.EQUIVALENT:
                return below and above

    def _is_ordered(self, one: ClassExpression) -> bool:
        """Whether it is a class in the order of classes, above something and below something."""
        ontology = self._ontology
        if ontology is None or not isinstance(one, Named) or one in (THING, NOTHING):
            return False
        classes = ontology.classes
        is_proper = one.name in classes and one.name not in classes.unsatisfiable
        return is_proper and not ontology.subsumes_expression(one, THING)

    def all_above(self, name: str) -> frozenset[str]:
        """The classes that contain one, itself among them."""
        assert self._ontology is not None
        classes = self._ontology.classes
        return classes.ancestors(name) | classes.equivalents(name) | {name}

    def has_below(self, wider: str, narrower: str) -> bool:
        """Whether a property contains another one."""
        properties = self._ontology.properties if self._ontology is not None else ()
        if wider == narrower or wider not in properties or narrower not in properties:
            return wider == narrower
        assert self._ontology is not None
        return self._ontology.properties.subsumes(wider, narrower)

    def _resolved(self, predicate: ClassPredicate, ontology: Ontology) -> ClassPredicate:
        if is_type_name(str(predicate.attribute.term)):
            predicate = replace(predicate, attribute=AskedAttribute(TYPE))
        match predicate:
            case IsA(_, expression) | ClassOrder(_, _, expression):
                return replace(predicate, expression=ontology.resolved(expression))
            case HasProperty(_, property):
                name = ontology.names.property_named(property.name)
                return replace(predicate, property=Named(name))

    def _contains(self, wider: ClassExpression, narrower: ClassExpression) -> bool:
        """Whether every individual that is judged to be in the narrower is so in the wider."""
        if wider == THING or write_class(wider) == write_class(narrower):
            return True
        match wider:
            case And(operands):
                return all(self.contains(one, narrower) for one in operands)
            case Or(operands) if any(self.contains(one, narrower) for one in operands):
                return True
        match narrower:
            case And(operands) if any(self.contains(wider, one) for one in operands):
                return True
            case Or(operands) if narrower not in self._unions:
                return all(self.contains(wider, one) for one in operands)
        if isinstance(wider, Named) and isinstance(narrower, Named):
            return self.is_ordered(narrower) and self._is_above(wider, narrower)
        return self._follows_in_el(wider, narrower)

    def _is_above(self, wider: Named, narrower: Named) -> bool:
        assert self._ontology is not None
        classes = self._ontology.classes
        return wider.name in classes and classes.subsumes(wider.name, narrower.name)

    def _follows_in_el(self, wider: ClassExpression, narrower: ClassExpression) -> bool:
        if not self._is_el or not is_el(wider) or not is_el(narrower):
            return False
        assert self._ontology is not None
        asks = self._ontology.subsumes_expression
        return asks(wider, narrower) and not asks(NOTHING, narrower)

    @cached_property
    def _is_el(self) -> bool:
        return self._ontology is not None and not is_beyond_el(self._ontology.axioms)

    @cached_property
    def _unions(self) -> frozenset[Or]:
        return told_unions(self._ontology.axioms) if self._ontology is not None else frozenset()


@dataclass(frozen=True, slots=True)
class ClassCondition:
    """What one statement must say of classes; `text` is the predicate but for its attribute."""

    attribute: Key
    text: str
    predicate: ClassPredicate = field(compare=False)
    is_known: bool = field(compare=False)
    classes: KnownClasses = field(compare=False, repr=False)

    def implies(self, other: ClassCondition) -> bool:
        """Whether each statement that meets this condition meets the other, too."""
        if self.attribute != other.attribute:
            return False
        if self.text == other.text:
            return True
        if not self.is_known or not other.is_known:
            return False
        match self.predicate, other.predicate:
            case IsA(_, narrower), IsA(_, wider):
                return self.classes.contains(wider, narrower)
            case ClassOrder() as mine, ClassOrder() as its:
                return self._is_ordered_so(mine, its)
            case HasProperty() as mine, HasProperty() as its:
                return self._has(mine, its)
        return False

    def _is_ordered_so(self, mine: ClassOrder, its: ClassOrder) -> bool:
        """Whether what stands so to the one class stands so to the other, by their own order."""
        one, other, classes = mine.expression, its.expression, self.classes
        if not isinstance(one, Named) or not isinstance(other, Named):
            return False
        if not classes.is_ordered(one) or not classes.is_ordered(other):
            return False
        if mine.relation is ClassRelation.EQUIVALENT:
            return classes.stands(one, its.relation, other)
        if mine.relation is not its.relation:
            return False
        return classes.stands(one, ClassRelation.EQUIVALENT, other) or classes.stands(
            one, its.relation, other
        )

    def _has(self, mine: HasProperty, its: HasProperty) -> bool:
        """Whether a value that answers the one answers the other, too.

        A name may stand for an individual, which has several: only the same one is the same.
        """
        if not self.classes.has_below(its.property.name, mine.property.name):
            return False
        told, asked = plain_term(mine.value), plain_term(its.value)
        limit, other = Limit.of(mine.operator, told), Limit.of(its.operator, asked)
        is_same_property = mine.property == its.property
        if not is_same_property and Kind.NUMBER in (limit.kind, other.kind):
            return False  # the property's name may imply a unit
        names = (Kind.TEXT, Kind.IRI)
        if limit.kind in names and other.kind in names and mine.operator in _EQUALITIES:
            return mine.operator is its.operator and told == asked
        return limit.implies(other)
