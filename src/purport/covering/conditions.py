"""What one statement must say: an attribute, and a value within limits.

A condition holds when all limits of one of its alternatives do: `a > 3` has one alternative with
one limit, `a in [2, 10]` one with two, `a in (x, y)` two with one each.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from purport.covering.limits import Limit
from purport.matching.asked import ValuePredicate, plain_term
from purport.matching.keys import IRI, TEXT, Key, asked_attribute_key
from purport.model.comparison import Operator
from purport.model.subscription import Comparison, ContainsAll, InRange, OneOfValues, Within
from purport.model.term import folded

Alternative = tuple[Limit, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """What one statement must say."""

    attribute: Key
    alternatives: tuple[Alternative, ...]
    chosen: frozenset[Limit] | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Find out whether it is a choice of values: of two such the one holds all of the other."""
        are_values = all(
            len(limits) == 1 and limits[0].operator is Operator.EQUAL
            for limits in self.alternatives
        )
        chosen = frozenset(limits[0] for limits in self.alternatives) if are_values else None
        object.__setattr__(self, "chosen", chosen)

    @classmethod
    def of(cls, predicate: ValuePredicate) -> Condition:
        """The condition of a predicate, whatever in it is approximate taken as exact."""
        key = asked_attribute_key(predicate.attribute.term)
        match predicate:
            case Comparison(_, operator, value):
                return cls(key, ((Limit.of(operator, plain_term(value)),),))
            case OneOfValues(_, values):
                equal = (Limit.of(Operator.EQUAL, plain_term(one)) for one in values)
                return cls(key, tuple((one,) for one in equal))
            case InRange(_, low, high):
                above = Limit.of(Operator.AT_LEAST, plain_term(low))
                below = Limit.of(Operator.AT_MOST, plain_term(high))
                return cls(key, (_between(above, below),))

    def implies(self, other: Condition) -> bool:
        """Whether each statement that meets this condition meets the other, too."""
        if self.attribute != other.attribute:
            return False
        if self.chosen is not None and other.chosen is not None:
            return self.chosen <= other.chosen
        return all(_implies_any(mine, other.alternatives) for mine in self.alternatives)


def all_contained(predicate: ContainsAll) -> tuple[Condition, ...]:
    """That each of several values is told, as conditions on one statement each."""
    attribute = predicate.attribute
    return tuple(
        Condition.of(Comparison(attribute, Operator.EQUAL, value)) for value in predicate.values
    )


def within(predicate: Within) -> Condition:
    """What every statement about the attribute must say; there must be one at least."""
    return Condition.of(OneOfValues(predicate.attribute, predicate.values))


def may_share(one: Key, other: Key) -> bool:
    """Whether one statement may be about both attributes that are asked for."""
    if one[0] == IRI:
        one, other = other, one
    is_text_of_iri = (one[0], other[0]) == (TEXT, IRI) and one[1] == folded(str(other[1]))
    return one == other or is_text_of_iri


def _implies_any(limits: Alternative, alternatives: tuple[Alternative, ...]) -> bool:
    """Whether what meets some limits meets those of an alternative; quick, as it is asked often."""
    for others in alternatives:
        for other in others:
            for one in limits:
                if one.implies(other):
                    break
            else:
                break
        else:
            return True
    return False


def _between(above: Limit, below: Limit) -> Alternative:
    """The limits of a range; one from a value to itself asks for just that."""
    if above.with_operator(Operator.EQUAL) == below.with_operator(Operator.EQUAL):
        return (above.with_operator(Operator.EQUAL),)
    return above, below
