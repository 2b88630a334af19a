"""A whole history at rest: what subscriptions to events in time would have been told of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from purport.model.subscription import Subscription
from purport.pipeline.matcher_spec import MatcherSettings, MatcherSpec
from purport.pipeline.outcomes import dead_letter_rows, matches, outcome_rows
from purport.pipeline.readers import Reader, RowReader
from purport.pipeline.tables import OUTCOMES, TIMED_EVENTS
from purport.pipeline.timed.asked import split
from purport.pipeline.timed.engines import by_text
from purport.pipeline.timed.rows import TimedRows
from purport.pipeline.timed.taking import Taking, TimedRow, rows_of


def temporal_matches(
    events: DataFrame,
    subscriptions: Iterable[Subscription],
    settings: MatcherSettings | None = None,
) -> DataFrame:
    """The matches in time of a table of events, as the table MATCHES.

    Events are rows as `match_stream` takes them, with their times in the columns `@start` and
    `@end`; those without a time do not count. They are taken in the order of their times, whatever
    order they stand in, so that none is late. Subscriptions to single events are left aside, and so
    are events that contradict others: `match_outcomes` tells of them.
    """
    return matches(temporal_outcomes(events, subscriptions, settings))


def temporal_outcomes(
    events: DataFrame,
    subscriptions: Iterable[Subscription],
    settings: MatcherSettings | None = None,
) -> DataFrame:
    """The same with dead letters among the matches: events that contradict what was told before."""
    _, asked = split(tuple(subscriptions))
    spec = MatcherSpec.of(asked, settings)
    text = "value" if events.columns == ["value"] else None
    groups = min(events.sparkSession.sparkContext.defaultParallelism, max(1, len(asked)))
    timed = timed_events(events, RowReader(text), spec)
    return _told(timed, asked, spec.settings, groups)


def timed_events(records: DataFrame, reader: Reader, spec: MatcherSpec) -> DataFrame:
    """What matters to time among records, as the table TIMED_EVENTS.

    A subscription that cannot be run is refused here, before anything is started.
    """
    spec.build()

    def found(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        matcher, rows = spec.build(), TimedRows(spec.asked())
        for told in reader.read(batches):
            timed = rows.take(told.match(matcher), told.appeared).timed
            if timed is not None:
                yield timed
        last = rows.last()
        if last is not None:
            yield last

    return records.mapInArrow(found, TIMED_EVENTS)


def _told(
    timed: DataFrame, asked: Sequence[Subscription], settings: MatcherSettings, groups: int
) -> DataFrame:
    """What engines tell that see everything, each of some of the subscriptions."""

    def told(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        engines: dict[int, Taking] = {}
        for batch in batches:
            for group in batch.column("group").unique().to_pylist():
                if group not in engines:
                    engines.clear()  # one follows the other
                    engines[group] = Taking(settings, timedelta(0))
                    engines[group].subscribe(by_text(asked[group::groups]), {})
                rows = batch.filter(pc.equal(batch.column("group"), group))
                taken = engines[group].take(_rows(rows), 1)
                found = taken.rows()
                if found is not None:
                    yield outcome_rows(found)
                if taken.letters and group == 0:  # the engines are all told the same events
                    yield outcome_rows(dead_letter_rows(taken.letters))

    time = f.coalesce("end", "start", "published", "until")
    every = f.explode(f.array(*(f.lit(group) for group in range(groups))))
    together = timed.withColumn("group", every).repartition(groups, "group")
    is_end = f.col("start").isNull()  # which may end at once what has just begun
    in_order = together.sortWithinPartitions("group", time, is_end, "source", "offset")
    return in_order.mapInArrow(told, OUTCOMES)


def _rows(batch: pa.RecordBatch) -> list[TimedRow]:
    """Rows in the order of time: an event says nothing of those that stand before it elsewhere."""
    table = pa.Table.from_batches([batch]).select(TIMED_EVENTS.fieldNames())
    return [row if row.event_id is None else row._replace(until=None) for row in rows_of(table)]
