"""Class expressions in negation normal form, each with a number.

An expression has an even number and its negation the odd one after it, so that `concept ^ 1`
negates, and two labels that contradict each other differ in their last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    HasSelf,
    HasValue,
    Named,
    Not,
    OneOf,
    Only,
    Or,
    Property,
    Restricted,
    Some,
)
from purport.model.term import Term
from purport.ontology.axioms import NOTHING, THING
from purport.ontology.data.data_ranges import data_range, is_data_range
from purport.ontology.errors import OntologyError
from purport.ontology.tableaux.roles import Roles
from purport.ontology.vocabulary import RDFS

TOP, BOTTOM = 0, 1


class Kind(Enum):
    """What a concept is; the arguments of its kind follow the dash."""

    CONSTANT = "everything or nothing"
    ATOM = "class - name"
    NOT_ATOM = "not a class - name"
    NOMINAL = "individual - name"
    NOT_NOMINAL = "not an individual - name"
    DATA = "data range - expression"
    NOT_DATA = "not a data range - expression"
    AND = "all of - concepts"
    OR = "one of - concepts"
    SOME = "some - role, filler"
    ONLY = "only - role, filler"
    AT_LEAST = "at least - count, role, filler"
    AT_MOST = "at most - count, role, filler"
    SELF = "itself - role"
    NOT_SELF = "not itself - role"
    STEP = "only, of one step - role, filler"
    PATH = "only along paths - role, state, filler"
    UNUSED = "the negation of a step or path"


_NEGATED = {
    Kind.ATOM: Kind.NOT_ATOM,
    Kind.NOMINAL: Kind.NOT_NOMINAL,
    Kind.DATA: Kind.NOT_DATA,
    Kind.AND: Kind.OR,
    Kind.SOME: Kind.ONLY,
    Kind.AT_LEAST: Kind.AT_MOST,
    Kind.SELF: Kind.NOT_SELF,
    Kind.STEP: Kind.UNUSED,
    Kind.PATH: Kind.UNUSED,
}


@dataclass(frozen=True, slots=True)
class Concept:
    """One numbered expression: its kind, and arguments as the kind says."""

    kind: Kind
    arguments: tuple[Any, ...]


class Concepts:
    """All expressions met so far; `expanded` names are read as what they are defined as."""

    def __init__(self, roles: Roles, expanded: Mapping[str, ClassExpression]) -> None:
        self.roles = roles
        self.expanded = expanded
        self.table = [Concept(Kind.CONSTANT, ()), Concept(Kind.CONSTANT, ())]
        self._numbers: dict[Concept, int] = {}
        self._of_expression: dict[ClassExpression, int] = {}
        self._fresh = 0

    def number(self, expression: ClassExpression) -> int:
        """The number of a class expression."""
        found = self._of_expression.get(expression)
        if found is None:
            found = self._of_expression[expression] = self._number(expression)
        return found

    def fresh_atom(self) -> int:
        """A class that stands for something else, with a name that no ontology has."""
        self._fresh += 1
        return self._interned(Kind.ATOM, f"#{self._fresh}")

    def atom(self, name: str) -> int:
        """The number of a class by its name, whether it is to be written out or not."""
        return self._interned(Kind.ATOM, name)

    def nominal(self, name: str) -> int:
        """The class of one individual alone."""
        return self._interned(Kind.NOMINAL, name)

    def conjunction(self, concepts: Iterable[int]) -> int:
        """What is in all of these."""
        parts: set[int] = set()
        for one in concepts:
            parts.update(self.table[one].arguments if self.table[one].kind is Kind.AND else (one,))
        parts.discard(TOP)
        if BOTTOM in parts or any(one ^ 1 in parts for one in parts):
            return BOTTOM
        if not parts:
            return TOP
        if len(parts) == 1:
            return parts.pop()
        return self._interned(Kind.AND, *sorted(parts))

    def disjunction(self, concepts: Iterable[int]) -> int:
        """What is in one of these."""
        return self.conjunction(one ^ 1 for one in concepts) ^ 1

    def at_least(self, count: int, role: int, filler: int) -> int:
        """What has at least so many values of a property in the filler."""
        if count <= 0:
            return TOP
        if filler == BOTTOM:
            return BOTTOM
        if count == 1:
            return self._interned(Kind.SOME, role, filler)
        return self._interned(Kind.AT_LEAST, count, role, filler)

    def only(self, role: int, filler: int) -> int:
        """What has no value of a property outside the filler."""
        return self.at_least(1, role, filler ^ 1) ^ 1

    def itself(self, role: int) -> int:
        """What has itself as a value of the property."""
        return self._interned(Kind.SELF, role)

    def step(self, role: int, filler: int) -> int:
        """As `only`, where the values at hand count and no longer paths."""
        return self._interned(Kind.STEP, role, filler)

    def along(self, role: int, state: int, filler: int) -> int:
        """What holds the filler along the paths that lead on from a state."""
        return self._interned(Kind.PATH, role, state, filler)

    def data(self, expression: ClassExpression) -> int:
        """The number of a range of data."""
        match expression:
            case Named(name) if name == RDFS + "Literal":
                return TOP
            case Not(operand):
                return self.data(operand) ^ 1
        return self._interned(Kind.DATA, data_range(expression).expression)

    def value(self, value: Named | Term) -> int:
        """The class, or range, of one individual or value alone."""
        if isinstance(value, Named):
            return self.nominal(value.name)
        return self.data(OneOf((value,)))

    def _interned(self, kind: Kind, *arguments: Any) -> int:
        concept = Concept(kind, arguments)
        number = self._numbers.get(concept)
        if number is None:
            number = self._numbers[concept] = len(self.table)
            self.table += [concept, Concept(_NEGATED[kind], self._negated(kind, arguments))]
        return number

    @staticmethod
    def _negated(kind: Kind, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        match kind:
            case Kind.AND:
                return tuple(one ^ 1 for one in arguments)
            case Kind.SOME:
                return arguments[0], arguments[1] ^ 1
            case Kind.AT_LEAST:
                return arguments[0] - 1, *arguments[1:]
        return arguments

    def _number(self, expression: ClassExpression) -> int:
        match expression:
            case Named():
                return self._named(expression)
            case And(operands):
                return self.conjunction(map(self.number, operands))
            case Or(operands):
                return self.disjunction(map(self.number, operands))
            case Not(operand):
                return self.number(operand) ^ 1
            case Some(property_, filler):
                return self.at_least(
                    1, self.roles.number(property_), self._filler(property_, filler)
                )
            case Only(property_, filler):
                return self.only(self.roles.number(property_), self._filler(property_, filler))
            case HasValue(property_, value):
                return self.at_least(1, self.roles.number(property_), self.value(value))
            case HasSelf(property_):
                return self.itself(self.roles.number(property_))
            case Cardinality():
                return self._cardinality(expression)
            case OneOf(members):
                return self.disjunction(map(self.value, members))
            case Restricted():
                raise OntologyError(f"expected a class, got a range of data: {expression}")

    def _named(self, named: Named) -> int:
        if named == THING:
            return TOP
        if named == NOTHING:
            return BOTTOM
        definition = self.expanded.get(named.name)
        return self.atom(named.name) if definition is None else self.number(definition)

    def _filler(self, property_: Property, filler: ClassExpression | None) -> int:
        if filler is None:
            return TOP
        is_data = self.roles.number(property_) in self.roles.data
        return self.data(filler) if is_data or is_data_range(filler) else self.number(filler)

    def _cardinality(self, expression: Cardinality) -> int:
        role, count = self.roles.number(expression.property), expression.count
        filler = self._filler(expression.property, expression.filler)
        at_least = self.at_least(count, role, filler)
        at_most = self.at_least(count + 1, role, filler) ^ 1
        match expression.bound:
            case Bound.MIN:
                return at_least
            case Bound.MAX:
                return at_most
            case Bound.EXACTLY:
                return self.conjunction((at_least, at_most))
