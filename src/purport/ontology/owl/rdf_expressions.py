"""Class expressions and data ranges out of the triples that spell them (OWL 2's mapping to RDF)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyoxigraph

from purport.model import class_expression as owl
from purport.model.rdf import literal_term
from purport.model.term import Term
from purport.ontology.owl.collection import Malformed
from purport.ontology.owl.normal_forms import counted, intersection, union
from purport.ontology.owl.rdf_graph import Node, RdfGraph
from purport.ontology.vocabulary import FACETS, OWL, RDF

_NIL = RDF + "nil"
_MOST_LEVELS = 100
_MOST_NODES = 100_000
_MOST_DIGITS = 9

_COUNTS = {
    OWL + "cardinality": owl.Bound.EXACTLY,
    OWL + "qualifiedCardinality": owl.Bound.EXACTLY,
    OWL + "minCardinality": owl.Bound.MIN,
    OWL + "minQualifiedCardinality": owl.Bound.MIN,
    OWL + "maxCardinality": owl.Bound.MAX,
    OWL + "maxQualifiedCardinality": owl.Bound.MAX,
}
_RESTRICTING = frozenset(
    [
        *_COUNTS,
        *(
            OWL + name
            for name in (
                "onProperty onProperties someValuesFrom allValuesFrom hasValue hasSelf"
            ).split()
        ),
    ]
)
# What makes a node an expression; directly at a class with a name, these define it (OWL 1).
DEFINING = tuple(
    OWL + name
    for name in ("intersectionOf", "unionOf", "complementOf", "oneOf", "datatypeComplementOf")
)


@dataclass(slots=True)
class RdfExpressions:
    """Reads expressions out of a graph; a blank node that is an individual gets a name."""

    graph: RdfGraph
    name_of_blank: Callable[[str], str]
    _left: int = _MOST_NODES

    def expression(self, node: Node) -> owl.ClassExpression:
        """The class expression or data range that a node spells."""
        self._left = _MOST_NODES
        return self._expression(node, 0)

    def definitions(self, node: str) -> list[owl.ClassExpression]:
        """What is said directly at a named class to be the same as it."""
        self._left = _MOST_NODES
        parts = self.graph.parts.get(node, {})
        found = [self._defined(kind, parts, 0) for kind in DEFINING if kind in parts]
        return [*found, self._restriction(parts, 0)] if _is_restriction(parts) else found

    def property(self, node: Node) -> owl.Property:
        """A property, or the inverse of one."""
        name = _resource(node, "properties")
        if not name.startswith("_:"):
            return owl.Named(name)
        inner = _resource(self._one(name, OWL + "inverseOf", "inverse properties"), "properties")
        if not inner.startswith("_:"):
            return owl.Inverse(owl.Named(inner))
        return self._twice_inverted(inner)

    def value(self, node: Node) -> owl.Named | Term:
        """An individual or a literal."""
        if isinstance(node, pyoxigraph.Literal):
            return literal_term(node)
        return owl.Named(self.individual(node))

    def individual(self, node: Node) -> str:
        """An individual by its name, or by the one that is made for it."""
        name = _resource(node, "individuals")
        return self.name_of_blank(name) if name.startswith("_:") else name

    def members(self, node: Node) -> list[Node]:
        """The members of a list."""
        members: list[Node] = []
        seen: set[str] = set()
        while node != _NIL:
            name = _resource(node, "lists")
            if name in seen:
                raise Malformed("lists")
            seen.add(name)
            members.append(self._one(name, RDF + "first", "lists"))
            node = self._one(name, RDF + "rest", "lists")
        return members

    def _expression(self, node: Node, level: int) -> owl.ClassExpression:
        self._left -= 1
        name = _resource(node, "class expressions")
        if not name.startswith("_:"):
            return owl.Named(name)
        if level > _MOST_LEVELS or self._left < 0:
            raise Malformed("class expressions (endless or too deep)")
        parts = self.graph.parts.get(name, {})
        if _is_restriction(parts):
            return self._restriction(parts, level)
        if OWL + "onDatatype" in parts:
            return self._restricted(parts)
        kinds = [kind for kind in DEFINING if kind in parts]
        if len(kinds) != 1:
            raise Malformed("class expressions")
        return self._defined(kinds[0], parts, level)

    def _defined(self, kind: str, parts: dict[str, list[Node]], level: int) -> owl.ClassExpression:
        given = only_one(parts, kind, "class expressions")
        match kind.removeprefix(OWL):
            case "complementOf" | "datatypeComplementOf":
                return owl.Not(self._expression(given, level + 1))
            case "oneOf":
                return owl.OneOf(tuple(self.value(member) for member in self.members(given)))
        operands = tuple(self._expression(member, level + 1) for member in self.members(given))
        return intersection(operands) if kind == OWL + "intersectionOf" else union(operands)

    def _restriction(self, parts: dict[str, list[Node]], level: int) -> owl.ClassExpression:
        name = self.property(self._restricted_property(parts))
        if (given := parts.get(OWL + "someValuesFrom")) and len(given) == 1:
            return owl.Some(name, self._expression(given[0], level + 1))
        if (given := parts.get(OWL + "allValuesFrom")) and len(given) == 1:
            return owl.Only(name, self._expression(given[0], level + 1))
        if (given := parts.get(OWL + "hasValue")) and len(given) == 1:
            return owl.HasValue(name, self.value(given[0]))
        if (given := parts.get(OWL + "hasSelf")) and len(given) == 1:
            return _has_self(name, given[0])
        kinds = [kind for kind in _COUNTS if kind in parts]
        if len(kinds) != 1:
            raise Malformed("restrictions")
        count = _whole(only_one(parts, kinds[0], "restrictions"))
        among = parts.get(OWL + "onClass") or parts.get(OWL + "onDataRange")
        filler = self._expression(among[0], level + 1) if among else None
        return counted(name, _COUNTS[kinds[0]], count, filler)

    def _restricted_property(self, parts: dict[str, list[Node]]) -> Node:
        if OWL + "onProperties" not in parts:
            return only_one(parts, OWL + "onProperty", "restrictions")
        several = self.members(only_one(parts, OWL + "onProperties", "restrictions"))
        if len(several) != 1:
            raise Malformed("restrictions")
        return several[0]

    def _restricted(self, parts: dict[str, list[Node]]) -> owl.ClassExpression:
        datatype = _resource(only_one(parts, OWL + "onDatatype", "data ranges"), "data ranges")
        if datatype.startswith("_:"):
            raise Malformed("data ranges")
        facets = []
        for node in self.members(only_one(parts, OWL + "withRestrictions", "data ranges")):
            given = self.graph.parts.get(_resource(node, "data ranges"), {})
            for facet in filter(FACETS.__contains__, given):
                limit = only_one(given, facet, "data ranges")
                if not isinstance(limit, pyoxigraph.Literal):
                    raise Malformed("data ranges")
                facets.append(owl.Facet(FACETS[facet], literal_term(limit)))
        if not facets:
            return owl.Named(datatype)
        return owl.Restricted(owl.Named(datatype), tuple(facets))

    def _twice_inverted(self, node: str) -> owl.Named:
        inner = _resource(self._one(node, OWL + "inverseOf", "inverse properties"), "properties")
        if inner.startswith("_:"):
            raise Malformed("inverse properties")
        return owl.Named(inner)

    def _one(self, node: str, predicate: str, called: str) -> Node:
        return only_one(self.graph.parts.get(node, {}), predicate, called)


def _is_restriction(parts: dict[str, list[Node]]) -> bool:
    return not _RESTRICTING.isdisjoint(parts)


def only_one(parts: dict[str, list[Node]], predicate: str, called: str) -> Node:
    """The one object of a predicate; `Malformed` if there are others, or none."""
    given = parts.get(predicate, [])
    if len(given) != 1 and len(set(given)) != 1:
        raise Malformed(called)
    return given[0]


def _resource(node: Node, called: str) -> str:
    if isinstance(node, pyoxigraph.Literal):
        raise Malformed(called)
    return node


def _has_self(name: owl.Property, given: Node) -> owl.HasSelf:
    if not isinstance(given, pyoxigraph.Literal) or given.value not in ("true", "1"):
        raise Malformed("restrictions")
    return owl.HasSelf(name)


def _whole(given: Node) -> int:
    """A count; one with more digits than anything can have is a mistake."""
    if not isinstance(given, pyoxigraph.Literal):
        raise Malformed("restrictions")
    digits = given.value.strip().removeprefix("+")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > _MOST_DIGITS:
        raise Malformed("restrictions")
    return int(digits)
