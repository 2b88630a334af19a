"""Nodes that are values of data: whether there are enough values for them."""

from __future__ import annotations

from collections.abc import Sequence

from purport.model.class_expression import And, ClassExpression, Not
from purport.ontology.concepts import Concept, Kind
from purport.ontology.data_ranges import DataRange
from purport.ontology.graph_nodes import Contradiction, Node


def check_values(nodes: Sequence[Node], table: Sequence[Concept], number: int) -> None:
    """A contradiction if no value is left for a node, or too few for several that are different."""
    node = nodes[number]
    if not node.is_data:
        return
    size = _range(node, table).size
    grounds = 0
    for one in node.label.values():
        grounds |= one
    if size == 0:
        raise Contradiction(grounds, number, ("no value",))
    rivals = _rivals(nodes, number)
    if len(rivals) + 1 > size:
        for rival in rivals:
            for one in nodes[rival].label.values():
                grounds |= one
            for other in (number, *rivals):
                grounds |= nodes[rival].different.get(other, 0)
        raise Contradiction(grounds, number, ("too few values",))


def _rivals(nodes: Sequence[Node], number: int) -> list[int]:
    """Others that take from the same values, all of them different from each other."""
    node = nodes[number]
    rivals: list[int] = []
    for other, its in ((other, nodes[other]) for other in node.different):
        is_alike = its.label.keys() == node.label.keys()
        if is_alike and all(rival in its.different for rival in rivals):
            rivals.append(other)
    return rivals


def _range(node: Node, table: Sequence[Concept]) -> DataRange:
    parts: list[ClassExpression] = []
    for concept in node.label:
        one = table[concept]
        if one.kind is Kind.DATA:
            parts.append(one.arguments[0])
        elif one.kind is Kind.NOT_DATA:
            parts.append(Not(one.arguments[0]))
    return DataRange(And(tuple(parts)))
