"""Predicates of one event as conditions on its statements, and what follows from several.

Each predicate needs some statement, and two of them may find two: `{a > 3, a < 9}` is answered by
an event with `a` 2 and 20. So one predicate of the general braces must follow from one of the
specific ones. Only `within` speaks of all values of an attribute, and so narrows what the others
can find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from purport.covering.class_conditions import ClassCondition
from purport.covering.conditions import Alternative, Condition, all_contained, may_share, within
from purport.covering.known_classes import KnownClasses
from purport.covering.limits import Limit
from purport.matching.asked import ClassPredicate, MatchedPredicate, is_near_value
from purport.matching.keys import Key
from purport.model.comparison import Operator
from purport.model.subscription import Comparison, ContainsAll, Within

_MOST_ALTERNATIVES = 64
_OPPOSITES = {
    Operator.EQUAL: Operator.NOT_EQUAL,
    Operator.NOT_EQUAL: Operator.EQUAL,
    Operator.LESS: Operator.AT_LEAST,
    Operator.AT_LEAST: Operator.LESS,
    Operator.GREATER: Operator.AT_MOST,
    Operator.AT_MOST: Operator.GREATER,
}
AnyCondition = Condition | ClassCondition


@dataclass(frozen=True, slots=True)
class Row:
    """One predicate: conditions, each for some statement, and a bag for all of an attribute.

    Whoever meets them answers it fully. An approximate one may be answered otherwise; some are
    never known to be answered fully, and have no conditions.
    """

    conditions: tuple[AnyCondition, ...]
    bag: Condition | None
    is_exact: bool
    is_known: bool = True

    @classmethod
    def of(cls, predicate: MatchedPredicate, classes: KnownClasses | None) -> Row:
        """The row of a predicate without references."""
        is_near_name = predicate.attribute.approximation is not None
        is_near = is_near_value(predicate)
        is_exact = not is_near_name and not is_near
        match predicate:
            case ContainsAll():
                return cls(all_contained(predicate), None, is_exact)
            case Within():
                return cls((), within(predicate), is_exact)
            case Comparison(_, Operator.NOT_EQUAL) if is_near:
                return cls((), None, is_exact, is_known=False)
            case _ if not isinstance(predicate, ClassPredicate):
                return cls((Condition.of(predicate),), None, is_exact)
            case _ if is_exact:
                return cls((ClassCondition.of(predicate, classes),), None, is_exact)
        return cls((), None, is_exact, is_known=False)

    @property
    def alone(self) -> AnyCondition | None:
        """The condition of the one statement that answers it; None where several count."""
        is_single = self.bag is None and len(self.conditions) == 1
        return self.conditions[0] if is_single else None


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of every event that answers some braces: by attributes, what is said.

    It is not `is_possible` if a bag holds no value that is asked for besides: nothing answers.
    """

    said: dict[Key, tuple[AnyCondition, ...]]
    bags: dict[Key, tuple[Condition, ...]]
    is_possible: bool

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Facts:
        """What rows say that must be answered, each fully."""
        bags: dict[Key, tuple[Condition, ...]] = {}
        is_possible = True
        for bag in [row.bag for row in rows if row.bag is not None]:
            others = bags.get(bag.attribute, ())
            left = _narrowed(bag, others)
            is_possible &= left is not None
            bags[bag.attribute] = (*others, left or bag)
        said: dict[Key, tuple[AnyCondition, ...]] = dict(bags)
        for one in [one for row in rows for one in row.conditions]:
            more: AnyCondition | None = one
            if isinstance(one, Condition):
                more = _narrowed(one, bags.get(one.attribute, ()))
                is_possible &= more is not None
            said[one.attribute] = (*said.get(one.attribute, ()), more or one)
        return cls(said, bags, is_possible)

    def meet(self, row: Row) -> bool:
        """Whether each event with these facts answers a row fully."""
        if not row.is_known:
            return False
        for one in row.conditions:
            for fact in self.said.get(one.attribute, ()):
                if follows(fact, one):
                    break
            else:
                return False
        bag = row.bag
        return bag is None or any(one.implies(bag) for one in self.bags.get(bag.attribute, ()))


def follows(fact: AnyCondition, other: AnyCondition) -> bool:
    """Whether each statement that meets the fact meets the other condition, too."""
    if isinstance(fact, Condition):
        return isinstance(other, Condition) and fact.implies(other)
    return isinstance(other, ClassCondition) and fact.implies(other)


def can_share(one: Row, other: Row) -> bool:
    """Whether one statement may answer two rows; it is not known to be otherwise."""
    first, second = one.alone, other.alone
    if not isinstance(first, Condition) or not isinstance(second, Condition):
        return True
    return may_share(first.attribute, second.attribute)


def _narrowed(one: Condition, bags: Sequence[Condition]) -> Condition | None:
    """A condition, with what all values of its attribute are within; None if no value is left."""
    for bag in bags:
        pairs = list(product(one.alternatives, bag.alternatives))
        if len(pairs) <= _MOST_ALTERNATIVES:
            left = tuple(
                dict.fromkeys(mine + its for mine, its in pairs if not _excludes(its, mine))
            )
            if not left:
                return None
            one = Condition(one.attribute, left)
    return one


def _excludes(some: Alternative, others: Alternative) -> bool:
    """Whether a value that meets some limits cannot meet others; it may go unnoticed."""
    return any(_is_contrary(one, other) for one in some for other in others)


def _is_contrary(one: Limit, other: Limit) -> bool:
    if one.kind is other.kind:
        return one.implies(other.with_operator(_OPPOSITES[other.operator]))
    is_positive = other.operator is not Operator.NOT_EQUAL
    return is_positive and one.implies(other.with_operator(Operator.NOT_EQUAL))
