"""A tableau for OWL 2: shows that a class has no member, or an ontology contradicts itself.

To show it, every way to draw a member is tried until each contradicts itself. What the bounds cut
short counts as not shown, so that `False` is always right, and so are the subsumptions that follow.
Individuals take part where a class names them, with what is said of them and those they lead to.
"""

from __future__ import annotations

from collections.abc import Mapping

from purport.model.class_expression import And, ClassExpression, Not
from purport.ontology.axioms import Axioms
from purport.ontology.tableaux.absorption import rules_of
from purport.ontology.tableaux.completion_graph import CompletionGraph
from purport.ontology.tableaux.concepts import Concepts
from purport.ontology.tableaux.contradictions import Narrator
from purport.ontology.tableaux.expanded_definitions import definitions_to_expand
from purport.ontology.tableaux.graph_nodes import Contradiction
from purport.ontology.tableaux.model_classification import ModelClassification
from purport.ontology.tableaux.roles import Roles
from purport.ontology.tableaux.tableau_search import Bounds, Outcome, Search

_STEPS_FOR_INDIVIDUAL = 200


class Tableau:
    """What an ontology rules out.

    `clash` is the last contradiction found, in words: `x is in A and in B, which are disjoint`.
    `has_given_up` tells whether some question was cut short by the bounds.
    """

    def __init__(
        self, axioms: Axioms, *, most_nodes: int = 2_000, most_steps: int = 200_000
    ) -> None:
        self._axioms = axioms
        self._concepts = Concepts(Roles(axioms), definitions_to_expand(axioms))
        self._rules = rules_of(axioms, self._concepts)
        self._bounds = Bounds(most_nodes, most_steps)
        self._of_axioms = len(self._concepts.table)
        self._answers: dict[int, bool] = {}
        self._narrator = Narrator(self._concepts, axioms.prefixes)
        self.clash = ""
        self.has_given_up = False

    @property
    def growth(self) -> int:
        """How many concepts are remembered besides those of the axioms."""
        return len(self._concepts.table) - self._of_axioms

    def is_satisfiable(self, expression: ClassExpression) -> bool:
        """Whether the class may have a member; False is always right."""
        concept = self._concepts.number(expression)
        if concept not in self._answers:
            self._answers[concept] = self._search(concept)[0] is not Outcome.CONTRADICTION
        return self._answers[concept]

    def subsumes(self, wider: ClassExpression, narrower: ClassExpression) -> bool:
        """Whether every member of the narrower class is in the wider; True is always right."""
        return not self.is_satisfiable(And((narrower, Not(wider))))

    def is_consistent(self) -> bool:
        """Whether all that is said of individuals may be true; when False, `clash` tells why."""
        graph = CompletionGraph(self._concepts, self._rules)
        try:
            graph.new_node(None)
            for name in sorted(self._axioms.individuals | self._rules.of_individual.keys()):
                graph.individual(self._concepts.nominal(name))
        except Contradiction as contradiction:
            self.clash = self._narrator.told(contradiction, graph)
            return False
        bounds = Bounds(
            self._bounds.most_nodes + len(graph.nodes),
            self._bounds.most_steps + _STEPS_FOR_INDIVIDUAL * len(graph.nodes),
        )
        outcome = self._concluded(Search(graph, self._concepts, bounds))
        return outcome is not Outcome.CONTRADICTION

    def classify_beyond(self, known: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
        """The superclasses of each class: the known ones, and all that the tableau finds besides.

        A class that can have no member has `owl:Nothing` among them.
        """
        return ModelClassification(self._concepts, self._search, known).result()

    def _search(self, concept: int) -> tuple[Outcome, Search]:
        """Try to draw a member of a concept, which is node 0."""
        graph = CompletionGraph(self._concepts, self._rules)
        search = Search(graph, self._concepts, self._bounds)
        try:
            graph.add(graph.new_node(None), concept, 0)
        except Contradiction as contradiction:
            self.clash = self._narrator.told(contradiction, graph)
            return Outcome.CONTRADICTION, search
        return self._concluded(search), search

    def _concluded(self, search: Search) -> Outcome:
        outcome = search.run()
        self.has_given_up |= outcome is Outcome.GAVE_UP
        if search.contradiction is not None:
            self.clash = self._narrator.told(search.contradiction, search.graph)
        return outcome
