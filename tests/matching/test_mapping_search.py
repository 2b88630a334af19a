"""The best mappings, by what each pair gains, are those of trying every one."""

from collections.abc import Iterable
from itertools import permutations, product

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from purport.matching.mapping_search import best_mappings
from purport.relatedness.measure import Scores

gains_of_pairs = arrays(
    np.float64,
    st.tuples(st.integers(1, 3), st.integers(1, 4)),
    elements=st.sampled_from([-np.inf, 0.0, 0.25, 0.5, 0.5, 1.0]),
)


@example(np.array([[0.0, 0.5], [0.5, 1.0]]), 1, True)
@given(gains_of_pairs, st.integers(1, 9), st.booleans())
def test_of_mappings_that_gain_the_same_the_first_goes_first(
    gains: Scores, most: int, one_to_one: bool
) -> None:
    rows, columns = gains.shape
    every: Iterable[tuple[int, ...]] = product(range(columns), repeat=rows)
    if one_to_one:
        every = permutations(range(columns), rows)
    ranked = sorted((-sum(gains[row, one[row]] for row in range(rows)), one) for one in every)
    expected = [(vector, -total) for total, vector in ranked if np.isfinite(total)][:most]

    found = best_mappings(gains, most, one_to_one=one_to_one)

    assert [tuple(vector) for vector in found.vectors.tolist()] == [one for one, _ in expected]
    assert found.totals.tolist() == [total for _, total in expected]
