"""Superclasses read off models: what every member of a class is found to be in.

In a completed graph, a label that rests on no choice is in every model; a class that is no label of
a member is no superclass. What is left in doubt is tested by looking for a member outside, and
every graph completed on the way, with all its nodes, leaves fewer classes in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from purport.model.class_expression import Named
from purport.ontology.axioms import NOTHING
from purport.ontology.tableaux.concepts import Concepts
from purport.ontology.tableaux.tableau_search import Outcome, Search


class ModelClassification:
    """One classification; `find(concept)` looks for a member of a concept, which is node 0."""

    def __init__(
        self,
        concepts: Concepts,
        find: Callable[[int], tuple[Outcome, Search]],
        known: Mapping[str, frozenset[str]],
    ) -> None:
        self._concepts, self._find, self._known = concepts, find, known
        self._doubtful: dict[str, set[str]] = {}
        self._expanded = [name for name in known if name in concepts.expanded]
        self._names: dict[int, str] = {
            concepts.atom(name): name for name in known if name not in concepts.expanded
        }
        self._sure = {name: set(above) for name, above in known.items()}

    def result(self) -> Mapping[str, frozenset[str]]:
        """The superclasses of each class, itself among them where it was."""
        for name in sorted(self._known, key=lambda one: (len(self._known[one]), one)):
            self._classify(name)
        return {name: frozenset(above) for name, above in self._sure.items()}

    def _classify(self, name: str) -> None:
        """Find the superclasses of one class."""
        outcome, search = self._find(self._concepts.number(Named(name)))
        if outcome is Outcome.CONTRADICTION:
            self._sure[name].add(NOTHING.name)
            return
        self._sure[name] |= self._certain(search) - {name}
        if outcome is Outcome.GAVE_UP:
            return
        self._learn(search)
        self._note_root(name, search)
        doubtful = self._doubtful.get(name, set())
        while doubtful - self._sure[name]:
            self._test(name, min(doubtful - self._sure[name]))
            doubtful = self._doubtful.get(name, set())
        for wider in self._expanded:
            if wider != name and wider not in self._sure[name]:
                self._test(name, wider)

    def _test(self, name: str, wider: str) -> None:
        """Look for a member of one class outside another."""
        concepts = self._concepts
        both = (concepts.number(Named(name)), concepts.number(Named(wider)) ^ 1)
        outcome, search = self._find(concepts.conjunction(both))
        if outcome is Outcome.CONTRADICTION:
            self._sure[name].add(wider)
            self._sure[name] |= self._sure[wider] - {name}
            return
        self._doubtful.get(name, set()).discard(wider)
        if outcome is Outcome.MODEL:
            self._learn(search)
            self._note_root(name, search)

    def _certain(self, search: Search) -> set[str]:
        root = search.graph.current(0)
        label = search.graph.nodes[root].label
        return {
            self._names[one] for one, grounds in label.items() if not grounds and one in self._names
        }

    def _note_root(self, name: str, search: Search) -> None:
        root = search.graph.current(0)
        found = {self._names[one] for one in search.graph.nodes[root].label if one in self._names}
        self._narrow(name, found)

    def _learn(self, search: Search) -> None:
        """Every node of a completed graph is a member of its labels, and of nothing else."""
        graph = search.graph
        for node in graph.live():
            found = {self._names[one] for one in graph.nodes[node].label if one in self._names}
            for name in found:
                self._narrow(name, found)

    def _narrow(self, name: str, found: set[str]) -> None:
        doubtful = self._doubtful.get(name)
        if doubtful is None:
            self._doubtful[name] = found - {name}
        else:
            doubtful &= found
