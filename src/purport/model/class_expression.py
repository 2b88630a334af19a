"""Class expressions of OWL, as a tree of small nodes; written in Manchester syntax.

They live with the subscription language, which contains them; the ontology layer reasons over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from purport.model.comparison import Operator
from purport.model.term import Term


@dataclass(frozen=True, slots=True)
class Named:
    """A class, datatype or property by its name: an IRI, or a short name to be looked up."""

    name: str


@dataclass(frozen=True, slots=True)
class Inverse:
    """A property read backwards, e.g. `inverse hasPart`."""

    property: Named


@dataclass(frozen=True, slots=True)
class And:
    """What is in every one of these."""

    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """What is in at least one of these."""

    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """What is not in this."""

    operand: ClassExpression


@dataclass(frozen=True, slots=True)
class Some:
    """What has the property with at least one value in the filler."""

    property: Property
    filler: ClassExpression


@dataclass(frozen=True, slots=True)
class Only:
    """What has the property with no value outside the filler."""

    property: Property
    filler: ClassExpression


@dataclass(frozen=True, slots=True)
class HasValue:
    """What has the property with this very value."""

    property: Property
    value: Named | Term


@dataclass(frozen=True, slots=True)
class HasSelf:
    """What has the property with itself as the value."""

    property: Property


class Bound(StrEnum):
    """How a cardinality limits a count."""

    MIN = "min"
    MAX = "max"
    EXACTLY = "exactly"

    def allows(self, number: int, count: int) -> bool:
        """Whether so many are within the limit of a count."""
        match self:
            case Bound.MIN:
                return number >= count
            case Bound.MAX:
                return number <= count
            case Bound.EXACTLY:
                return number == count


@dataclass(frozen=True, slots=True)
class Cardinality:
    """What has so many values of the property, all of them counted or those in the filler."""

    property: Property
    bound: Bound
    count: int
    filler: ClassExpression | None = None


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of the listed individuals or values."""

    members: tuple[Named | Term, ...]


class TextFacet(StrEnum):
    """Limits on how a value is written, by their names in Manchester syntax."""

    LENGTH = "length"
    MIN_LENGTH = "minLength"
    MAX_LENGTH = "maxLength"
    PATTERN = "pattern"
    LANGUAGE_RANGE = "langRange"
    TOTAL_DIGITS = "totalDigits"
    FRACTION_DIGITS = "fractionDigits"


@dataclass(frozen=True, slots=True)
class Facet:
    """A limit on the values of a datatype, e.g. `>= 5` or `length 5`."""

    operator: Operator | TextFacet
    limit: Term


@dataclass(frozen=True, slots=True)
class Restricted:
    """A datatype within limits, e.g. `xsd:integer[>= 5, < 10]`."""

    datatype: Named
    facets: tuple[Facet, ...]


Property = Named | Inverse
ClassExpression = (
    Named | And | Or | Not | Some | Only | HasValue | HasSelf | Cardinality | OneOf | Restricted
)
