"""What an ontology lets follow for members of classes, as a matcher judges them.

Subsumption is OWL's: it holds in every world. An individual that an event describes is judged by
what is told, as if that were all (`purport.ontology.told_individual`), so that a member of the
narrower expression need not be known to be in the wider one. It is for named classes, for what
`and` and `or` make of them, and for all expressions of OWL 2 EL in an ontology of that profile.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from purport.model.class_expression import And, ClassExpression, Named, Or
from purport.model.language.write import write_class
from purport.model.subscription import ClassRelation
from purport.ontology.axioms import NOTHING, THING
from purport.ontology.el_profile import is_beyond_el, is_el
from purport.ontology.expression_index import told_unions
from purport.ontology.ontology import Ontology

_REMEMBERED = 65_536


@dataclass(frozen=True, slots=True)
class Spelt:
    """A class expression by its text, so that it is found without walking through it."""

    text: str
    expression: ClassExpression = field(compare=False)

    @classmethod
    def of(cls, expression: ClassExpression) -> Spelt:
        """An expression with full IRIs, and its text."""
        return cls(write_class(expression), expression)


class KnownClasses:
    """The order of class expressions with full IRIs; what was asked is remembered."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self.contains = lru_cache(maxsize=_REMEMBERED)(self._contains)
        self.classes_above = lru_cache(maxsize=_REMEMBERED)(self._classes_above)
        self.is_ordered = lru_cache(maxsize=_REMEMBERED)(self._is_ordered)
        self._follows_all_of = lru_cache(maxsize=_REMEMBERED)(self._is_judged_by_all_that_follows)

    def has_below(self, wider: str, narrower: str) -> bool:
        """Whether a property is another one or contains it."""
        properties = self.ontology.properties
        if wider == narrower or wider not in properties or narrower not in properties:
            return wider == narrower
        return properties.subsumes(wider, narrower)

    def stands(self, one: Named, relation: ClassRelation, other: Named) -> bool:
        """Whether two classes stand so to each other in the order of classes."""
        classes = self.ontology.classes
        below, above = (
            classes.subsumes(other.name, one.name),
            classes.subsumes(one.name, other.name),
        )
        match relation:
            case ClassRelation.MORE_SPECIFIC:
                return below and not above
            case ClassRelation.LESS_SPECIFIC:
                return above and not below
            case ClassRelation.EQUIVALENT:
                return below and above

    def _is_ordered(self, one: Named) -> bool:
        """Whether it is a class in the order of classes, neither of all things nor of none."""
        classes = self.ontology.classes
        if one in (THING, NOTHING) or one.name not in classes:
            return False
        is_empty = one.name in classes.unsatisfiable
        return not is_empty and not self.ontology.subsumes_expression(one, THING)

    def _contains(self, wider: Spelt, narrower: Spelt) -> bool:
        """Whether every individual that is judged to be in the narrower is so in the wider."""
        if wider.expression == THING or wider == narrower:
            return True
        match wider.expression:
            case Named(name):
                return name in self.classes_above(narrower)
            case And(operands):
                return all(self.contains(Spelt.of(one), narrower) for one in operands)
            case Or(operands) if any(self.contains(Spelt.of(one), narrower) for one in operands):
                return True
        match narrower.expression:
            case And(operands) if any(self.contains(wider, Spelt.of(one)) for one in operands):
                return True
            case Or(operands) if narrower.expression not in self._told_unions:
                return all(self.contains(wider, Spelt.of(one)) for one in operands)
        return (
            self._follows_all_of(narrower)
            and is_el(wider.expression)
            and self.ontology.subsumes_expression(wider.expression, narrower.expression)
        )

    def _classes_above(self, spelt: Spelt) -> frozenset[str]:
        """The named classes that whoever is judged to be in an expression is judged to be in."""
        found: frozenset[str] = frozenset()
        match spelt.expression:
            case Named(name) as named if self.is_ordered(named):
                classes = self.ontology.classes
                return classes.ancestors(name) | classes.equivalents(name)
            case And(operands):
                found = found.union(*(self.classes_above(Spelt.of(one)) for one in operands))
            case Or(operands) if spelt.expression not in self._told_unions:
                each = (self.classes_above(Spelt.of(one)) for one in operands)
                return frozenset.intersection(*each)
        if self._follows_all_of(spelt):
            found |= self.ontology.classes_above(spelt.expression)
        return found

    def _is_judged_by_all_that_follows(self, spelt: Spelt) -> bool:
        """Whether a member is judged to be in all that the expression is in; not if it has none."""
        return (
            self._is_el
            and is_el(spelt.expression)
            and not self.ontology.subsumes_expression(NOTHING, spelt.expression)
        )

    @cached_property
    def _is_el(self) -> bool:
        return not is_beyond_el(self.ontology.axioms)

    @cached_property
    def _told_unions(self) -> frozenset[Or]:
        """Who is in one of these need not be known to be in a part of it."""
        return told_unions(self.ontology.axioms)
