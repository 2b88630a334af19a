"""Lines to matches: one pass, in which each batch is parsed and matched where it lies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from purport.matching.batch_matches import BatchMatches, FoundRow
from purport.matching.matcher import Matcher
from purport.matching.supported import label
from purport.model.event import Event
from purport.model.event_lines import DeadLetter
from purport.model.subscription import Subscription
from purport.pipeline.events import events_of_lines
from purport.pipeline.tables import DEAD_LETTERS, MATCHES, OUTCOMES, record_batch_of_rows

Row = tuple[object, ...]
_MOST_ROWS = 10_000
_NO_MATCH: Row = (None,) * len(MATCHES)
_NO_DEAD_LETTER: Row = (None,) * len(DEAD_LETTERS)


@dataclass(frozen=True)
class MatcherSpec:
    """What a worker needs to build the matcher: small, comparable, and fit to be sent."""

    subscriptions: tuple[Subscription, ...]

    def build(self) -> Matcher:
        """The matcher; `NotSupportedYet` if it cannot run one of the subscriptions.

        A worker builds it once, and keeps the scores that it has met.
        """
        return _built(self)


@lru_cache(maxsize=2)
def _built(spec: MatcherSpec) -> Matcher:
    return Matcher(spec.subscriptions)


def outcomes(lines: DataFrame, subscriptions: Sequence[Subscription]) -> DataFrame:
    """What becomes of lines: matches and dead letters, in one table.

    A subscription that cannot be run is refused here, before anything is started.
    """
    spec = MatcherSpec(tuple(subscriptions))
    spec.build()

    def matched(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        matcher = spec.build()
        for found in events_of_lines(batches):
            events = [said for said in found if isinstance(said, Event)]
            dead = (said for said in found if isinstance(said, DeadLetter))
            answers = matcher.match_batch(events)
            matches = (_match_row(answers, row, events) for row in answers.found_rows())
            rows = chain(map(_dead_letter_row, dead), matches)
            while chunk := list(islice(rows, _MOST_ROWS)):
                yield record_batch_of_rows(OUTCOMES, chunk)

    return lines.mapInArrow(matched, OUTCOMES)


def matches(outcomes: DataFrame) -> DataFrame:
    """The matches among the outcomes."""
    return outcomes.where(f.col("reason").isNull()).select(*MATCHES.fieldNames())


def dead_letters(outcomes: DataFrame) -> DataFrame:
    """The lines among the outcomes that were refused, each with the reason."""
    return outcomes.where(f.col("reason").isNotNull()).select(*DEAD_LETTERS.fieldNames())


def _dead_letter_row(said: DeadLetter) -> Row:
    return (*_NO_MATCH, said.source, said.line, said.reason, said.text)


def _match_row(found: BatchMatches, row: FoundRow, events: Sequence[Event]) -> Row:
    name = label(found.subscriptions[row.slot])
    match = events[row.event].id, name, row.probability, list(row.statements)
    return (*match, *_NO_DEAD_LETTER)
