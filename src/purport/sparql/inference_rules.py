"""Rules by which facts follow from facts, all within one graph.

Most are Horn rules, such as "what is a vehicle and has wings is an aircraft". The order of classes
and of properties is asked, and not written out; `owl:sameAs` puts one name in the place of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pyoxigraph import BlankNode, Literal, NamedNode

from purport.model.rdf import literal_term
from purport.model.term import Term as Value
from purport.sparql.terms import TYPE, Subject, Term

Statement = tuple[Subject, NamedNode, Term]  # a fact, in whatever graph
Kind = tuple[NamedNode, Term | None]  # a predicate; of types, with the class
SAME = NamedNode("http://www.w3.org/2002/07/owl#sameAs")


@dataclass(frozen=True, slots=True)
class Slot:
    """What a rule says of whatever it is about."""

    number: int


Spot = Slot | Term


@dataclass(frozen=True, slots=True)
class Atom:
    """A fact with slots, e.g. that the one has the other as a part."""

    subject: Spot
    predicate: NamedNode
    value: Spot

    @property
    def kind(self) -> Kind:
        """By which facts of this form are found."""
        is_typed = self.predicate == TYPE and not isinstance(self.value, Slot)
        return (TYPE, self.value) if is_typed else (self.predicate, None)  # type: ignore[return-value]


class ValueSet(Protocol):
    """A set of values of data, e.g. the whole numbers from 5 to 10."""

    def contains(self, term: Value, /) -> bool:
        """Whether a value is among them."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What is at the slot is a literal, with one of these values."""

    slot: Slot
    values: ValueSet

    def allows(self, term: Term | None) -> bool:
        """Whether a term may be at the slot."""
        return isinstance(term, Literal) and self.values.contains(literal_term(term))


@dataclass(frozen=True, slots=True)
class InferenceRule:
    """Where all of the body is, the head is."""

    head: Atom
    body: tuple[Atom, ...]
    limits: tuple[Limit, ...] = ()


class Facts(Protocol):
    """The facts of one graph."""

    def holds(self, fact: Statement) -> bool:
        """Whether a fact is there."""

    def values(self, subject: Subject, predicate: NamedNode) -> Iterable[Term]:
        """The objects of a subject."""

    def subjects(self, predicate: NamedNode, value: Term) -> Iterable[Subject]:
        """The subjects of an object."""

    def having(self, predicate: NamedNode) -> Iterable[Statement]:
        """The facts with a predicate."""

    def about(self, subject: Subject) -> Iterable[Statement]:
        """The facts of a subject."""

    def naming(self, value: Term) -> Iterable[Statement]:
        """The facts with an object."""

    @property
    def says_same(self) -> bool:
        """Whether there is any `owl:sameAs`."""


class Order(Protocol):
    """Which name is above which, by their IRIs; those that mean nothing are below all."""

    @property
    def unsatisfiable(self) -> frozenset[str]: ...
    def __contains__(self, name: object, /) -> bool: ...
    def ancestors(self, name: str, /) -> Iterable[str]: ...
    def descendants(self, name: str, /) -> Iterable[str]: ...
    def equivalents(self, name: str, /) -> Iterable[str]: ...


_Bound = dict[Slot, Term]


@dataclass(slots=True)
class InferenceRules:
    """What follows from facts, and from what a fact may follow."""

    rules: Sequence[InferenceRule]
    classes: Order
    properties: Order
    granted: Sequence[Statement] = ()  # facts that follow from nothing
    unspoken: frozenset[str] = frozenset()  # classes that are never concluded
    by_premise: dict[Kind, list[tuple[InferenceRule, int]]] = field(default_factory=dict)
    by_head: dict[Kind, list[InferenceRule]] = field(default_factory=dict)
    _above: dict[Kind, frozenset[NamedNode]] = field(default_factory=dict)
    _below: dict[NamedNode, frozenset[NamedNode]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for rule in self.rules:
            self.by_head.setdefault(rule.head.kind, []).append(rule)
            for place, atom in enumerate(rule.body):
                self.by_premise.setdefault(atom.kind, []).append((rule, place))

    # Forwards

    def above(self, fact: Statement) -> Iterator[Statement]:
        """What the order of classes and properties says of a fact, all of it at once."""
        subject, _, value = fact
        for kind in _kinds(fact):
            for higher in self._higher(kind):
                yield (subject, TYPE, higher) if kind[1] else (subject, higher, value)

    def conclusions(self, fact: Statement, facts: Facts) -> Iterator[Statement]:
        """What else follows, in one step, from a fact and others that are there."""
        return filter(_says_something, self._formed(fact, facts))

    def _formed(self, fact: Statement, facts: Facts) -> Iterator[Statement]:
        """What a step forms, be it a fact or not."""
        for kind in _kinds(fact):
            for rule, place in self.by_premise.get(kind, ()):
                yield from _applied(rule, place, fact, facts)
        if fact[1] == SAME or facts.says_same:
            yield from _renamed(fact, facts)

    # Backwards

    def derivations(self, fact: Statement, facts: Facts) -> Iterator[Sequence[Statement]]:
        """Facts that are there and from which a fact follows in one step, for each such step."""
        if not _says_something(fact):
            return
        yield from self._from_below(fact, facts)
        for kind in _kinds(fact):
            for rule in self.by_head.get(kind, ()):
                bound = _matched(rule.head, fact, {})
                if bound is not None:
                    for found in _solutions(rule.body, rule.limits, bound, facts):
                        yield [_instance(atom, found) for atom in rule.body]
        if facts.says_same:
            yield from _other_names(fact, facts)

    def _from_below(self, fact: Statement, facts: Facts) -> Iterator[Sequence[Statement]]:
        subject, predicate, value = fact
        if predicate == TYPE:
            for narrower in facts.values(subject, TYPE):
                if isinstance(narrower, NamedNode) and value in self._higher((TYPE, narrower)):
                    yield [(subject, TYPE, narrower)]
            return
        for lower in self._lower(predicate):
            if facts.holds((subject, lower, value)):
                yield [(subject, lower, value)]

    # Order

    def _higher(self, kind: Kind) -> frozenset[NamedNode]:
        """The classes above a class, the properties above a property."""
        found = self._above.get(kind)
        if found is None:
            order = self.properties if kind[1] is None else self.classes
            found = self._near(kind[0] if kind[1] is None else kind[1], order, downwards=False)
            self._above[kind] = found
        return found

    def _lower(self, predicate: NamedNode) -> frozenset[NamedNode]:
        found = self._below.get(predicate)
        if found is None:
            found = self._below[predicate] = self._near(predicate, self.properties, downwards=True)
        return found

    def _near(self, node: Term, order: Order, *, downwards: bool) -> frozenset[NamedNode]:
        if not isinstance(node, NamedNode) or node.value not in order:
            return frozenset()
        name = node.value
        if name in order.unsatisfiable:  # from which everything would follow
            return frozenset()
        away = order.descendants(name) if downwards else order.ancestors(name)
        names = {*away, *order.equivalents(name)}
        names -= self.unspoken | order.unsatisfiable | {name}
        return frozenset(map(NamedNode, names))


def _says_something(fact: Statement) -> bool:
    """Whether what was formed is a fact, and not that a thing is itself."""
    subject, predicate, value = fact
    if not isinstance(subject, NamedNode | BlankNode):
        return False
    return predicate != SAME or (subject != value and isinstance(value, NamedNode | BlankNode))


def _kinds(fact: Statement) -> Iterator[Kind]:
    _, predicate, value = fact
    if predicate == TYPE:
        yield TYPE, value
    else:
        yield predicate, None


# Rules


def _applied(rule: InferenceRule, place: int, fact: Statement, facts: Facts) -> Iterator[Statement]:
    """What a rule concludes, if a fact is at one place of its body."""
    bound = _matched(rule.body[place], fact, {})
    if bound is None:
        return
    rest = rule.body[:place] + rule.body[place + 1 :]
    for found in _solutions(rest, rule.limits, bound, facts):
        yield _instance(rule.head, found)


def _matched(atom: Atom, fact: Statement, bound: _Bound) -> _Bound | None:
    """The terms at the slots of an atom, if a fact is of its form; None if it is not."""
    if atom.predicate != fact[1]:
        return None
    found = dict(bound)
    for spot, term in ((atom.subject, fact[0]), (atom.value, fact[2])):
        known = found.setdefault(spot, term) if isinstance(spot, Slot) else spot
        if known != term:
            return None
    return found


def _solutions(
    atoms: Sequence[Atom], limits: Sequence[Limit], bound: _Bound, facts: Facts
) -> Iterator[_Bound]:
    """The ways in which all atoms are there; what is bound is looked for first."""
    if not all(limit.allows(bound[limit.slot]) for limit in limits if limit.slot in bound):
        return
    if not atoms:
        yield bound
        return
    place = max(range(len(atoms)), key=lambda one: _narrowness(atoms[one], bound))
    rest = (*atoms[:place], *atoms[place + 1 :])
    for fact in _fitting(atoms[place], bound, facts):
        found = _matched(atoms[place], fact, bound)
        if found is not None:
            yield from _solutions(rest, limits, found, facts)


def _narrowness(atom: Atom, bound: Mapping[Slot, Term]) -> int:
    """How few facts a look-up finds: a subject has few, a class may have many members."""
    if _term(atom.subject, bound) is not None:
        return 3
    if _term(atom.value, bound) is None:
        return 0
    return 1 if atom.predicate == TYPE else 2


def _fitting(atom: Atom, bound: Mapping[Slot, Term], facts: Facts) -> Iterable[Statement]:
    subject, predicate, value = (
        _term(atom.subject, bound),
        atom.predicate,
        _term(atom.value, bound),
    )
    if subject is None and value is None:
        return list(facts.having(predicate))
    if subject is None:
        assert value is not None
        return [(one, predicate, value) for one in facts.subjects(predicate, value)]
    if not isinstance(subject, NamedNode | BlankNode):
        return ()
    if value is None:
        return [(subject, predicate, one) for one in facts.values(subject, predicate)]
    return [(subject, predicate, value)] if facts.holds((subject, predicate, value)) else ()


def _instance(atom: Atom, bound: Mapping[Slot, Term]) -> Statement:
    subject: Any = _term(atom.subject, bound)
    value = _term(atom.value, bound)
    assert value is not None
    return subject, atom.predicate, value


def _term(spot: Spot, bound: Mapping[Slot, Term]) -> Term | None:
    return bound.get(spot) if isinstance(spot, Slot) else spot


# Several names for one thing


def _renamed(fact: Statement, facts: Facts) -> Iterator[Statement]:
    """What is said of a thing by one name is true of it by its other names."""
    subject, predicate, value = fact
    if predicate == SAME and isinstance(value, NamedNode | BlankNode):
        yield value, SAME, subject
        for _, verb, other in list(facts.about(subject)):
            yield value, verb, other
        for one, verb, _ in list(facts.naming(subject)):
            yield one, verb, value
    for name in list(facts.values(subject, SAME)):
        if isinstance(name, NamedNode | BlankNode):
            yield name, predicate, value
    if isinstance(value, NamedNode | BlankNode):
        for name in list(facts.values(value, SAME)):
            yield subject, predicate, name


def _other_names(fact: Statement, facts: Facts) -> Iterator[Sequence[Statement]]:
    """What is said of a thing by other names, of which a fact is a copy."""
    subject, predicate, value = fact
    for name in list(facts.subjects(SAME, subject)):
        if predicate == SAME and name == value:
            yield [(name, SAME, subject)]
        if facts.holds((name, predicate, value)):
            yield [(name, SAME, subject), (name, predicate, value)]
    if isinstance(value, NamedNode | BlankNode):
        for name in list(facts.subjects(SAME, value)):
            if facts.holds((subject, predicate, name)):
                yield [(name, SAME, value), (subject, predicate, name)]
