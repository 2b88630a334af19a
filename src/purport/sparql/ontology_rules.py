"""The rules that an ontology gives: what its axioms let follow from facts about individuals.

A class on the left of an axiom becomes what must be there, one on the right what follows. Left out
is what says that something exists without saying what, counts, or needs to know that something is
not so; and that two names mean the same, unless it is said in so many words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, permutations, product
from typing import Protocol

from pyoxigraph import BlankNode, NamedNode

from purport.errors import InvalidInput
from purport.model.class_expression import (
    And,
    Bound,
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
from purport.model.term import Term as Value
from purport.ontology.axioms import (
    NOTHING,
    THING,
    Axiom,
    Axioms,
    Characteristic,
    ClassAssertion,
    Domain,
    EquivalentClasses,
    InverseProperties,
    PropertyAssertion,
    PropertyChain,
    PropertyIs,
    Range,
    SameIndividuals,
    SubClass,
    SubProperty,
)
from purport.ontology.data.data_ranges import data_range, is_data_range
from purport.ontology.data.data_values import is_datatype
from purport.sparql.binding import said_in_rdf
from purport.sparql.inference_rules import (
    SAME,
    Atom,
    InferenceRule,
    InferenceRules,
    Limit,
    Order,
    Slot,
    Spot,
    Statement,
)
from purport.sparql.terms import TYPE, Subject, Term, as_kept

_MOST_WAYS = 1_000  # in which one class expression may be fulfilled


class InferenceSource(Protocol):
    """What is asked of an ontology."""

    @property
    def axioms(self) -> Axioms: ...
    @property
    def classes(self) -> Order: ...
    @property
    def properties(self) -> Order: ...


def rules_of(ontology: InferenceSource) -> InferenceRules:
    """The rules of an ontology; `InvalidInput` if it is none."""
    if not all(hasattr(ontology, name) for name in ("axioms", "classes", "properties")):
        raise InvalidInput(f"expected an ontology (purport.ontology), got {ontology!r}")
    writer = _Writer(ontology)
    for axiom in ontology.axioms.axioms:
        writer.write(axiom)
    return InferenceRules(
        tuple(dict.fromkeys(writer.rules)),
        ontology.classes,
        ontology.properties,
        tuple(dict.fromkeys(writer.granted)),
        frozenset({THING.name, NOTHING.name}),
    )


@dataclass(frozen=True, slots=True)
class _Way:
    """One way for something to be in a class: what must be there, and which slot is which name."""

    atoms: tuple[Atom, ...] = ()
    limits: tuple[Limit, ...] = ()
    names: tuple[tuple[Slot, Term], ...] = ()

    def __add__(self, other: _Way) -> _Way:
        return _Way(self.atoms + other.atoms, self.limits + other.limits, self.names + other.names)


class _NotSaid(Exception):
    """No facts say that something is in such a class."""


@dataclass(slots=True)
class _Writer:
    ontology: InferenceSource
    rules: list[InferenceRule] = field(default_factory=list)
    granted: list[Statement] = field(default_factory=list)
    _slots: int = 0

    def write(self, axiom: Axiom) -> None:
        self._slots = 0
        match axiom:
            case SubClass(narrower, wider):
                self._implies(narrower, wider)
            case EquivalentClasses(operands):
                for narrower, wider in permutations(operands, 2):
                    self._implies(narrower, wider)
            case Domain(relation, domain):
                self._implies(Some(relation, THING), domain)
            case Range(relation, values):
                self._implies(Some(_inverse(relation), THING), values)
            case SubProperty() | PropertyChain() | InverseProperties() | PropertyIs():
                self._relates(axiom)
            case ClassAssertion(individual, expression):
                self._conclude(_Way(), expression, _individual(individual))
            case PropertyAssertion(subject, relation, value):
                self._grant((_individual(subject), _node(relation), _value(value)))
            case SameIndividuals(names):
                for one, other in pairwise(names):
                    self._grant((_individual(one), SAME, _individual(other)))
            case _:  # what says that something is not so
                pass

    # Classes

    def _implies(self, narrower: ClassExpression, wider: ClassExpression) -> None:
        match narrower, wider:
            case Named(one), Named(other) if _are_ordered(self.ontology.classes, one, other):
                return
        slot = self._slot()
        try:
            ways = self._ways(narrower, slot)
        except _NotSaid:
            return
        for way in ways:
            self._conclude(way, wider, slot)

    def _ways(self, expression: ClassExpression, it: Slot) -> list[_Way]:
        """The ways in which facts say that something is in a class; `_NotSaid` if none can."""
        match expression:
            case Named():
                return self._named_ways(expression, it)
            case And(operands):
                return self._together([self._ways(one, it) for one in operands])
            case Or(operands):
                return [way for one in operands for way in self._ways_if_any(one, it)]
            case Some(relation, filler):
                return self._related_ways(relation, filler, it)
            case HasValue(relation, value):
                return self._related_ways(relation, OneOf((value,)), it)
            case HasSelf(relation):
                return [_Way((_atom(relation, it, it),))]
            case Cardinality(relation, Bound.MIN, 1, filler):
                return self._related_ways(relation, filler or THING, it)
            case Cardinality(_, Bound.MIN, 0):
                return [_Way()]
            case OneOf(members):
                return [self._one(member, it) for member in members]
            case Restricted() | Not() | Only() | Cardinality():
                raise _NotSaid
        raise _NotSaid

    def _named_ways(self, name: Named, it: Slot) -> list[_Way]:
        if name == THING:
            return [_Way()]
        if name == NOTHING:
            return []
        return [_Way((Atom(it, TYPE, _node(name.name)),))]

    def _ways_if_any(self, expression: ClassExpression, it: Slot) -> list[_Way]:
        try:
            return self._ways(expression, it)
        except _NotSaid:
            return []

    def _together(self, parts: Sequence[Sequence[_Way]]) -> list[_Way]:
        count = 1
        for ways in parts:
            count *= len(ways)
        if count > _MOST_WAYS:
            raise _NotSaid
        return [sum(some, _Way()) for some in product(*parts)]

    def _related_ways(self, relation: Property, filler: ClassExpression, it: Slot) -> list[_Way]:
        other = self._slot()
        related = _Way((_atom(relation, it, other),))
        if is_data_range(filler):
            return [related + _Way(limits=(Limit(other, data_range(filler)),))]
        return [related + way for way in self._ways(filler, other)]

    def _one(self, member: Named | Value, it: Slot) -> _Way:
        if not isinstance(member, Named):
            raise _NotSaid
        return _Way(names=((it, _individual(member.name)),))

    # What follows

    def _conclude(self, way: _Way, expression: ClassExpression, it: Spot) -> None:
        """Something is in a class, if it is in another in some way."""
        match expression:
            case Named(name):
                if expression not in (THING, NOTHING) and not is_datatype(name):
                    self._add(way, Atom(it, TYPE, _node(name)))
            case And(operands):
                for one in operands:
                    self._conclude(way, one, it)
            case HasValue(relation, value) | Some(relation, OneOf((value,))):
                self._add(way, _atom(relation, it, _value(value)))
            case HasSelf(relation):
                self._add(way, _atom(relation, it, it))
            case Only(relation, filler):
                other = self._slot()
                self._conclude(way + _Way((_atom(relation, it, other),)), filler, other)
            case _:
                pass

    def _add(self, way: _Way, head: Atom) -> None:
        names: dict[Slot, Term] = {}
        for slot, term in way.names:
            if names.setdefault(slot, term) != term:  # two names, of which nobody says they are one
                return
        head, *body = (_renamed(atom, names) for atom in (head, *way.atoms))
        if body:
            self.rules.append(InferenceRule(head, tuple(dict.fromkeys(body)), way.limits))
        elif not isinstance(head.subject, Slot) and not isinstance(head.value, Slot):
            self._grant((head.subject, head.predicate, head.value))  # type: ignore[arg-type]

    def _grant(self, fact: Statement) -> None:
        if isinstance(fact[0], NamedNode | BlankNode):
            self.granted.append(fact)

    # Properties

    def _relates(self, axiom: SubProperty | PropertyChain | InverseProperties | PropertyIs) -> None:
        properties = self.ontology.properties
        match axiom:
            case SubProperty(Named(one), Named(other)) if _are_ordered(properties, one, other):
                pass
            case SubProperty(narrower, wider):
                self._chain((narrower,), wider)
            case PropertyChain(steps, wider):
                self._chain(steps, wider)
            case InverseProperties(first, second):
                self._chain((_inverse(first),), second)
                self._chain((_inverse(second),), first)
            case PropertyIs(relation, Characteristic.SYMMETRIC):
                self._chain((_inverse(relation),), relation)
            case PropertyIs(relation, Characteristic.TRANSITIVE):
                self._chain((relation, relation), relation)
            case PropertyIs():
                pass

    def _chain(self, steps: Iterable[Property], wider: Property) -> None:
        first = here = self._slot()
        atoms = []
        for step in steps:
            there = self._slot()
            atoms.append(_atom(step, here, there))
            here = there
        self._add(_Way(tuple(atoms)), _atom(wider, first, here))

    def _slot(self) -> Slot:
        self._slots += 1
        return Slot(self._slots)


def _are_ordered(order: Order, *names: str) -> bool:
    """Whether an order says which of these is above which."""
    return all(name in order for name in names)


def _inverse(relation: Property) -> Property:
    return relation.property if isinstance(relation, Inverse) else Inverse(relation)


def _atom(relation: Property, subject: Spot, value: Spot) -> Atom:
    if isinstance(relation, Inverse):
        return Atom(value, _node(relation.property.name), subject)
    return Atom(subject, _node(relation.name), value)


def _renamed(atom: Atom, names: Mapping[Slot, Term]) -> Atom:
    subject, value = (
        names.get(spot, spot) if isinstance(spot, Slot) else spot
        for spot in (atom.subject, atom.value)
    )
    return Atom(subject, atom.predicate, value)


def _individual(name: str) -> Subject:
    return BlankNode(name.removeprefix("_:")) if name.startswith("_:") else _node(name)


def _value(value: Named | Value) -> Term:
    return _individual(value.name) if isinstance(value, Named) else as_kept(said_in_rdf(value))


def _node(iri: str) -> NamedNode:
    try:
        return NamedNode(iri)
    except ValueError as error:
        raise InvalidInput(f"the ontology names {iri!r}, which is no IRI: {error}") from None
