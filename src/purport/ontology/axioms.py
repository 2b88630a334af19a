"""What an ontology says, as a list of small nodes; classes are written as class expressions.

Every name here is a full IRI, or `_:id` of an individual without a name.

* Axiom = SubClass | EquivalentClasses | DisjointClasses                        classes
        | SubProperty | PropertyChain | InverseProperties | DisjointProperties  properties
        | Domain | Range | PropertyIs
        | ClassAssertion | PropertyAssertion | PropertyDenial                   individuals
        | SameIndividuals | DifferentIndividuals
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from purport.model.class_expression import ClassExpression, Named, Property
from purport.model.term import Term
from purport.ontology.vocabulary import OWL

THING, NOTHING = Named(OWL + "Thing"), Named(OWL + "Nothing")


@dataclass(frozen=True, slots=True)
class SubClass:
    """Whatever is in the narrower is in the wider."""

    narrower: ClassExpression
    wider: ClassExpression


@dataclass(frozen=True, slots=True)
class EquivalentClasses:
    """These have the same members."""

    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class DisjointClasses:
    """No two of these have a member in common."""

    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class SubProperty:
    """What the narrower relates, the wider does; equivalent ones are two of these."""

    narrower: Property
    wider: Property


@dataclass(frozen=True, slots=True)
class PropertyChain:
    """What these relate one after the other, the wider relates."""

    steps: tuple[Property, ...]
    wider: Property


@dataclass(frozen=True, slots=True)
class InverseProperties:
    """The one read backwards is the other."""

    first: Property
    second: Property


@dataclass(frozen=True, slots=True)
class DisjointProperties:
    """No two of these relate the same."""

    operands: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """What has the property is in the class."""

    property: Property
    domain: ClassExpression


@dataclass(frozen=True, slots=True)
class Range:
    """The values of the property are in the class, or of the datatype."""

    property: Property
    range: ClassExpression


class Characteristic(StrEnum):
    """What a property may be."""

    FUNCTIONAL = "functional"
    INVERSE_FUNCTIONAL = "inverse functional"
    TRANSITIVE = "transitive"
    SYMMETRIC = "symmetric"
    ASYMMETRIC = "asymmetric"
    REFLEXIVE = "reflexive"
    IRREFLEXIVE = "irreflexive"


@dataclass(frozen=True, slots=True)
class PropertyIs:
    """A property is functional, transitive, ..."""

    property: Property
    characteristic: Characteristic


@dataclass(frozen=True, slots=True)
class ClassAssertion:
    """An individual is in a class."""

    individual: str
    expression: ClassExpression


@dataclass(frozen=True, slots=True)
class PropertyAssertion:
    """A property relates an individual to another one, or to a value."""

    subject: str
    property: str
    value: Named | Term


@dataclass(frozen=True, slots=True)
class PropertyDenial:
    """A property does not relate these."""

    subject: str
    property: str
    value: Named | Term


@dataclass(frozen=True, slots=True)
class SameIndividuals:
    """Names of one individual."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DifferentIndividuals:
    """Names of individuals, no two of which are the same."""

    names: tuple[str, ...]


Axiom = (
    SubClass
    | EquivalentClasses
    | DisjointClasses
    | SubProperty
    | PropertyChain
    | InverseProperties
    | DisjointProperties
    | Domain
    | Range
    | PropertyIs
    | ClassAssertion
    | PropertyAssertion
    | PropertyDenial
    | SameIndividuals
    | DifferentIndividuals
)


@dataclass(frozen=True, slots=True)
class Axioms:
    """What one or several files say, all imports among them.

    `used` and `ignored` count what was read, by what a person would call it ("subclass axioms"); of
    what was ignored the name says why ("rules (SWRL)"). `undeclared` are the names that are used
    though no file says what they are.
    """

    axioms: tuple[Axiom, ...]
    classes: frozenset[str]
    object_properties: frozenset[str]
    data_properties: frozenset[str]
    individuals: frozenset[str]
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    prefixes: Mapping[str, str] = field(default_factory=dict)
    used: Mapping[str, int] = field(default_factory=dict)
    ignored: Mapping[str, int] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    undeclared: frozenset[str] = frozenset()
