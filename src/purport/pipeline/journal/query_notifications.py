"""A journal to notifications: what SPARQL queries would have been told of its updates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec
from pyspark.sql import DataFrame, SparkSession

from purport.broker.earlier_graph import EarlierGraph
from purport.broker.graph import Graph, recorded_change
from purport.broker.rdf_text import Binding, binding_texts
from purport.model.interval import microseconds_of
from purport.pipeline.journal.entries_in_files import EntriesInFiles
from purport.pipeline.journal.replayable import NamedQuery
from purport.pipeline.journal.shared_out import told_in_shares
from purport.pipeline.tables import QUERY_NOTIFICATIONS
from purport.sparql.ontology_rules import InferenceSource

Texts = list[list[tuple[str, str]]]  # variables and terms, for each binding
Row = tuple[str, int, int, int, Texts, Texts]


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


def query_notifications(
    spark: SparkSession, queries: Sequence[NamedQuery], updates: UpdatesInFiles
) -> DataFrame:
    """What each query is told, as the table QUERY_NOTIFICATIONS.

    Every task has some of the queries, and goes through all updates for them.
    """

    def told(own: range) -> Iterator[Row]:
        return _rows([queries[number] for number in own], updates)

    return told_in_shares(spark, len(queries), told, QUERY_NOTIFICATIONS)


def _rows(queries: Sequence[NamedQuery], updates: UpdatesInFiles) -> Iterator[Row]:
    graph = updates.graph_before()
    before, at = updates.entries.span.after, microseconds_of(updates.begins)
    graph.set_time(at)
    for one in queries:
        graph.subscribe(one.name, one.query)
        yield one.name, 0, before, at, _texts(graph.whole_answer(one.query)), []
    numbers = dict.fromkeys((one.name for one in queries), 0)
    for sequence, at, updated in updates.entries.updates():
        graph.set_time(at)
        for news in graph.make(recorded_change(updated)):
            numbers[news.subscription] += 1
            number = numbers[news.subscription]
            added, removed = _texts(news.added), _texts(news.removed)
            yield news.subscription, number, sequence, at, added, removed


def _texts(bindings: Sequence[Binding]) -> Texts:
    return [list(one.items()) for one in binding_texts(bindings)]
