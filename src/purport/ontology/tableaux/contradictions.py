"""Contradictions in words, e.g. `food:X is in food:Fruit and in food:Meat, which are disjoint`."""

from __future__ import annotations

from collections.abc import Mapping

from purport.model.language.write import write_class
from purport.model.rdf import XSD
from purport.ontology.prefixes import Prefixes
from purport.ontology.tableaux.completion_graph import CompletionGraph
from purport.ontology.tableaux.concepts import BOTTOM, TOP, Concepts, Kind
from purport.ontology.tableaux.graph_nodes import Contradiction


class Narrator:
    """Tells of contradictions, with short names."""

    def __init__(self, concepts: Concepts, prefixes: Mapping[str, str]) -> None:
        self._concepts = concepts
        self._prefixes = Prefixes.of(prefixes)

    def told(self, contradiction: Contradiction, graph: CompletionGraph) -> str:
        """The thing, and what of it cannot both be so."""
        it = self._thing(contradiction.node, graph)
        match contradiction.reason:
            case ("both", int(concept)):
                concept &= ~1
                is_in = "is" if self._concepts.table[concept].kind is Kind.NOMINAL else "is in"
                return f"{it} {is_in} {self.concept(concept)} and is not"
            case ("disjoint", int(one), int(other)):
                first, second = sorted((self.concept(one), self.concept(other)))
                return f"{it} is in {first} and in {second}, which are disjoint"
            case ("same", int(other)):
                return f"{it} is the same as {self._thing(other, graph)} and is different"
            case ("irreflexive", int(role)):
                return f"{it} has itself as {self._role(role)}, which is irreflexive"
            case ("disjoint properties", int(one), int(other)):
                both = f"{self._role(one)} and {self._role(other)}"
                return f"{it} has one value of {both}, which are disjoint"
            case ("itself", int(role)):
                return f"{it} has itself as {self._role(role)} and has not"
            case ("counts", int(some), int(limit)):
                return f"{it} has {self.concept(some)} and {self.concept(limit)}"
            case ("too many", int(limit), int(count)):
                return f"{it} has {count} different values where it has {self.concept(limit)}"
            case ("no way", int(concept)):
                return f"{it} is in {self.concept(concept)} and in no part of it"
            case ("no value",):
                return f"{it} is {self._data(contradiction.node, graph)}, which no value is"
            case ("too few values",):
                return f"there are too few values of {self._data(contradiction.node, graph)}"
        return f"{it} is in owl:Nothing"

    def concept(self, concept: int) -> str:
        """A concept in words near Manchester syntax."""
        one = self._concepts.table[concept]
        match one.kind, one.arguments:
            case Kind.ATOM | Kind.NOMINAL, (str(name),):
                return self.short(name)
            case Kind.NOT_ATOM | Kind.NOT_NOMINAL, (str(name),):
                return f"not {self.short(name)}"
            case Kind.AND | Kind.OR, parts:
                joint = " and " if one.kind is Kind.AND else " or "
                return f"({joint.join(map(self.concept, parts))})"
            case Kind.SOME, (role, filler):
                return f"{self._role(role)} some {self.concept(filler)}"
            case Kind.ONLY | Kind.STEP, (role, filler):
                return f"{self._role(role)} only {self.concept(filler)}"
            case Kind.AT_LEAST | Kind.AT_MOST, (count, role, filler):
                bound = "min" if one.kind is Kind.AT_LEAST else "max"
                of = "" if filler == TOP else f" {self.concept(filler)}"
                return f"{self._role(role)} {bound} {count}{of}"
            case Kind.SELF, (role,):
                return f"{self._role(role)} Self"
            case Kind.NOT_SELF, (role,):
                return f"not {self._role(role)} Self"
            case Kind.DATA, (expression,):
                return write_class(expression).replace(XSD, "xsd:")
            case Kind.NOT_DATA, (expression,):
                return f"not {write_class(expression)}".replace(XSD, "xsd:")
        return "owl:Nothing" if concept == BOTTOM else "owl:Thing"

    def short(self, name: str) -> str:
        """A prefixed name, or the full one."""
        return "something" if name.startswith("#") else self._prefixes.short(name)

    def _role(self, role: int) -> str:
        return ("inverse " if role & 1 else "") + self.short(self._concepts.roles.name(role))

    def _thing(self, node: int, graph: CompletionGraph) -> str:
        """The name of an individual; else what it was drawn for."""
        label, parent = graph.nodes[node].label, graph.nodes[node].parent
        if graph.nodes[node].is_data and parent is not None:
            role = min(graph.nodes[parent].edges.get(node, {0: 0}))
            return f"the {self._role(role)} of {self._thing(parent, graph)}"
        for concept in label:
            if self._concepts.table[concept].kind is Kind.NOMINAL:
                return self.concept(concept)
        for concept in label:
            one = self._concepts.table[concept]
            if one.kind is Kind.ATOM and not one.arguments[0].startswith("#"):
                return f"a member of {self.concept(concept)}"
        return "something"

    def _data(self, node: int, graph: CompletionGraph) -> str:
        return " and ".join(map(self.concept, graph.nodes[node].label)) or "a datatype"
