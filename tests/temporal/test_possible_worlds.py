"""The probability of a match is that of its best explanation, in all possible worlds."""

import pytest
from hypothesis import assume, given, settings

from purport import Matcher
from purport.model import subscription as ast
from tests.oracles.possible_worlds import PossibleWorlds
from tests.oracles.temporal_scan import Arrivals, Publication, Remembering, Step, answers
from tests.strategies import temporal

LEAST = 0.05  # below it nothing is told
MOST_UNSURE = 9
MATCHER = Remembering(Matcher(measure=temporal.FewWords()))


@settings(max_examples=120)
@given(
    temporal.patterns(near=True, depth=1, is_positive=True, is_correlated=False)
    | temporal.conjunctions(near=True, depth=2, is_positive=True, is_correlated=False),
    temporal.streams(most=4, is_plain=True),
)
def test_a_match_is_as_likely_as_its_best_explanation_in_all_possible_worlds(
    pattern: ast.Pattern, steps: list[Step]
) -> None:
    subscription = ast.Subscription(pattern, ast.Options(threshold=LEAST))
    arrivals = Arrivals([subscription], MATCHER, allowance=1000)
    for step in steps:
        assert isinstance(step, Publication)
        arrivals.take(step.event, step.at)
    worlds = PossibleWorlds(arrivals.occurrences, MATCHER)
    list(worlds.explanations(pattern, ()))
    assume(sum(0 < chance < 1 for chance in worlds.chances.values()) <= MOST_UNSURE)

    found = answers(subscription, arrivals.occurrences, matcher=MATCHER)
    best = worlds.best(pattern)

    assert sum(weight for _, weight in worlds.worlds()) == pytest.approx(1)
    likely = {one: weight for one, weight in best.items() if weight >= LEAST}
    assert found == pytest.approx(likely)
