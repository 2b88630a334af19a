"""What becomes of records, as tables: matches, and dead letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from purport.matching.batch_matches import BatchMatches
from purport.model.event_lines import DeadLetter
from purport.model.language.label import label
from purport.pipeline.tables import (
    DEAD_LETTERS,
    MATCHES,
    OUTCOMES,
    arrow_schema,
    record_batch_of_arrays,
    record_batch_of_rows,
)
from purport.pipeline.told import Matched, NamedEvents

_OUTCOMES = arrow_schema(OUTCOMES)
_MOST_ROWS = 65_536


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


def outcome_rows(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Rows of MATCHES or DEAD_LETTERS as the table OUTCOMES: what they do not have is null."""
    names = set(rows.schema.names)
    columns = [
        rows.column(one.name) if one.name in names else pa.nulls(len(rows), one.type)
        for one in _OUTCOMES
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_OUTCOMES)


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
