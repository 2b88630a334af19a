"""The experiment of TOIT'14: the workload, its ground truth, and a small run of it on Spark."""

import numpy as np
import pytest
from pyspark.sql import SparkSession

from purport.errors import InvalidInput
from purport.evaluation.dense_matching import DenseEvents
from purport.evaluation.toit14.experiment import (
    Approximate,
    Cell,
    event_of,
    run_cell,
    run_cells,
    subscription_of,
)
from purport.evaluation.toit14.thesaurus import Thesaurus
from purport.evaluation.toit14.vocabulary import CAPABILITIES
from purport.evaluation.toit14.workload import Workload, WorkloadSettings
from purport.matching.matcher import Matcher
from purport.matching.measures import Measures
from purport.matching.plan import DEFAULTS, Mode, SubscriptionPlan
from tests.oracles.relevance import is_relevant

SMALL = WorkloadSettings(seed=3, seed_events=20, events=120, subscriptions=12)


@pytest.fixture(scope="module")
def workload() -> Workload:
    return Workload.generate(SMALL, Thesaurus.curated())


def test_the_workload_follows_from_its_seed(workload: Workload) -> None:
    assert Workload.generate(SMALL, Thesaurus.curated()) == workload
    other = Workload.generate(WorkloadSettings(4, 20, 120, 12), Thesaurus.curated())
    assert other.events != workload.events
    assert other.relaxed(0.5) != workload.relaxed(0.5)


def test_there_are_as_many_events_and_subscriptions_as_in_the_paper() -> None:
    workload = Workload.generate(WorkloadSettings(1, events=400), Thesaurus.curated())

    assert len(set(workload.seed_events)) == 165
    assert len(set(workload.subscriptions)) == 100
    assert all(len(subscription) == 3 for subscription in workload.subscriptions)
    assert all(len(event) <= 10 for event in workload.seed_events)
    assert len(CAPABILITIES) == 22


@pytest.mark.parametrize("degree", [0.0, 0.5, 1.0])
def test_a_share_of_the_parts_is_relaxed(workload: Workload, degree: float) -> None:
    for subscription in workload.relaxed(degree):
        parts = [(one.attribute_is_relaxed, one.value_is_relaxed) for one in subscription]
        assert sum(map(sum, parts)) == round(degree * 6)


@pytest.mark.parametrize("degree", [0.0, 0.5, 1.0])
def test_the_ground_truth_is_that_of_looking_at_every_event(
    workload: Workload, degree: float
) -> None:
    for subscription in workload.relaxed(degree):
        slow = [is_relevant(workload.thesaurus, subscription, event) for event in workload.events]
        assert workload.relevance(subscription).tolist() == slow


def test_an_event_stays_relevant_to_what_its_seed_event_matched(workload: Workload) -> None:
    for exact, relaxed in zip(workload.subscriptions, workload.relaxed(1.0), strict=True):
        relevant = workload.relevance(relaxed)
        for place, event in enumerate(workload.events):
            if set(exact) <= set(workload.seed_events[event.seed_event]):
                assert relevant[place]


def test_a_term_is_said_part_by_part() -> None:
    thesaurus = Thesaurus.parse(
        "energy consumption: power use [r] [e]\nevent: incident\nhigh: tall"
    )

    assert thesaurus.parts("high energy consumption event") == (
        "high", "energy consumption", "event",
    )  # fmt: skip
    assert len(thesaurus.versions("high energy consumption event")) == 8
    assert "high power use incident" in thesaurus.versions("high energy consumption event")
    assert thesaurus.marked("e").replacements.keys() == {"energy consumption"}
    with pytest.raises(InvalidInput, match="line 1: expected a term, a colon"):
        Thesaurus.parse("no colon here")


def test_the_curated_list_is_large_and_partly_marked() -> None:
    thesaurus = Thesaurus.curated()
    pairs = [one for others in thesaurus.replacements.values() for one in others]

    assert len(pairs) > 250
    assert 80 < sum(bool(one.marks) for one in pairs) < len(pairs)
    assert all(one.text and "[" not in one.text for one in pairs)


@pytest.mark.parametrize("competition", [False, True])
@pytest.mark.parametrize("mode", list(Mode))
def test_dense_probabilities_are_those_of_the_matcher(
    workload: Workload, mode: Mode, competition: bool
) -> None:
    defaults = DEFAULTS[mode]
    subscriptions = [subscription_of(asked) for asked in workload.relaxed(0.5)]
    matcher = Matcher(subscriptions, measure="esa", mode=mode, competition=competition)
    measures = Measures("esa", competition=competition)
    for subscription in subscriptions:
        measures.register(subscription)
    events = [event_of(event.statements) for event in workload.events[:15]]
    dense = DenseEvents(events)
    for subscription in subscriptions:
        found = dense.probabilities(SubscriptionPlan.of(subscription, measures, defaults))
        for event, probability in zip(events, found, strict=True):
            best = matcher.mappings(event, subscription, 1)
            assert probability == pytest.approx(best[0].probability if best else 0.0, abs=1e-6)


def test_competition_finds_more_of_what_is_meant() -> None:
    settings = WorkloadSettings(seed=1, seed_events=40, events=400, subscriptions=30)

    alone, competing = (
        run_cell(Cell(settings, 1.0, Approximate(Mode.DEFAULT, competition)))
        for competition in (False, True)
    )

    assert competing.f1 > alone.f1


def test_cells_on_spark_give_what_they_give_here(spark: SparkSession) -> None:
    cells = [Cell(SMALL, degree, Approximate(Mode.PAPER)) for degree in (0.0, 0.5)]

    outcomes = run_cells(spark, cells)

    assert outcomes == [run_cell(cell) for cell in cells]
    assert outcomes[0].f1 == 1
    assert 0.3 < outcomes[1].f1 <= 1
    assert np.isfinite(outcomes[1].f1_at_threshold)
