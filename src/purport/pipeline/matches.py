"""Records to matches: one pass, in which each batch is read and matched where it lies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from purport.errors import NotSupportedYet
from purport.matching.batch_matches import BatchMatches
from purport.matching.supported import label
from purport.model.event_lines import DeadLetter
from purport.model.subscription import Subscription
from purport.pipeline.matcher_spec import MatcherSettings, MatcherSpec
from purport.pipeline.readers import Reader, RowReader
from purport.pipeline.tables import (
    DEAD_LETTERS,
    MATCHES,
    OUTCOMES,
    arrow_schema,
    record_batch_of_arrays,
    record_batch_of_rows,
)
from purport.pipeline.timed.asked import split
from purport.pipeline.timed.at_rest import temporal_matches
from purport.pipeline.told import Matched, NamedEvents
from purport.temporal.asked import is_in_time

_OUTCOMES = arrow_schema(OUTCOMES)
_MOST_ROWS = 65_536


def match_stream(
    events: DataFrame,
    subscriptions: Iterable[Subscription],
    settings: MatcherSettings | None = None,
) -> DataFrame:
    """The matches of a table or stream of events, as the table MATCHES.

    Events are rows of any columns; or of the columns `event_id` and `statements`, a map or a list
    of structs of `attribute` and `value`; or of one column, `value`, that holds JSON. A row that is
    no event has no match: `match_outcomes` tells of it too. Subscriptions to events in time look
    at a table as a whole (`temporal_matches`); over a stream, a job runs them.
    """
    plain, timed = split(tuple(subscriptions))
    if timed and events.isStreaming:
        raise NotSupportedYet("events in time on a streaming DataFrame", label(timed[0]))
    found = matches(match_outcomes(events, plain, settings))
    return found.unionByName(temporal_matches(events, timed, settings)) if timed else found


def match_outcomes(
    events: DataFrame,
    subscriptions: Iterable[Subscription],
    settings: MatcherSettings | None = None,
) -> DataFrame:
    """The same with dead letters among the matches: rows whose `reason` says why."""
    text = "value" if events.columns == ["value"] else None
    return outcomes(events, RowReader(text), MatcherSpec.of(tuple(subscriptions), settings))


def outcomes(records: DataFrame, reader: Reader, spec: MatcherSpec) -> DataFrame:
    """What becomes of records: matches and dead letters, in one table.

    A subscription that cannot be run is refused here, before anything is started.
    """
    if spec.asked().has_time:
        timed = next(one for one in spec.subscriptions() if is_in_time(one.pattern))
        raise NotSupportedYet("events in time among outcomes", label(timed))

    def matched(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        matcher = spec.build()
        for told in reader.read(batches):
            found = told.match(matcher)
            for rows in match_rows(found, spec.version):
                yield _filled(rows)
            if found.dead_letters:
                yield _filled(dead_letter_rows(found.dead_letters))

    return records.mapInArrow(matched, OUTCOMES)


def matches(outcomes: DataFrame) -> DataFrame:
    """The matches among the outcomes."""
    return outcomes.where(f.col("reason").isNull()).select(*MATCHES.fieldNames())


def dead_letters(outcomes: DataFrame) -> DataFrame:
    """The records among the outcomes that were refused, each with the reason."""
    return outcomes.where(f.col("reason").isNotNull()).select(*DEAD_LETTERS.fieldNames())


def match_rows(matched: Matched, version: int) -> Iterator[pa.RecordBatch]:
    """The table MATCHES, batch by batch."""
    for told, found in matched.found:
        if len(found):
            whole = _match_rows(told, found, version)
            for start in range(0, len(whole), _MOST_ROWS):
                yield whole.slice(start, _MOST_ROWS)


def dead_letter_rows(letters: Sequence[DeadLetter]) -> pa.RecordBatch:
    """The table DEAD_LETTERS."""
    rows = [(one.source, one.line, one.reason, one.text) for one in letters]
    return record_batch_of_rows(DEAD_LETTERS, rows)


def _match_rows(told: NamedEvents, found: BatchMatches, version: int) -> pa.RecordBatch:
    events = told.places(found.events)
    slots, places = np.unique(found.found.slots, return_inverse=True)
    labels = pa.array([label(found.subscriptions[slot]) for slot in slots], pa.string())
    starts = pa.array(np.concatenate([[0], found.found.ends]).astype(np.int32))
    similarities = pa.array(found.similarities.astype(np.float32))
    columns = [
        events.ids,
        labels.take(pa.array(places)),
        pa.array(np.full(len(found), version, np.int32)),
        pa.array(found.probabilities.astype(np.float32)),
        pa.ListArray.from_arrays(starts, pa.array(found.found.statements)),
        pa.ListArray.from_arrays(starts, similarities),
        events.sources,
        events.offsets,
        pa.nulls(len(found)),
    ]
    return record_batch_of_arrays(MATCHES, columns)


def _filled(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Rows of one kind as outcomes: what they do not have is null."""
    names = set(rows.schema.names)
    columns = [
        rows.column(one.name) if one.name in names else pa.nulls(len(rows), one.type)
        for one in _OUTCOMES
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_OUTCOMES)
