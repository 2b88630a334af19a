"""An ontology: which class contains which, and what is a member of what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from purport.errors import InvalidInput
from purport.model.class_expression import ClassExpression, Named
from purport.model.language.parse import parse_class
from purport.model.term import Attribute, Term, Text
from purport.ontology.axioms import NOTHING, THING, Axioms
from purport.ontology.codes.encodings import Encodings
from purport.ontology.codes.messages import event_message, subscription_message
from purport.ontology.codes.prime_assignment import Objective
from purport.ontology.codes.prime_encoding import Encoding
from purport.ontology.data.data_ranges import data_range, is_data_range
from purport.ontology.data.readings import readings
from purport.ontology.describing import described
from purport.ontology.description import Description
from purport.ontology.errors import UnknownName
from purport.ontology.hierarchy import Hierarchy
from purport.ontology.membership import Membership
from purport.ontology.names import Names
from purport.ontology.owl.reading import read_ontology
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
        for path in paths or (None,):
            if not isinstance(path, Path | str):
                raise InvalidInput(f"expected a file, or several, got {path!r:.80}")
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
            name: sorted(self._reasoner.types_shown(name))
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
        for name in (wider, narrower):
            if not isinstance(name, str):
                raise InvalidInput(f"expected a name, got {name!r:.80}")
        try:
            return self.classes.subsumes(wider, narrower)
        except UnknownName:  # not in full, or not classes
            return self._subsumes_named(wider, narrower)

    def expression(self, text: str) -> ClassExpression:
        """A class expression in Manchester syntax, with full IRIs."""
        try:
            return self.resolved(parse_class(text))
        except UnknownName as error:
            raise error.in_text(text) from None

    def resolved(self, expression: ClassExpression) -> ClassExpression:
        """An expression with full IRIs; `UnknownName` with the nearest names otherwise."""
        return resolved(expression, self.names)

    def subsumes_expression(
        self, wider: ClassExpression | str, narrower: ClassExpression | str
    ) -> bool:
        """Whether whatever is in one class expression is in another, as text or as a node."""
        return self._reasoner.subsumes(self._given(wider), self._given(narrower))

    def classes_above(self, expression: ClassExpression | str) -> frozenset[str]:
        """The named classes that are known to contain a class expression: all, in OWL 2 EL."""
        return self._reasoner.classes_above(self._given(expression))

    def described(
        self,
        value: Term,
        facts: Sequence[tuple[Attribute, Term]] = (),
        *,
        is_type: bool = False,
    ) -> Description:
        """The individual that a told value names, with what else is told of it.

        Attributes that name no property say nothing: see `purport.ontology.describing`.
        """
        return described(value, facts, self.names, is_type=is_type)

    def realised(self, individual: Description) -> Description:
        """The same with all classes that an individual is in, and that its values are in.

        What has no ontology at hand, such as who reads a message, can judge it then.
        """
        facts = tuple(
            (property, self._realised_value(property, value))
            for property, value in individual.facts
        )
        above = self.types_of(individual)
        lowest = [
            name
            for name in sorted(above)
            if not any(one in above for one in self.classes.children(name))
        ]
        return Description(individual.name, tuple(lowest), facts)

    def event_message(self, individual: Description) -> bytes:
        """What is told of an individual as a message of a few bytes, with all classes it is in.

        `message_matches` answers of it as `is_member` does, for what is told; what the ontology
        alone knows of other individuals is not in it.
        """
        return event_message(self.realised(individual), self.encodings)

    def subscription_message(self, expression: ClassExpression | str) -> bytes:
        """A class expression as a message of a few bytes."""
        return subscription_message(self._given(expression), self.encodings)

    def is_member(
        self, individual: Description | Term | str, expression: ClassExpression | str
    ) -> bool:
        """Whether an individual, or the one that a value names, is in an expression.

        The names in an expression that is no text are full IRIs, as `resolved` makes them. What is
        told of the individual is taken as all there is: see `purport.ontology.told_individual`.
        """
        if isinstance(expression, str):
            expression = self.expression(expression)
        if isinstance(individual, str):
            individual = Text(individual)
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

    def _realised_value(self, property: str, value: Description | Term) -> Description | Term:
        if isinstance(value, Description):
            return self.realised(value)
        return self._membership.value_read(property, value)

    def _subsumes_named(self, wider: str, narrower: str) -> bool:
        names = self.names
        if {names.find_class(wider), names.find_class(narrower)} & {THING.name, NOTHING.name}:
            return self.subsumes_expression(Named(wider), Named(narrower))
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

    def _given(self, given: ClassExpression | str) -> ClassExpression:
        if not isinstance(given, ClassExpression | str):
            raise InvalidInput(f"expected a class expression, got {given!r:.80}")
        return self.expression(given) if isinstance(given, str) else self.resolved(given)
