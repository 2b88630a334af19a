"""What py-horned-owl reads of OWL/XML, functional and Manchester syntax, as axioms of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyhornedowl.model as model

from purport.ontology import axioms as told
from purport.ontology.axioms import Characteristic
from purport.ontology.owl.collection import Collection
from purport.ontology.owl.horned_expressions import HornedExpressions
from purport.ontology.owl.normal_forms import Statement, disjoint_union, equivalent_properties
from purport.ontology.vocabulary import LABELS

_CHARACTERISTICS = {
    model.FunctionalObjectProperty: Characteristic.FUNCTIONAL,
    model.FunctionalDataProperty: Characteristic.FUNCTIONAL,
    model.InverseFunctionalObjectProperty: Characteristic.INVERSE_FUNCTIONAL,
    model.TransitiveObjectProperty: Characteristic.TRANSITIVE,
    model.SymmetricObjectProperty: Characteristic.SYMMETRIC,
    model.AsymmetricObjectProperty: Characteristic.ASYMMETRIC,
    model.ReflexiveObjectProperty: Characteristic.REFLEXIVE,
    model.IrreflexiveObjectProperty: Characteristic.IRREFLEXIVE,
}
_IGNORED = {
    model.SubAnnotationPropertyOf: "axioms about annotations",
    model.AnnotationPropertyDomain: "axioms about annotations",
    model.AnnotationPropertyRange: "axioms about annotations",
    model.OntologyAnnotation: "annotations",
    model.HasKey: "keys",
    model.Rule: "rules (SWRL)",
}


def add_components(components: Iterable[Any], collection: Collection, blanks: str) -> None:
    """Add what py-horned-owl read to a collection.

    It keeps components in no order, so they are put into one. Individuals without a name are called
    `_:`, `blanks`, and what the file calls them.
    """
    reader = _HornedReader(collection, HornedExpressions(blanks))
    for annotated in sorted(components, key=lambda one: str(one.component)):
        collection.ignored["annotations"] += len(annotated.ann)
        reader.read(annotated.component)


class _HornedReader:
    """One method for each family of components."""

    def __init__(self, collection: Collection, expressions: HornedExpressions) -> None:
        self._collection = collection
        self._expressions = expressions
        self._declared: dict[type, set[str]] = {
            model.DeclareClass: collection.classes,
            model.DeclareObjectProperty: collection.object_properties,
            model.DeclareDataProperty: collection.data_properties,
            model.DeclareAnnotationProperty: collection.annotation_properties,
            model.DeclareNamedIndividual: collection.individuals,
            model.DeclareDatatype: collection.datatypes,
        }
        self._axioms: dict[type, Callable[[Any], Iterable[told.Axiom]]] = {
            **dict.fromkeys(_CHARACTERISTICS, self._characteristic),
            model.SubClassOf: self._sub_class,
            model.EquivalentClasses: self._classes(told.EquivalentClasses),
            model.DisjointClasses: self._classes(told.DisjointClasses),
            model.DisjointUnion: self._disjoint_union,
            model.SubObjectPropertyOf: self._sub_property,
            model.SubDataPropertyOf: self._sub_property,
            model.EquivalentObjectProperties: self._equivalent_properties,
            model.EquivalentDataProperties: self._equivalent_properties,
            model.DisjointObjectProperties: self._disjoint_properties,
            model.DisjointDataProperties: self._disjoint_properties,
            model.InverseObjectProperties: self._inverse_properties,
            model.ObjectPropertyDomain: self._domain,
            model.DataPropertyDomain: self._domain,
            model.ObjectPropertyRange: self._range,
            model.DataPropertyRange: self._range,
            model.ClassAssertion: self._class_assertion,
            model.ObjectPropertyAssertion: self._property_assertion,
            model.DataPropertyAssertion: self._property_assertion,
            model.NegativeObjectPropertyAssertion: self._denial,
            model.NegativeDataPropertyAssertion: self._denial,
            model.SameIndividual: self._individuals(told.SameIndividuals),
            model.DifferentIndividuals: self._individuals(told.DifferentIndividuals),
        }

    def read(self, component: Any) -> None:
        """Add what one component says; what is nothing to us is counted."""
        kind = type(component)
        if kind in self._axioms:
            self._collection.add(*self._axioms[kind](component))
        elif kind in self._declared:
            self._declared[kind].add(str(component.first.first))
        elif kind is model.AnnotationAssertion:
            self._annotation(component)
        elif kind is model.DatatypeDefinition:
            name = str(component.kind.first)
            self._collection.definitions[name] = self._expressions.expression(component.range)
        elif kind in _IGNORED:
            self._collection.ignored[_IGNORED[kind]] += 1

    def _annotation(self, component: Any) -> None:
        self._collection.ignored["annotations"] += 1
        subject, value = component.subject, component.ann.av
        is_label = str(component.ann.ap.first) in LABELS and hasattr(value, "literal")
        if is_label and not isinstance(subject, model.AnonymousIndividual):
            self._collection.add_label(str(subject), value.literal)

    def _characteristic(self, component: Any) -> Iterable[told.Axiom]:
        name = self._expressions.property(component.first)
        yield told.PropertyIs(name, _CHARACTERISTICS[type(component)])

    def _sub_class(self, component: Any) -> Iterable[told.Axiom]:
        read = self._expressions.expression
        yield told.SubClass(read(component.sub), read(component.sup))

    def _classes(
        self, make: type[told.EquivalentClasses] | type[told.DisjointClasses]
    ) -> Callable[[Any], Iterable[told.Axiom]]:
        def axioms(component: Any) -> Iterable[told.Axiom]:
            yield make(tuple(map(self._expressions.expression, component.first)))

        return axioms

    def _individuals(
        self, make: type[told.SameIndividuals] | type[told.DifferentIndividuals]
    ) -> Callable[[Any], Iterable[told.Axiom]]:
        def axioms(component: Any) -> Iterable[told.Axiom]:
            yield make(tuple(map(self._expressions.individual, component.first)))

        return axioms

    def _disjoint_union(self, component: Any) -> Iterable[told.Axiom]:
        read = self._expressions.expression
        return disjoint_union(read(component.first), tuple(map(read, component.second)))

    def _sub_property(self, component: Any) -> Iterable[told.Axiom]:
        read = self._expressions.property
        if isinstance(component.sub, list):
            yield told.PropertyChain(tuple(map(read, component.sub)), read(component.sup))
        else:
            yield told.SubProperty(read(component.sub), read(component.sup))

    def _equivalent_properties(self, component: Any) -> Iterable[told.Axiom]:
        return equivalent_properties(list(map(self._expressions.property, component.first)))

    def _disjoint_properties(self, component: Any) -> Iterable[told.Axiom]:
        yield told.DisjointProperties(tuple(map(self._expressions.property, component.first)))

    def _inverse_properties(self, component: Any) -> Iterable[told.Axiom]:
        read = self._expressions.property
        yield told.InverseProperties(read(component.first), read(component.second))

    def _domain(self, component: Any) -> Iterable[told.Axiom]:
        name = self._expressions.property(_property_of(component))
        yield told.Domain(name, self._expressions.expression(component.ce))

    def _range(self, component: Any) -> Iterable[told.Axiom]:
        name = self._expressions.property(_property_of(component))
        given = component.ce if hasattr(component, "ce") else component.dr
        yield told.Range(name, self._expressions.expression(given))

    def _class_assertion(self, component: Any) -> Iterable[told.Axiom]:
        read = self._expressions
        yield told.ClassAssertion(read.individual(component.i), read.expression(component.ce))

    def _property_assertion(self, component: Any) -> Iterable[told.Axiom]:
        said = self._statement(component)
        yield told.PropertyAssertion(said.subject, said.property, said.value)

    def _denial(self, component: Any) -> Iterable[told.Axiom]:
        said = self._statement(component)
        yield told.PropertyDenial(said.subject, said.property, said.value)

    def _statement(self, component: Any) -> Statement:
        read = self._expressions
        subject, value = read.individual(component.source), read.value(component.target)
        return Statement.of(subject, read.property(_property_of(component)), value)


def _property_of(component: Any) -> Any:
    return component.ope if hasattr(component, "ope") else component.dp
