"""What follows from an ontology: first by saturation, and beyond OWL 2 EL by a tableau."""

from __future__ import annotations

from functools import cached_property, lru_cache

from purport.model.class_expression import ClassExpression, Named, Or
from purport.ontology.axioms import NOTHING, Axioms, SubClass
from purport.ontology.el_profile import is_beyond_el, is_union_of_el
from purport.ontology.errors import OntologyError
from purport.ontology.hierarchy import Hierarchy
from purport.ontology.saturation.model import Model
from purport.ontology.saturation.rules import BOTTOM, TOP, Rules
from purport.ontology.saturation.showing import put, shows
from purport.ontology.tableaux.tableau import Tableau

MOST_CLASSES_FOR_TABLEAU = 3000
MOST_CONCEPTS = 200_000  # that a tableau remembers of questions
_REMEMBERED = 4096


class Reasoner:
    """Answers questions about classes; a yes is always right.

    A no is right for axioms and expressions of OWL 2 EL with numeric facets. Beyond it the tableau
    looks as far as its bounds allow: for expressions in any ontology, for axioms in one of up to
    3,000 classes.
    """

    def __init__(self, axioms: Axioms) -> None:
        self.axioms = axioms
        self.is_beyond_el = is_beyond_el(axioms)
        self.model = Model.of(Rules(axioms))
        self._refuse_contradiction()
        if self._looks_beyond:
            self._look_further()
        self._element_of = lru_cache(maxsize=_REMEMBERED)(self._new_element)

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.axioms, self.is_beyond_el, self.model)

    @property
    def _looks_beyond(self) -> bool:
        return self.is_beyond_el and len(self.axioms.classes) <= MOST_CLASSES_FOR_TABLEAU

    @cached_property
    def tableau(self) -> Tableau:
        """What looks beyond saturation."""
        return Tableau(self.axioms)

    @cached_property
    def classes(self) -> Hierarchy:
        """The order of the named classes."""
        model = self.model
        elements = {name: model.element(number) for name, number in model.rules.names.items()}
        above = {name: model.types_of(element) for name, element in elements.items()}
        unsatisfiable = [name for name, one in elements.items() if BOTTOM in model.concepts[one]]
        return Hierarchy.of(above, unsatisfiable)

    @cached_property
    def properties(self) -> Hierarchy:
        """The order of the properties."""
        named = self.axioms.object_properties | self.axioms.data_properties
        order = self.model.rules.order
        return Hierarchy.of({name: order.named_above(name) for name in sorted(named)})

    def types_shown(self, individual: str) -> frozenset[str]:
        """The named classes that an individual is in, in every world."""
        return self.model.types_of(self.model.element(self.model.rules.individuals[individual]))

    def classes_above(self, expression: ClassExpression) -> frozenset[str]:
        """The named classes that are shown to contain an expression: all, in OWL 2 EL."""
        model, element = self._element_of(expression)
        return model.types_of(element)

    def subsumes(self, wider: ClassExpression, narrower: ClassExpression) -> bool:
        """Whether everything in the narrower is in the wider; names are full IRIs."""
        if isinstance(narrower, Or) and all(self.subsumes(wider, one) for one in narrower.operands):
            return True
        model, element = self._element_of(narrower)
        if BOTTOM in model.concepts[element] or shows(model, element, wider):
            return True
        if not self._looks_beyond and is_union_of_el(narrower) and is_union_of_el(wider):
            return False
        if self.tableau.growth > MOST_CONCEPTS:
            del self.tableau
        return self.tableau.subsumes(wider, narrower)

    def _new_element(self, expression: ClassExpression) -> tuple[Model, int]:
        model = self.model.branch()
        element = model.new()
        put(model, element, expression)
        model.settle()
        return model, element

    def _refuse_contradiction(self) -> None:
        model = self.model
        if BOTTOM in model.concepts[model.element(TOP)]:
            raise OntologyError("the ontology contradicts itself: nothing can be in owl:Thing")
        for name, number in model.rules.individuals.items():
            if BOTTOM in model.concepts[model.element(number)]:
                is_small = len(self.axioms.classes) <= MOST_CLASSES_FOR_TABLEAU
                if is_small and not self.tableau.is_consistent():
                    raise OntologyError(f"the ontology contradicts itself: {self.tableau.clash}")
                raise OntologyError(
                    f"the ontology contradicts itself: what it says of <{name}> cannot be"
                )

    def _look_further(self) -> None:
        if not self.tableau.is_consistent():
            raise OntologyError(f"the ontology contradicts itself: {self.tableau.clash}")
        classes = self.classes
        known = {
            name: frozenset({NOTHING.name})
            if name in classes.unsatisfiable
            else classes.ancestors(name) | classes.equivalents(name)
            for name in classes.names
        }
        found = self.tableau.classify_beyond(known)
        new = [
            SubClass(Named(name), Named(wider))
            for name, above in found.items()
            for wider in sorted(above - known[name] - {name})
        ]
        if new:
            rules = self.model.rules
            for axiom in new:
                rules.imply(axiom.narrower, axiom.wider)
            self.model = Model.of(rules)
            del self.classes


def _restored(axioms: Axioms, is_beyond: bool, model: Model) -> Reasoner:
    """A reasoner as it was, without classifying anew."""
    reasoner = Reasoner.__new__(Reasoner)
    reasoner.axioms, reasoner.is_beyond_el, reasoner.model = axioms, is_beyond, model
    reasoner._element_of = lru_cache(maxsize=_REMEMBERED)(reasoner._new_element)
    return reasoner
