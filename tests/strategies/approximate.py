"""Subscriptions with `~` and events over a small world, and a measure with ties, zeros and ones."""

from dataclasses import dataclass, replace
from zlib import crc32

from hypothesis import strategies as st

from purport.model import subscription as ast
from purport.model.subscription import Approximation
from purport.model.term import folded
from tests.strategies.exact import (
    EQUALITIES,
    asked_attributes,
    asked_values,
    exact_predicates,
)
from tests.strategies.pairwise import Pairwise

_STEPS = (0.0, 0.0, 0.25, 0.5, 0.5, 0.75, 1.0, 0.875)  # kept as they are in single precision


@dataclass(frozen=True, slots=True)
class Steps(Pairwise):
    """A measure that gives one of a few scores to each pair, the same both ways."""

    def score(self, left: str, right: str) -> float:
        if folded(left) == folded(right):
            return 1.0
        key = "|".join(sorted((folded(left), folded(right))))
        return _STEPS[crc32(key.encode(errors="surrogatepass")) % len(_STEPS)]


approximations = st.sampled_from([None, Approximation()])


def _asked(value: ast.AskedValue, approximation: Approximation | None) -> ast.AskedValue:
    return replace(value, approximation=approximation)


near_attributes = st.builds(
    lambda asked, near: replace(asked, approximation=near), asked_attributes, approximations
)
near_values = st.builds(_asked, asked_values, approximations)
near_predicates = st.one_of(
    st.builds(ast.Comparison, near_attributes, st.sampled_from(EQUALITIES), near_values),
    st.builds(
        ast.OneOfValues, near_attributes, st.lists(near_values, min_size=1, max_size=3).map(tuple)
    ),
    st.builds(
        lambda predicate, near: replace(predicate, attribute=near),
        exact_predicates,
        near_attributes,
    ),
)
options = st.builds(
    ast.Options,
    threshold=st.sampled_from([None, 0.0, 0.3, 0.5, 0.8, 1.0]),
    top=st.sampled_from([None, 1, 3]),
    mapping=st.sampled_from([None, *ast.Multiplicity]),
    aggregation=st.sampled_from([None, *ast.Aggregation]),
    exact=st.sampled_from([None, *ast.Exactness]),
)
near_subscriptions = st.builds(
    lambda predicates, chosen: ast.Subscription(ast.Conjunction(tuple(predicates)), chosen),
    st.lists(near_predicates, min_size=1, max_size=3),
    options,
)
