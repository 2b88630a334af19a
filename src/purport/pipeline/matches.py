"""Records to matches: one pass, in which each batch is read and matched where it lies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame

from purport.errors import NotSupportedYet
from purport.model.language.label import label
from purport.model.subscription import Subscription
from purport.pipeline.matcher_spec import MatcherSettings, MatcherSpec
from purport.pipeline.outcomes import dead_letter_rows, match_rows, matches, outcome_rows
from purport.pipeline.readers import Reader, RowReader
from purport.pipeline.tables import OUTCOMES
from purport.pipeline.timed.asked import split
from purport.pipeline.timed.at_rest import temporal_outcomes
from purport.temporal.asked import is_in_time


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
    return matches(match_outcomes(events, subscriptions, settings))


def match_outcomes(
    events: DataFrame,
    subscriptions: Iterable[Subscription],
    settings: MatcherSettings | None = None,
) -> DataFrame:
    """The same with dead letters among the matches: rows whose `reason` says why."""
    plain, timed = split(tuple(subscriptions))
    if timed and events.isStreaming:
        raise NotSupportedYet("events in time on a streaming DataFrame", label(timed[0]))
    text = "value" if events.columns == ["value"] else None
    found = outcomes(events, RowReader(text), MatcherSpec.of(plain, settings))
    return found.unionByName(temporal_outcomes(events, timed, settings)) if timed else found


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
                yield outcome_rows(rows)
            if found.dead_letters:
                yield outcome_rows(dead_letter_rows(found.dead_letters))

    return records.mapInArrow(matched, OUTCOMES)
