"""An ontology: which class contains which, and what is a member of what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from purport.model.class_expression import ClassExpression
from purport.model.term import Attribute, Resource, Term, Text
from purport.ontology.axioms import Axioms
from purport.ontology.data_ranges import data_range, is_data_range
from purport.ontology.description import Description, is_type_name
from purport.ontology.encodings import Encodings
from purport.ontology.errors import UnknownName
from purport.ontology.hierarchy import Hierarchy
from purport.ontology.manchester import parse_class_expression
from purport.ontology.membership import Membership, readings
from purport.ontology.names import Names
from purport.ontology.prime_assignment import Objective
from purport.ontology.prime_encoding import Encoding
from purport.ontology.reading import read_ontology
from purport.ontology.reasoner import Reasoner
from purport.ontology.resolving import resolved


class Ontology:
    """Classes, properties and individuals, classified.

    >>> ontology = Ontology.load("wine.rdf")  # doctest: +SKIP
    >>> ontology.subsumes("wine:Wine", "wine:RedWine")  # doctest: +SKIP
    True

    A name is a full IRI, a prefixed name, or the last part or the label of one where that is
    enough to tell it. `OntologyError` if the files are no ontology or contradict themselves.
    """

    def __init__(self, reasoner: Reasoner) -> None:
        self._reasoner = reasoner
        self.axioms = reasoner.axioms
        self.names = Names(reasoner.axioms)
        self._membership = Membership(reasoner)

    @classmethod
    def load(
        cls,
        *paths: Path | str,
        imports: Sequence[Path | str] = (),
        ignores_missing_imports: bool = False,
    ) -> Self:
        """The ontology that files make together.

        What they import is looked for among the files, in `imports` (files or folders) and beside
        the file that imports it.
        """
        axioms = read_ontology(
            paths,
            imports=[Path(one) for one in imports],
            ignores_missing_imports=ignores_missing_imports,
        )
        return cls.of_axioms(axioms)

    @classmethod
    def of_axioms(cls, axioms: Axioms) -> Self:
        """The ontology that says this."""
        return cls(Reasoner(axioms))

    def __reduce__(self) -> tuple[type[Ontology], tuple[Reasoner]]:
        return Ontology, (self._reasoner,)

    @cached_property
    def classes(self) -> Hierarchy:
        """The order of the classes."""
        return self._reasoner.classes

    @property
    def properties(self) -> Hierarchy:
        """The order of the properties."""
        return self._reasoner.properties

    @cached_property
    def encodings(self) -> Encodings:
        """The genes and codes of classes, individuals and properties."""
        return self.encoded()

    def encoded(self, objective: Objective | str = Objective.TOTAL) -> Encodings:
        """The same, with short codes in all or with a short longest one."""
        individuals = {
            name: sorted(self.types_of(Description(name)))
            for name in sorted(self.axioms.individuals - self.axioms.classes)
        }
        return Encodings.of(self.classes, self.properties, individuals, objective=objective)

    def gene(self, name: str) -> int:
        """The prime of a class, an individual or a property.

        Classes and individuals share one row of primes, properties have one of their own.
        """
        encoding, iri = self._encoded(name)
        return encoding.gene(iri)

    def code(self, name: str) -> int:
        """The product of a name's own prime with those of all above it."""
        encoding, iri = self._encoded(name)
        return encoding.code(iri)

    def subsumes(self, wider: str, narrower: str) -> bool:
        """Whether one class contains another, or one property another; each contains itself."""
        try:
            return self.classes.subsumes(wider, narrower)
        except UnknownName:  # not in full, or not classes
            return self._subsumes_named(wider, narrower)

    def expression(self, text: str) -> ClassExpression:
        """A class expression in Manchester syntax, with full IRIs."""
        return self.resolved(parse_class_expression(text))

    def resolved(self, expression: ClassExpression) -> ClassExpression:
        """An expression with full IRIs; `UnknownName` with the nearest names otherwise."""
        return resolved(expression, self.names)

    def subsumes_expression(
        self, wider: ClassExpression | str, narrower: ClassExpression | str
    ) -> bool:
        """Whether whatever is in one class expression is in another, as text or as a node."""
        return self._reasoner.subsumes(self._given(wider), self._given(narrower))

    def described(self, value: Term, facts: Sequence[tuple[Attribute, Term]] = ()) -> Description:
        """The individual that a told value names, with what else is told of it.

        The value names an individual that is known here, or a class: then it is some member of it.
        Attributes that name no property say nothing; `hasMaker.locatedIn` tells of the maker.
        """
        text = str(value)
        name, type_name = self.names.find_individual(text), self.names.find_class(text)
        if name is None and type_name is None and isinstance(value, Resource):
            name = value.iri
        types = [] if type_name is None else [type_name]
        told, nested = [], dict[str, list[tuple[Attribute, Term]]]()
        for attribute, term in facts:
            if is_type_name(str(attribute)):
                types += filter(None, [self.names.find_class(str(term))])
            elif (found := self.names.find_property(str(attribute))) is not None:
                told.append((found, self._value(found, term)))
            else:
                head, _, rest = str(attribute).partition(".")
                if rest:
                    nested.setdefault(head, []).append((Text(rest), term))
        told += self._nested(nested)
        return Description(name, tuple(dict.fromkeys(types)), tuple(told))

    def is_member(self, individual: Description | Term, expression: ClassExpression) -> bool:
        """Whether an individual, or the one that a value names, is in an expression.

        The names in the expression are full IRIs, as `resolved` makes them. What is told of the
        individual is taken as all there is: see `purport.ontology.membership`.
        """
        if not isinstance(individual, Description):
            if is_data_range(expression):
                wanted = data_range(expression)
                return any(wanted.contains(read) for read in readings(individual))
            individual = self.described(individual)
        return self._membership.is_member(individual, expression)

    def types_of(self, individual: Description) -> frozenset[str]:
        """Every named class that an individual is in."""
        return self._membership.types_of(individual)

    def values_of(self, individual: Description, property: str) -> tuple[Description | Term, ...]:
        """The values that an individual has of a property or its sub-properties."""
        return self._membership.values_of(individual, property)

    def _subsumes_named(self, wider: str, narrower: str) -> bool:
        names = self.names
        both = names.find_property(wider), names.find_property(narrower)
        if None not in both and None in (names.find_class(wider), names.find_class(narrower)):
            return self.properties.subsumes(
                names.property_named(wider), names.property_named(narrower)
            )
        return self.classes.subsumes(names.class_named(wider), names.class_named(narrower))

    def _encoded(self, name: str) -> tuple[Encoding, str]:
        """Where a name has its numbers, and its full form."""
        found = self.names.named(name)
        encodings = self.encodings
        return (encodings.classes if found in encodings.classes else encodings.properties), found

    def _value(self, property: str, term: Term) -> Description | Term:
        if property in self.axioms.data_properties:
            return term
        return self.described(term) if isinstance(term, Text | Resource) else term

    def _nested(
        self, nested: Mapping[str, Sequence[tuple[Attribute, Term]]]
    ) -> list[tuple[str, Description]]:
        found = []
        for head, facts in nested.items():
            property = self.names.find_property(head)
            if property is not None:
                found.append((property, self._unnamed(facts)))
        return found

    def _unnamed(self, facts: Sequence[tuple[Attribute, Term]]) -> Description:
        types = [str(term) for attribute, term in facts if is_type_name(str(attribute))]
        rest = [one for one in facts if not is_type_name(str(one[0]))]
        found = self.described(Text(types[0]) if types else Text(""), rest)
        more = [self.names.find_class(one) for one in types[1:]]
        return Description(found.name, (*found.types, *filter(None, more)), found.facts)

    def _given(self, given: ClassExpression | str) -> ClassExpression:
        return self.expression(given) if isinstance(given, str) else self.resolved(given)
