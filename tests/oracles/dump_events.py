"""An RDF dump to events by dictionaries: slow, in memory, and obviously right."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, parse

from purport.model.iris import opaque_id
from purport.model.plain_words import attribute_name, kind_name, thing_name
from purport.model.rdf import literal_term
from purport.model.term import Text

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
NAME = "http://rdf.freebase.com/ns/type.object.name"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
XSD = "http://www.w3.org/2001/XMLSchema#"

Node = tuple[str, str]  # of a blank node its file and label, of anything else "" and the IRI


@dataclass(frozen=True)
class Answer:
    """Events as canonical JSON, the places of bad lines, and blank nodes without a place."""

    events: list[str]
    bad_lines: set[tuple[str, int]]
    lost: set[str]


def events_of(files: Mapping[str, Iterable[bytes]], deepest: int = 4) -> Answer:
    """The events in files of N-Triples."""
    triples, bad_lines = set(), set()
    for source, lines in files.items():
        for number, line in enumerate(lines, 1):
            try:
                for quad in parse(line, format=RdfFormat.N_TRIPLES):
                    triples.add((_node(source, quad.subject), quad.predicate.value, source, quad))
            except SyntaxError:
                bad_lines.add((source, number))
    names: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for subject, predicate, _, quad in triples:
        identifier, told = opaque_id(subject[1]), quad.object
        if identifier and isinstance(told, Literal) and _is_english(told):
            rank = 2 * [NAME, LABEL].index(predicate) if predicate in (NAME, LABEL) else None
            if rank is not None and isinstance(literal_term(told), Text):
                names[identifier].append((rank + (told.language == "en-gb"), told.value))

    leaves: dict[Node, set[tuple[str, str]]] = defaultdict(set)
    ways: dict[Node, set[tuple[Node, str]]] = defaultdict(set)
    for subject, predicate, source, quad in triples:
        attribute, told = attribute_name(predicate), quad.object
        if isinstance(told, BlankNode):
            ways[_node(source, told)].add((subject, attribute))
        elif isinstance(told, Literal):
            if _is_english(told):
                leaves[subject].add((attribute, json.dumps(_value(told))))
        elif identifier := opaque_id(told.value):
            if identifier in names:
                leaves[subject].add((attribute, json.dumps(min(names[identifier])[1])))
        else:
            name = kind_name if predicate == RDF_TYPE else thing_name
            leaves[subject].add((attribute, json.dumps(name(told.value))))

    placed = {node: next(iter(found)) for node, found in ways.items() if len(found) == 1}
    described = {subject for subject, *_ in triples}
    lost = {node for node in placed if _depth(node, placed, deepest) > deepest}
    roots = [node for node in described if node not in placed]
    events = [_object(root, leaves, placed, deepest) for root in roots]
    for root, event in zip(roots, events, strict=True):
        if event and not root[0]:
            event["@id"] = root[1]
    return Answer(
        sorted(canonical(event) for event in events if event),
        bad_lines,
        {f"_:{label}" for _, label in lost & described},
    )


def canonical(value: Any) -> str:
    """JSON in which the order of keys and of lists does not matter."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(sorted(map(canonical, value))) + "]"
    return json.dumps(value)


def _object(
    node: Node,
    leaves: Mapping[Node, set[tuple[str, str]]],
    placed: Mapping[Node, tuple[Node, str]],
    levels: int,
) -> dict[str, Any]:
    found: dict[str, list[Any]] = defaultdict(list)
    for attribute, value in leaves.get(node, ()):
        found[attribute].append(json.loads(value))
    for below, (above, attribute) in placed.items():
        if above == node and levels > 0:
            inner = _object(below, leaves, placed, levels - 1)
            if inner:
                found[attribute].append(inner)
    return {key: values[0] if len(values) == 1 else values for key, values in found.items()}


def _depth(node: Node, placed: Mapping[Node, tuple[Node, str]], deepest: int) -> int:
    depth = 0
    while node in placed and depth <= deepest:
        node, depth = placed[node][0], depth + 1
    return depth


def _node(source: str, node: Any) -> Node:
    return ("", node.value) if isinstance(node, NamedNode) else (source, node.value)


def _is_english(literal: Literal) -> bool:
    return literal.language in (None, "en", "en-gb")


def _value(literal: Literal) -> object:
    match literal.datatype.value.removeprefix(XSD):
        case "integer":
            return int(literal.value)
        case "double":
            return float(literal.value)
        case "boolean":
            return literal.value == "true"
    return literal.value
