"""Effectiveness over degrees of approximation (TOIT'14, 6.4.3), as a Spark job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from purport.evaluation.dense_matching import DenseEvents
from purport.evaluation.ranking import Truth, Values, best_effectiveness, effectiveness_at
from purport.evaluation.toit14.rewriting import (
    EXPANSIONS,
    MOST_RULES,
    answers_by_parts,
    answers_by_rules,
    rewritten,
    within,
    wordnet_alternatives,
)
from purport.evaluation.toit14.thesaurus import CURATED, ThesaurusChoice
from purport.evaluation.toit14.workload import AskedPredicate, Workload, WorkloadSettings
from purport.matching.measures import Measures
from purport.matching.plan import DEFAULTS, Mode, SubscriptionPlan
from purport.model.comparison import Operator
from purport.model.event import Event, Statement
from purport.model.subscription import (
    Approximation,
    AskedAttribute,
    AskedValue,
    Comparison,
    Conjunction,
    Subscription,
)
from purport.model.term import Text
from purport.pipeline.tables import EFFECTIVENESS, record_batch_of_rows
from purport.relatedness.catalogue import MeasureSettings
from purport.relatedness.wordnet_neighbours import Neighbour

THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class Approximate:
    """Purport's own matcher, in a mode; its subscriptions' terms may compete for words."""

    mode: Mode
    competition: bool = False


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The rival: exact rules by WordNet, as many as there may be; None is any number."""

    expansion: tuple[Neighbour, ...]
    most_rules: int | None = MOST_RULES


@dataclass(frozen=True, slots=True)
class Cell:
    """One run: a workload, a degree of approximation, a matcher, a thesaurus."""

    settings: WorkloadSettings
    degree: float
    matcher: Approximate | Rewriting
    thesaurus: ThesaurusChoice = CURATED


def cells_of(
    workloads: Sequence[WorkloadSettings],
    degrees: Sequence[float],
    ours: Sequence[Approximate],
    thesauri: Sequence[ThesaurusChoice],
) -> list[Cell]:
    """Our matchers and every rewriting, bounded and not, on the same workloads."""
    matchers: tuple[Approximate | Rewriting, ...] = (
        *ours,
        *(Rewriting(expansion) for expansion in EXPANSIONS),
        *(Rewriting(expansion, None) for expansion in EXPANSIONS),
    )
    return [
        Cell(settings, degree, matcher, thesaurus)
        for thesaurus in thesauri
        for settings in workloads
        for degree in degrees
        for matcher in matchers
    ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run: the best F1, that with one fixed threshold, and the rules it took.

    `rules` are those that were listed: none where there was no bound, since there the parts are
    looked at one by one. `rules_needed` is how many a bound would have to allow.
    """

    cell: Cell
    f1: float
    precision: float
    recall: float
    f1_at_threshold: float
    rules: int
    rules_needed: float


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The probability of each event for each subscription, and the rules behind it."""

    probabilities: list[Values]
    rules: int
    rules_needed: float


def run_cell(cell: Cell) -> Outcome:
    """Make the workload, match it, and hold the ranking against the ground truth."""
    workload = _workload(cell.settings, cell.thesaurus)
    match cell.matcher:
        case Approximate() as ours:
            ranking = _approximate(workload, cell.degree, ours)
        case Rewriting(expansion, most_rules):
            ranking = _rewriting(workload, cell.degree, expansion, most_rules)
    truths = _truths(cell.settings, cell.thesaurus, cell.degree)
    best = best_effectiveness(ranking.probabilities, truths)
    fixed = effectiveness_at(THRESHOLD, ranking.probabilities, truths)
    return Outcome(
        cell, best.f1, best.precision, best.recall, fixed.f1, ranking.rules, ranking.rules_needed
    )


@lru_cache(maxsize=2)
def _workload(settings: WorkloadSettings, choice: ThesaurusChoice) -> Workload:
    return Workload.generate(settings, choice.build())


@lru_cache(maxsize=2)
def _truths(settings: WorkloadSettings, choice: ThesaurusChoice, degree: float) -> list[Truth]:
    workload = _workload(settings, choice)
    return [workload.relevance(one) for one in workload.relaxed(degree)]


def _approximate(workload: Workload, degree: float, ours: Approximate) -> _Ranking:
    defaults = DEFAULTS[ours.mode]
    measures = Measures(defaults.measure, competition=ours.competition)
    events = DenseEvents([event_of(event.statements) for event in workload.events])
    asked = workload.relaxed(degree)
    subscriptions = [subscription_of(one) for one in asked]
    for subscription in subscriptions:
        measures.register(subscription)
    probabilities = [
        events.probabilities(SubscriptionPlan.of(subscription, measures, defaults))
        for subscription in subscriptions
    ]
    return _Ranking(probabilities, len(asked), len(asked))


def _rewriting(
    workload: Workload, degree: float, expansion: Sequence[Neighbour], most_rules: int | None
) -> _Ranking:
    alternatives = wordnet_alternatives(MeasureSettings().wordnet(), expansion)
    every = [rewritten(one, alternatives) for one in workload.relaxed(degree)]
    needed = float(sum(one.rule_count for one in every))
    if most_rules is None:
        answers, rules = answers_by_parts(every, workload), 0
    else:
        bounded = within(every, most_rules)
        answers = answers_by_rules(bounded, workload)
        rules = sum(one.rule_count for one in bounded)
    return _Ranking([one.astype(np.float64) for one in answers], rules, needed)


def run_cells(spark: SparkSession, cells: Sequence[Cell]) -> list[Outcome]:
    """Run cells on Spark, each in a task of its own."""

    def matched(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("cell").to_pylist():
                out = run_cell(cells[number])
                yield record_batch_of_rows(EFFECTIVENESS, [(number, *_figures(out))])

    numbers = spark.range(0, len(cells), numPartitions=len(cells)).selectExpr("int(id) AS cell")
    rows = numbers.mapInArrow(matched, EFFECTIVENESS).collect()
    return [
        Outcome(cells[row.cell], *(row[figure] for figure in _FIGURES))
        for row in sorted(rows, key=lambda row: row.cell)
    ]


_FIGURES = tuple(name for name in EFFECTIVENESS.fieldNames() if name != "cell")


def _figures(outcome: Outcome) -> tuple[float, ...]:
    return tuple(getattr(outcome, figure) for figure in _FIGURES)


def event_of(statements: Iterable[tuple[str, str]]) -> Event:
    """An event of the workload, as the matcher takes it."""
    return Event(tuple(Statement(Text(name), Text(value)) for name, value in statements))


def subscription_of(asked: Sequence[AskedPredicate]) -> Subscription:
    """A subscription of the workload, as the matcher takes it."""
    near = Approximation()
    return Subscription(
        Conjunction(
            tuple(
                Comparison(
                    AskedAttribute(Text(one.attribute), near if one.attribute_is_relaxed else None),
                    Operator.EQUAL,
                    AskedValue(Text(one.value), near if one.value_is_relaxed else None),
                )
                for one in asked
            )
        )
    )
