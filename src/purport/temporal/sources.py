"""Where an operator looks for witnesses: among what has answered its inner filter.

What an inner filter says with `$` of the outer event is asked of each witness. An equality (`port =
$port`) files them by their values, so that those of other ports are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple, Protocol

from purport.matching.keys import asked_key, told_keys
from purport.model.comparison import Operator, any_holds, told_quantity
from purport.model.subscription import (
    AskedAttribute,
    AskedValue,
    Comparison,
    ContainsAll,
    HasProperty,
    InRange,
    OneOfValues,
    Options,
    Predicate,
    Reference,
    Within,
)
from purport.model.term import Attribute, Term, Text
from purport.model.units import Quantity
from purport.temporal.instance import Instance, timeline
from purport.temporal.occurrence import Occurrence
from purport.temporal.said import values_of
from purport.temporal.timeline import Timeline

_NUMBER, _WITH_UNIT = "number", "unit"
Key = tuple[str, object]


class Evidence(NamedTuple):
    """A witness, how likely it is one, and the time by which that could be known."""

    instance: Instance
    probability: float
    known: int

    def is_better_than(self, other: Evidence | None) -> bool:
        """Whether it is more likely, or as likely and known earlier."""
        if other is None or self.probability > other.probability:
            return True
        return self.probability == other.probability and self.known < other.known


class Partition:
    """What has answered a filter, by the values of an attribute."""

    def __init__(self, attribute: Attribute) -> None:
        self.users = 0
        self._attribute = attribute
        self._by_key: dict[Key, Timeline[Instance]] = {}

    def add(self, one: Instance) -> None:
        """Have one more."""
        for key in self._keys(one):
            if key not in self._by_key:
                self._by_key[key] = timeline()
            self._by_key[key].add(one)

    def remove(self, one: Instance) -> None:
        """Have one less."""
        for key in self._keys(one):
            self._by_key[key].remove(one)
            if not len(self._by_key[key]):
                del self._by_key[key]

    def equal_to(self, value: Term) -> list[Timeline[Instance]] | None:
        """Those among which all with a value are; None if that cannot be said."""
        keys = _asked_keys(value)
        if keys is None:
            return None
        return [self._by_key[key] for key in keys if key in self._by_key]

    def _keys(self, one: Instance) -> set[Key]:
        values = values_of(one.about.statements, self._attribute)
        return {key for value in values for key in _told_keys(value)}


def _told_keys(value: Term) -> Iterator[Key]:
    yield from told_keys(value)
    quantity = told_quantity(value)
    if quantity is not None:
        is_plain = quantity.unit is None
        yield (_NUMBER, quantity.magnitude) if is_plain else (_WITH_UNIT, None)


def _asked_keys(value: Term) -> list[Key] | None:
    if isinstance(value, Quantity):
        return None if value.unit else [(_NUMBER, value.magnitude), (_WITH_UNIT, None)]
    key = asked_key(value)
    return None if key is None else [key]


class Judge(Protocol):
    """Says how well one event answers one predicate."""

    def factor(self, predicate: Predicate, options: Options, occurrence: Occurrence) -> float:
        """How likely it does; 0 if not at all."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """What an inner filter says of the outer event."""

    predicates: tuple[Predicate, ...]
    options: Options
    judge: Judge

    @property
    def equality(self) -> tuple[Attribute, str] | None:
        """An attribute that must have a value that the outer event has of a name."""
        for one in self.predicates:
            match one:
                case Comparison(
                    AskedAttribute(attribute, None),
                    Operator.EQUAL,
                    AskedValue(Reference(name), None),
                ):
                    return attribute, name
        return None

    def factor(self, outer: Occurrence, inner: Occurrence) -> float:
        """How likely an inner event stands to the outer one as it says; 0 if not at all."""
        total = 1.0
        for predicate in self.predicates:
            total *= self._factor(predicate, outer, inner)
            if total == 0.0:
                break
        return total

    def _factor(self, predicate: Predicate, outer: Occurrence, inner: Occurrence) -> float:
        match predicate:
            case Comparison(
                AskedAttribute(attribute, None), operator, AskedValue(Reference(name), None)
            ):
                told = values_of(inner.statements, attribute)
                asked = values_of(outer.statements, Text(name))
                return float(any_holds(told, operator, asked))
        bound = _bound(predicate, outer)
        factors = (self.judge.factor(one, self.options, inner) for one in bound)
        return max(factors, default=0.0)


def _bound(predicate: Predicate, outer: Occurrence) -> Iterator[Predicate]:
    """A predicate with the values of the outer event in the place of references to it."""
    match predicate:
        case Comparison(_, _, value) | HasProperty(_, _, _, value):
            for [one] in _bound_values([value], outer):
                yield replace(predicate, value=one)
        case InRange(attribute, low, high):
            for first, last in _bound_values([low, high], outer):
                try:
                    yield InRange(attribute, first, last)
                except ValueError:  # nothing lies between them
                    continue
        case OneOfValues(_, values) | ContainsAll(_, values) | Within(_, values):
            for some in _bound_values(values, outer):
                yield replace(predicate, values=tuple(some))


def _bound_values(
    values: Iterable[AskedValue], outer: Occurrence
) -> Iterator[tuple[AskedValue, ...]]:
    return product(*([replace(value, term=one) for one in asked_terms(value, outer)]
                     for value in values))  # fmt: skip


def asked_terms(value: AskedValue, outer: Occurrence | None) -> list[Term]:
    """What is asked for: the term, or the values of the attribute that a `$name` names."""
    if not isinstance(value.term, Reference):
        return [value.term]
    assert outer is not None  # what stands in no inner filter was refused
    return values_of(outer.statements, Text(value.term.attribute))
