"""What covers what among subscriptions to classes, against what a matcher says of many events."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import Matcher, Ontology
from purport.covering.covers import covers
from purport.errors import InvalidInput
from purport.ontology.el_profile import is_beyond_el
from tests.strategies.covering import Pair
from tests.strategies.covering_classes import class_pairs, simple_drinks
from tests.strategies.small_ontology import drinks, objects


@pytest.mark.parametrize("ontology", [drinks(), simple_drinks()], ids=["drinks", "simple drinks"])
@given(class_pairs, st.lists(objects, min_size=10, max_size=30))
def test_what_a_subscription_to_classes_accepts_no_cover_of_it_refuses(
    ontology: Ontology, pair: Pair, said: list[dict[str, Any]]
) -> None:
    if not covers(*pair, ontology=ontology):
        return
    told = []
    for one in pair:
        try:
            matcher = Matcher([one], measure="exact", ontology=ontology)
        except InvalidInput:  # it asks for a range of data in an order of classes
            return
        told.append(set(matcher.match_batch(said).events.tolist()))
    general, specific = told
    assert specific <= general


def test_the_simple_ontology_is_one_that_follows_by_saturation() -> None:
    assert is_beyond_el(drinks().axioms)
    assert not is_beyond_el(simple_drinks().axioms)
