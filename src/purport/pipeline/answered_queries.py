"""Updates in a journal to notifications: what some queries would have been told of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from purport.broker.earlier_graph import EarlierGraph
from purport.broker.graph import Graph, recorded_change
from purport.broker.rdf_text import Binding, binding_texts
from purport.model.interval import microseconds_of
from purport.pipeline.entries_in_files import EntriesInFiles
from purport.pipeline.replayable import NamedQuery
from purport.pipeline.tables import ANSWER_NOTIFICATIONS, record_batch_of_rows
from purport.sparql.graph_store import Dataset
from purport.sparql.ontology_rules import InferenceSource

_QUERIES = "name string, text string, dataset string"  # the last as JSON
_NOTIFICATIONS_AT_ONCE = 1_000

Told = tuple[str, int, int, int, Sequence[Binding], Sequence[Binding]]  # a row of the table


@dataclass(frozen=True, slots=True)
class UpdatesInFiles:
    """What is replayed to queries: a part of a journal, and what was before.

    The graph before the first entry is in a file too, so that it goes to no worker by Spark.
    """

    entries: EntriesInFiles
    graph: Path
    begins: datetime  # the time of the first entry
    ontology: InferenceSource | None = None  # by which queries see what follows from the graph

    def graph_before(self) -> Graph:
        """The graph as it was before."""
        kept = msgspec.json.decode(self.graph.read_bytes(), type=EarlierGraph)
        graph = Graph(self.ontology)
        graph.restore(sorted(kept.facts), sorted(kept.graphs))
        return graph


def answer_notifications(
    spark: SparkSession, queries: Sequence[NamedQuery], updates: UpdatesInFiles
) -> DataFrame:
    """What each query is told, as the table ANSWER_NOTIFICATIONS.

    Every task has some of the queries, and goes through all updates for them.
    """
    rows = [(one.name, one.text, msgspec.json.encode(one.dataset).decode()) for one in queries]
    tasks = min(len(rows), spark.sparkContext.defaultParallelism)

    def told(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        asked = [
            NamedQuery(row["name"], row["text"], msgspec.json.decode(row["dataset"], type=Dataset))
            for batch in batches
            for row in batch.to_pylist()
        ]
        if asked:
            yield from _batches(_told(asked, updates))

    return (
        spark.createDataFrame(rows, _QUERIES)
        .repartition(tasks)
        .mapInArrow(told, ANSWER_NOTIFICATIONS)
    )


def _told(queries: Sequence[NamedQuery], updates: UpdatesInFiles) -> Iterator[Told]:
    graph = updates.graph_before()
    before, at = updates.entries.span.after, microseconds_of(updates.begins)
    graph.set_time(at)
    for one in queries:
        graph.subscribe(one.name, one.query)
        yield one.name, 0, before, at, graph.whole_answer(one.query), ()
    numbers = dict.fromkeys((one.name for one in queries), 0)
    for sequence, at, updated in updates.entries.updates():
        graph.set_time(at)
        for news in graph.make(recorded_change(updated)):
            numbers[news.subscription] += 1
            number = numbers[news.subscription]
            yield news.subscription, number, sequence, at, news.added, news.removed


def _batches(told: Iterator[Told]) -> Iterator[pa.RecordBatch]:
    while some := [_row(one) for one in islice(told, _NOTIFICATIONS_AT_ONCE)]:
        yield record_batch_of_rows(ANSWER_NOTIFICATIONS, some)


def _row(told: Told) -> tuple[object, ...]:
    *named, added, removed = told
    return *named, *(
        [list(one.items()) for one in binding_texts(some)] for some in (added, removed)
    )
