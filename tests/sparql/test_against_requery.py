"""Subscribed queries of every kind, against pyoxigraph asked before and after every update."""

import pytest
from hypothesis import event, given

from purport.errors import InvalidInput
from purport.model.class_expression import Named
from purport.ontology.axioms import SubClass
from purport.sparql import Engine, MemoryStore, Notification
from tests.sparql.requery import Tally, Update, play, quads_of
from tests.strategies.sparql import Case, alike_cases, cases
from tests.strategies.told_ontologies import ToldOntology


@given(cases)
def test_notifications_are_the_difference_of_two_answers(case: Case) -> None:
    """In the order of their numbers, whoever subscribes and unsubscribes in between."""
    tally = Tally()

    play(case, tally)

    event("told something" if tally.notifications else "told nothing")


@given(alike_cases)
def test_queries_that_are_the_same_or_alike_do_not_mix(case: Case) -> None:
    play(case, Tally())


@given(cases)
def test_a_change_that_is_found_first_and_applied_later_tells_the_same(case: Case) -> None:
    play(case, Tally(), way=_found_and_applied)


@given(cases)
def test_a_request_that_fails_half_way_changes_and_tells_nothing(case: Case) -> None:
    play(case, Tally(), way=_failing_first)


@given(cases)
def test_an_ontology_that_speaks_of_other_things_changes_nothing(case: Case) -> None:
    ontology = ToldOntology.of(SubClass(Named("urn:A"), Named("urn:B")))

    play(case, Tally(), engine=Engine(ontology=ontology))


@given(cases)
def test_nor_does_one_beside_a_store_that_has_what_is_asserted(case: Case) -> None:
    ontology = ToldOntology.of(SubClass(Named("urn:A"), Named("urn:B")))

    play(case, Tally(), way=_failing_first, engine=Engine(MemoryStore(), ontology=ontology))


def _found_and_applied(engine: Engine) -> Update:
    def update(text: str) -> list[Notification]:
        before = quads_of(engine)
        change = engine.change_of(text)
        assert quads_of(engine) == before
        return engine.apply(change)

    return update


def _failing_first(engine: Engine) -> Update:
    def update(text: str) -> list[Notification]:
        with pytest.raises(InvalidInput, match="there is no graph"):
            engine.update(f"{text} ; DROP GRAPH <urn:nowhere>")
        return engine.update(text)

    return update
