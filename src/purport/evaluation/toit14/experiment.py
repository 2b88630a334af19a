"""Effectiveness over degrees of approximation (TOIT'14, 6.4.3), as a Spark job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import SparkSession

from purport.evaluation.dense_matching import DenseEvents
from purport.evaluation.ranking import best_effectiveness, effectiveness_at
from purport.evaluation.toit14.thesaurus import Thesaurus
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

THRESHOLD = 0.5
# What the paper's figures 10 and 12, and its text, give for its matcher, in percent.
_PUBLISHED = {0.5: "94-97", 1.0: "40"}


def published_f1(degree: float) -> str:
    """The published F1 at a degree of approximation, where the text states one."""
    return _PUBLISHED.get(degree, "-")


@dataclass(frozen=True, slots=True)
class Cell:
    """One run: a workload, a degree of approximation, a mode of the matcher.

    Under `competition` the terms of all subscriptions compete for an event's words.
    """

    settings: WorkloadSettings
    degree: float
    mode: Mode
    marks: tuple[str, ...] = ()
    competition: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run: the best F1, and that with one fixed threshold."""

    cell: Cell
    f1: float
    precision: float
    recall: float
    f1_at_threshold: float


def run_cell(cell: Cell) -> Outcome:
    """Make the workload, match it, and hold the ranking against the ground truth."""
    thesaurus = Thesaurus.curated()
    if cell.marks:
        thesaurus = thesaurus.marked(cell.marks)
    workload = Workload.generate(cell.settings, thesaurus)
    defaults = DEFAULTS[cell.mode]
    measures = Measures(defaults.measure, competition=cell.competition)
    events = DenseEvents([event_of(event.statements) for event in workload.events])
    asked = workload.relaxed(cell.degree)
    subscriptions = [subscription_of(one) for one in asked]
    for subscription in subscriptions:
        measures.register(subscription)
    probabilities = [
        events.probabilities(SubscriptionPlan.of(subscription, measures, defaults))
        for subscription in subscriptions
    ]
    truths = [workload.relevance(one) for one in asked]
    best = best_effectiveness(probabilities, truths)
    fixed = effectiveness_at(THRESHOLD, probabilities, truths)
    return Outcome(cell, best.f1, best.precision, best.recall, fixed.f1)


def run_cells(spark: SparkSession, cells: Sequence[Cell]) -> list[Outcome]:
    """Run cells on Spark, each in a task of its own."""

    def matched(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("cell").to_pylist():
                out = run_cell(cells[number])
                row = (number, out.f1, out.precision, out.recall, out.f1_at_threshold)
                yield record_batch_of_rows(EFFECTIVENESS, [row])

    numbers = spark.range(0, len(cells), numPartitions=len(cells)).selectExpr("int(id) AS cell")
    rows = numbers.mapInArrow(matched, EFFECTIVENESS).collect()
    return [
        Outcome(cells[row.cell], row.f1, row.precision, row.recall, row.f1_at_threshold)
        for row in sorted(rows, key=lambda row: row.cell)
    ]


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
