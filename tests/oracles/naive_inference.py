"""What follows from facts by an ontology: every axiom is tried on everything until nothing is new.

Expressions are evaluated as they stand, over the facts of one graph.
"""

from collections.abc import Iterable, Iterator

from pyoxigraph import BlankNode, Literal, NamedNode

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    HasSelf,
    HasValue,
    Inverse,
    Named,
    OneOf,
    Only,
    Or,
    Property,
    Restricted,
    Some,
)
from purport.model.rdf import literal_term
from purport.model.term import Term as Value
from purport.model.units import Quantity
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
from purport.ontology.data.data_ranges import data_range
from purport.ontology.data.data_values import is_datatype
from purport.sparql.inference_rules import SAME, Statement
from purport.sparql.terms import DEFAULT, TYPE, Fact, Subject, Term

NODES = NamedNode | BlankNode


def visible(axioms: Axioms, asserted: Iterable[Fact]) -> set[Fact]:
    """All that is seen, if this is asserted."""
    facts = set(asserted)
    granted = closed(axioms, set())
    seen = {(*fact, DEFAULT) for fact in granted} | facts
    for graph in {fact[3] for fact in facts}:
        follows = closed(axioms, {fact[:3] for fact in facts if fact[3] == graph})
        seen |= {(*fact, graph) for fact in follows - granted}
    return seen


def closed(axioms: Axioms, facts: set[Statement]) -> set[Statement]:
    """Facts of one graph and all that follows."""
    found = set(facts)
    while True:
        world = _World(found, axioms.individuals)
        more = {
            fact
            for fact in (*_renamed(found), *(f for one in axioms.axioms for f in world.told(one)))
            if isinstance(fact[0], NODES)
            and not (fact[1] == SAME and (fact[0] == fact[2] or not isinstance(fact[2], NODES)))
        }
        if more <= found:
            return found
        found |= more


def _renamed(facts: set[Statement]) -> Iterator[Statement]:
    for one, verb, other in facts:
        if verb != SAME or not isinstance(other, NODES):
            continue
        yield other, SAME, one
        for subject, predicate, value in facts:
            if subject == one:
                yield other, predicate, value
            if value == one:
                yield subject, predicate, other


class _World:
    def __init__(self, facts: set[Statement], individuals: Iterable[str]) -> None:
        self.facts = facts
        self.things: set[Term] = {term for fact in facts for term in (fact[0], fact[2])}
        self.things |= set(map(NamedNode, individuals))

    def told(self, axiom: Axiom) -> Iterator[Statement]:
        match axiom:
            case SubClass(narrower, wider):
                yield from self._implied(narrower, wider)
            case EquivalentClasses(operands):
                for one in operands:
                    for other in operands:
                        yield from self._implied(one, other)
            case Domain(relation, domain):
                for thing, _ in self._pairs(relation):
                    yield from self._in(thing, domain)
            case Range(relation, values):
                for _, thing in self._pairs(relation):
                    yield from self._in(thing, values)
            case SubProperty(narrower, wider):
                yield from _related(wider, self._pairs(narrower))
            case InverseProperties(first, second):
                yield from _related(first, [(b, a) for a, b in self._pairs(second)])
                yield from _related(second, [(b, a) for a, b in self._pairs(first)])
            case PropertyChain(steps, wider):
                yield from _related(wider, self._chained(steps))
            case PropertyIs(relation, Characteristic.TRANSITIVE):
                yield from _related(relation, self._chained((relation, relation)))
            case PropertyIs(relation, Characteristic.SYMMETRIC):
                yield from _related(relation, [(b, a) for a, b in self._pairs(relation)])
            case ClassAssertion(individual, expression):
                yield from self._in(NamedNode(individual), expression)
            case PropertyAssertion(subject, verb, value):
                assert isinstance(value, Named)
                yield NamedNode(subject), NamedNode(verb), NamedNode(value.name)
            case SameIndividuals(names):
                for name in names[1:]:
                    yield NamedNode(names[0]), SAME, NamedNode(name)

    def _implied(self, narrower: ClassExpression, wider: ClassExpression) -> Iterator[Statement]:
        for thing in self.things:
            if self._is_in(thing, narrower):
                yield from self._in(thing, wider)

    def _in(self, thing: Term, expression: ClassExpression) -> Iterator[Statement]:
        """What is true of a thing that is in a class."""
        if not isinstance(thing, NODES):
            return
        match expression:
            case Named(name) if expression not in (THING, NOTHING) and not is_datatype(name):
                yield thing, TYPE, NamedNode(name)
            case And(operands):
                for one in operands:
                    yield from self._in(thing, one)
            case HasValue(relation, value) | Some(relation, OneOf((value,))):
                yield from _related(relation, [(thing, _term(value))])
            case HasSelf(relation):
                yield from _related(relation, [(thing, thing)])
            case Only(relation, filler):
                for other in self._values(thing, relation):
                    yield from self._in(other, filler)

    def _is_in(self, thing: Term, expression: ClassExpression) -> bool:
        """Whether facts say that a thing is in a class."""
        match expression:
            case Named():
                return (
                    expression == THING or (thing, TYPE, NamedNode(expression.name)) in self.facts
                )
            case And(operands):
                return all(self._is_in(thing, one) for one in operands)
            case Or(operands):
                return any(self._is_in(thing, one) for one in operands)
            case Some(relation, Restricted() as filler):
                return any(_is_value(other, filler) for other in self._values(thing, relation))
            case Some(relation, filler) | Cardinality(relation, Bound.MIN, 1, filler):
                wanted = filler or THING
                return any(self._is_in(other, wanted) for other in self._values(thing, relation))
            case HasValue(relation, value):
                return any(_is(other, value) for other in self._values(thing, relation))
            case HasSelf(relation):
                return thing in self._values(thing, relation)
            case OneOf(members):
                return any(_is(thing, one) for one in members)
        return False

    def _values(self, thing: Term, relation: Property) -> list[Term]:
        return [other for one, other in self._pairs(relation) if one == thing]

    def _pairs(self, relation: Property) -> list[tuple[Term, Term]]:
        if isinstance(relation, Inverse):
            return [(other, one) for one, other in self._pairs(relation.property)]
        verb = NamedNode(relation.name)
        return [(one, other) for one, predicate, other in self.facts if predicate == verb]

    def _chained(self, steps: tuple[Property, ...]) -> list[tuple[Term, Term]]:
        found = self._pairs(steps[0])
        for step in steps[1:]:
            pairs = self._pairs(step)
            found = [(a, d) for a, b in found for c, d in pairs if b == c]
        return found


def _related(relation: Property, pairs: Iterable[tuple[Term, Term]]) -> Iterator[Statement]:
    for one, other in pairs:
        if isinstance(relation, Inverse):
            one, other = other, one
        name = relation.property.name if isinstance(relation, Inverse) else relation.name
        if isinstance(one, Subject):
            yield one, NamedNode(name), other


def _term(value: Named | Value) -> Term:
    if isinstance(value, Named):
        return NamedNode(value.name)
    assert isinstance(value, Quantity)
    return Literal(value.magnitude)


def _is_value(term: Term, filler: ClassExpression) -> bool:
    return isinstance(term, Literal) and data_range(filler).contains(literal_term(term))


def _is(term: Term, value: Named | Value) -> bool:
    if isinstance(value, Named):
        return term == NamedNode(value.name)
    return isinstance(term, Literal) and literal_term(term) == value
