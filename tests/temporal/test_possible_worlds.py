"""The probability of a match is that of its best explanation, in all possible worlds."""

from datetime import timedelta

import pytest
from hypothesis import assume, given, settings

from purport.model import subscription as ast
from purport.model.interval import time_of
from purport.temporal.engine import Mark, TemporalEngine
from purport.temporal.history import MemoryHistory
from purport.temporal.occurrence import Occurrence
from purport.temporal.stored_answers import StoredAnswers
from purport.temporal.told import Detection
from tests.oracles.possible_worlds import PossibleWorlds
from tests.oracles.temporal_arrivals import Arrivals, Publication, Step
from tests.oracles.temporal_scan import Remembering, answers
from tests.strategies import temporal

LEAST = 0.05  # below it nothing is told
MOST_UNSURE = 9
ALLOWANCE = 1000
MATCHER = Remembering(temporal.matcher())


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
    arrivals = Arrivals([subscription], MATCHER, allowance=ALLOWANCE)
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
    _require_told_live(subscription, steps, likely)
    if isinstance(pattern, ast.Conjunction):
        assert _stored(subscription, arrivals.occurrences) == pytest.approx(likely, rel=1e-5)


def _require_told_live(
    subscription: ast.Subscription, steps: list[Step], likely: dict[str, float]
) -> None:
    """The engine tells of the same events, each as likely as the parts that it tells with it.

    In the worlds of these events alone that is the best explanation. A better one may come later.
    """
    engine = TemporalEngine(temporal.matcher, allowance=timedelta(microseconds=ALLOWANCE))
    engine.add("asked", subscription)
    told: list[Detection] = []
    for step in steps:
        assert isinstance(step, Publication)
        told += engine.take(step.event, time_of(step.at)).detections
    told += engine.go_on(Mark(ALLOWANCE))

    assert {one.event.id for one in told} == likely.keys()
    for one in told:
        about = one.instance.about.id
        named = {about, *(part.instance.about.id for part in one.instance.all_parts())}
        alone = [known for known in engine.history.all() if known.id in named]
        best = PossibleWorlds(alone, MATCHER).best(subscription.pattern)
        assert one.probability == pytest.approx(best[about], rel=1e-5)
        assert one.probability <= likely[about] + 1e-5


def _stored(subscription: ast.Subscription, happened: list[Occurrence]) -> dict[str, float]:
    """What a history answers."""
    history = MemoryHistory()
    history.keep(happened, applied=1)
    stored = StoredAnswers(history, temporal.matcher())
    found = {one.id: stored.answer(subscription, one) for one in happened}
    return {name: probability for name, probability in found.items() if probability is not None}
