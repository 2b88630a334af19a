"""Whether an event answers a subscription, both in numbers, found by division alone.

What a message tells is all there is: `only` looks at the told values, `not` holds of what cannot be
shown. Parts of a message with the same name tell of one individual.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from purport.model.class_expression import (
    And,
    Cardinality,
    ClassExpression,
    HasSelf,
    HasValue,
    Inverse,
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
from purport.ontology.codes.messages import Coded, read_event, read_subscription
from purport.ontology.data.data_ranges import data_range
from purport.ontology.data.readings import readings


def message_matches(event: bytes, subscription: bytes) -> bool:
    """Whether the individual of an event message is in the class of a subscription message."""
    return coded_matches(read_event(event), read_subscription(subscription))


def coded_matches(individual: Coded, expression: ClassExpression) -> bool:
    """The same, for messages that were read."""
    told = _Told()
    return told.is_in(told.add(individual), expression)


@dataclass(slots=True)
class _Node:
    """One individual of a message: its codes, and where its properties lead."""

    name: int | str | None
    codes: list[int]
    values: list[tuple[int, _Node | Term]] = field(default_factory=list)
    owners: list[tuple[int, _Node]] = field(default_factory=list)

    def has_name(self, name: str) -> bool:
        """Whether it is the individual with this gene, or with this name if it has no gene."""
        if isinstance(self.name, int):
            return name.isdigit() and _divides(int(name), self.name)
        return self.name == name


class _Told:
    """The individuals of a message."""

    def __init__(self) -> None:
        self._named: dict[int | str, _Node] = {}

    def add(self, individual: Coded) -> _Node:
        """Take in an individual with all that is told of it."""
        node = _Node(individual.name, [])
        if individual.name is not None:
            node = self._named.setdefault(individual.name, node)
        if isinstance(individual.name, int):
            node.codes.append(individual.name)
        node.codes.extend(individual.types)
        for code, value in individual.facts:
            if isinstance(value, Coded):
                other = self.add(value)
                node.values.append((code, other))
                other.owners.append((code, node))
            else:
                node.values.append((code, value))
        return node

    def is_in(self, value: _Node | Term, expression: ClassExpression) -> bool:
        """Whether an individual or a value is in a class or datatype."""
        match expression:
            case And(operands):
                return all(self.is_in(value, one) for one in operands)
            case Or(operands):
                return any(self.is_in(value, one) for one in operands)
            case Not(operand):
                return not self.is_in(value, operand)
            case OneOf(members):
                return any(_is_same(value, member) for member in members)
            case Named(name) if name.isdigit():
                return isinstance(value, _Node) and _is_below(value.codes, int(name))
            case Named() | Restricted():
                return not isinstance(value, _Node) and _is_within(value, expression)
        return isinstance(value, _Node) and self._has(value, expression)

    def _has(self, node: _Node, expression: ClassExpression) -> bool:
        match expression:
            case Some(property, filler):
                return any(self.is_in(value, filler) for value in _values(node, property))
            case Only(property, filler):
                return all(self.is_in(value, filler) for value in _values(node, property))
            case HasValue(property, member):
                return any(_is_same(value, member) for value in _values(node, property))
            case HasSelf(property):
                return any(value is node for value in _values(node, property))
            case Cardinality(property, bound, count, filler):
                found = [
                    value
                    for value in _values(node, property)
                    if filler is None or self.is_in(value, filler)
                ]
                return bound.allows(len(_different(found)), count)
        return False


def _values(node: _Node, property: Property) -> Iterator[_Node | Term]:
    """Where a property leads, or one below it."""
    if isinstance(property, Inverse):
        gene = int(property.property.name)
        yield from (owner for code, owner in node.owners if _divides(gene, code))
    else:
        gene = int(property.name)
        yield from (value for code, value in node.values if _divides(gene, code))


def _is_below(codes: list[int], gene: int) -> bool:
    return any(_divides(gene, code) for code in codes)


def _divides(gene: int, code: int) -> bool:
    """Whether a code has a gene; what has code 0 is below everything, and gene 0 is above only it.

    A code is no smaller than a gene that it has, which often saves the division.
    """
    if gene == 0 or code == 0:
        return code == 0
    return gene <= code and code % gene == 0


def _is_same(value: _Node | Term, member: Named | Term) -> bool:
    if isinstance(value, _Node):
        return isinstance(member, Named) and value.has_name(member.name)
    return not isinstance(member, Named) and _is_within(value, OneOf((member,)))


def _is_within(value: Term, expression: ClassExpression) -> bool:
    wanted = data_range(expression)
    return any(wanted.contains(one) for one in readings(value))


def _different(values: list[_Node | Term]) -> set[object]:
    return {id(value) if isinstance(value, _Node) else value for value in values}
