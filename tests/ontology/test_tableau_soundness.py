"""Whatever a small world shows to be possible, the tableau must not rule out."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from purport.model.class_expression import And, ClassExpression, Named, Not, Or
from purport.ontology.axioms import Axiom
from purport.ontology.tableaux.tableau import Tableau
from tests.oracles.interpretation import Interpretation
from tests.strategies.ontologies import (
    CLASSES,
    axioms,
    expressions,
    interpretations,
    ontology,
    short_expressions,
)


def tableau_of(world: Interpretation, said: list[Axiom]) -> Tableau:
    """A tableau of what is true in a world."""
    true = filter(world.satisfies, said)
    return Tableau(ontology(*true), most_nodes=60, most_steps=3_000)


@settings(max_examples=400, deadline=None)
@given(interpretations(), st.lists(axioms, max_size=12), st.lists(expressions, max_size=4))
def test_what_a_small_world_shows_is_never_ruled_out(
    world: Interpretation, said: list[Axiom], asked: list[ClassExpression]
) -> None:
    tableau = tableau_of(world, said)

    assert tableau.is_consistent(), tableau.clash
    for expression in asked:
        assert not world.members(expression) or tableau.is_satisfiable(expression), tableau.clash


@settings(max_examples=200, deadline=None)
@given(interpretations(), st.lists(axioms, max_size=12))
def test_what_is_found_above_a_class_is_above_it_in_every_small_world(
    world: Interpretation, said: list[Axiom]
) -> None:
    tableau = tableau_of(world, said)

    above = tableau.classify_beyond({name: frozenset({name}) for name in CLASSES})

    for narrower, wider_ones in above.items():
        for wider in wider_ones:
            assert world.members(Named(narrower)) <= world.members(Named(wider))


@settings(max_examples=150, deadline=None)
@given(
    interpretations(),
    st.lists(axioms, max_size=8),
    st.lists(st.lists(short_expressions, min_size=2, max_size=3), min_size=5, max_size=12),
)
def test_all_that_is_true_of_one_thing_is_possible_together(
    world: Interpretation, said: list[Axiom], ways: list[list[ClassExpression]]
) -> None:
    """Many choices at once, so that going back too far would be found out."""
    tableau = tableau_of(world, said)
    choices = [Or(tuple(one)) for one in ways]

    facts = [one if 0 in world.members(one) else Not(one) for one in choices]

    assert tableau.is_satisfiable(And(tuple(facts))), tableau.clash
