"""What the names in axioms are used as: classes, properties, individuals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from purport.model import class_expression as owl
from purport.ontology import axioms as told
from purport.ontology.vocabulary import (
    BUILT_IN_CLASSES,
    BUILT_IN_DATA_PROPERTIES,
    BUILT_IN_OBJECT_PROPERTIES,
    DATATYPES,
)

_OF_OBJECTS = frozenset(told.Characteristic) - {told.Characteristic.FUNCTIONAL}


@dataclass(slots=True)
class Usage:
    """The names that stand for classes, properties and individuals, whether declared or not.

    `data_properties` and `object_properties` are those whose values or form tell their kind;
    `akin` names the properties that are of one kind with a property.
    """

    datatypes: frozenset[str]
    classes: set[str] = field(default_factory=set)
    properties: set[str] = field(default_factory=set)
    data_properties: set[str] = field(default_factory=set)
    object_properties: set[str] = field(default_factory=set)
    individuals: set[str] = field(default_factory=set)
    akin: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, axioms: Iterable[told.Axiom], datatypes: Iterable[str]) -> Usage:
        """How the names in axioms are used, of which some are known to be datatypes."""
        usage = cls(DATATYPES.union(datatypes))
        for axiom in axioms:
            usage._see(axiom)
        usage.classes -= BUILT_IN_CLASSES
        built_in = BUILT_IN_OBJECT_PROPERTIES | BUILT_IN_DATA_PROPERTIES
        for properties in (usage.properties, usage.data_properties, usage.object_properties):
            properties -= built_in
        return usage

    def _see(self, axiom: told.Axiom) -> None:
        match axiom:
            case told.SubClass(narrower, wider):
                self._class(narrower)
                self._class(wider)
            case told.EquivalentClasses(operands) | told.DisjointClasses(operands):
                for operand in operands:
                    self._class(operand)
            case told.ClassAssertion(individual, expression):
                self.individuals.add(individual)
                self._class(expression)
            case told.PropertyAssertion(subject, name, value) | told.PropertyDenial(
                subject, name, value
            ):
                self.individuals.add(subject)
                self._has_value(owl.Named(name), value)
            case told.SameIndividuals(names) | told.DifferentIndividuals(names):
                self.individuals.update(names)
            case _:
                self._see_property(axiom)

    def _see_property(self, axiom: told.Axiom) -> None:
        match axiom:
            case told.SubProperty(narrower, wider):
                self._are_akin((narrower, wider))
            case told.DisjointProperties(properties):
                self._are_akin(properties)
            case told.PropertyChain(steps, wider):
                self._relate_objects((*steps, wider))
            case told.InverseProperties(first, second):
                self._relate_objects((first, second))
            case told.Domain(name, domain):
                self._property(name)
                self._class(domain)
            case told.Range(name, values):
                self._filler(name, values)
            case told.PropertyIs(name, characteristic):
                self._property(name)
                if characteristic in _OF_OBJECTS:
                    self._relate_objects((name,))

    def _class(self, expression: owl.ClassExpression) -> None:
        match expression:
            case owl.Named(name):
                if name not in self.datatypes:
                    self.classes.add(name)
            case owl.And(operands) | owl.Or(operands):
                for operand in operands:
                    self._class(operand)
            case owl.Not(operand):
                self._class(operand)
            case owl.Some(name, filler) | owl.Only(name, filler):
                self._filler(name, filler)
            case owl.HasValue(name, value):
                self._has_value(name, value)
            case owl.HasSelf(name):
                self._relate_objects((name,))
            case owl.Cardinality(name, _, _, counted):
                if counted is None:
                    self._property(name)
                else:
                    self._filler(name, counted)
            case owl.OneOf(members):
                self.individuals.update(one.name for one in members if isinstance(one, owl.Named))
            case owl.Restricted():
                pass

    def _filler(self, name: owl.Property, filler: owl.ClassExpression) -> None:
        self._class(filler)
        if self._is_of_data(filler):
            self.data_properties.add(self._property(name))
        elif not (isinstance(filler, owl.Named) and filler.name in BUILT_IN_CLASSES):
            self.object_properties.add(self._property(name))
        else:
            self._property(name)

    def _is_of_data(self, expression: owl.ClassExpression) -> bool:
        match expression:
            case owl.Named(name):
                return name in self.datatypes
            case owl.And(operands) | owl.Or(operands):
                return any(map(self._is_of_data, operands))
            case owl.Not(operand):
                return self._is_of_data(operand)
            case owl.OneOf(members):
                return not any(isinstance(member, owl.Named) for member in members)
            case owl.Restricted():
                return True
            case _:
                return False

    def _has_value(self, name: owl.Property, value: object) -> None:
        if isinstance(value, owl.Named):
            self.individuals.add(value.name)
            self.object_properties.add(self._property(name))
        else:
            self.data_properties.add(self._property(name))

    def _relate_objects(self, properties: Iterable[owl.Property]) -> None:
        self.object_properties.update(map(self._property, properties))

    def _are_akin(self, properties: Iterable[owl.Property]) -> None:
        names = {self._property(one) for one in properties}
        for name in names:
            self.akin.setdefault(name, set()).update(names)

    def _property(self, name: owl.Property) -> str:
        match name:
            case owl.Named(iri):
                self.properties.add(iri)
                return iri
            case owl.Inverse(owl.Named(iri)):
                self.properties.add(iri)
                self.object_properties.add(iri)
                return iri
