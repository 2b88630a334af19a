"""A journal to notifications: what subscriptions to events would have been told of its entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from purport.broker.gate import Gate, asked_of, contraries, is_gated
from purport.broker.journal import JournalError
from purport.errors import InvalidInput
from purport.matching.batch_matches import BatchMatches
from purport.matching.flat_lists import Places
from purport.model.interval import microseconds_of
from purport.model.language.label import label
from purport.model.subscription import Options, Subscription
from purport.pipeline.journal.stretch_rows import Span
from purport.pipeline.journal.told_entries import ToldEntries, journal_events
from purport.pipeline.matcher_spec import MatcherSettings, MatcherSpec
from purport.pipeline.tables import ANSWERS, NOTIFICATIONS, record_batch_of_arrays
from purport.pipeline.told import NamedEvents

_CONTRARY = " contrary "  # after the number of a subscription `on change`: what re-arms it


def answers(
    stretches: DataFrame,
    span: Span,
    subscriptions: Sequence[Subscription],
    settings: MatcherSettings | None = None,
) -> DataFrame:
    """How the entries of stretches, a table of their paths, answer; as the table ANSWERS."""
    spec = MatcherSpec.of(list(_asked(subscriptions)), settings)
    try:
        spec.build()
    except InvalidInput:
        called = [replace(asked_of(one), name=label(one)) for one in subscriptions]
        MatcherSpec.of(called, settings).build()  # the same error, with a name that people know
        raise

    def answered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for path in batch.column("path").to_pylist():
                yield from _answered(Path(path), span, spec)

    return stretches.mapInArrow(answered, ANSWERS)


def event_notifications(answers: DataFrame, subscriptions: Sequence[Subscription]) -> DataFrame:
    """What is told of some answers, in the order of the journal; as the table NOTIFICATIONS.

    All that answers a subscription comes to one task, since what it is told depends on what it was
    told before.
    """
    labels = [label(one) for one in subscriptions]
    options = [one.options for one in subscriptions]

    def told(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        gated, current = _Gated(Options()), -1
        for batch in batches:
            for number, rows in _runs(batch):
                if number != current:
                    gated, current = _Gated(options[number]), number
                yield from gated.told(rows, labels[number])

    together = answers.repartition("subscription")
    in_order = together.sortWithinPartitions("subscription", "sequence", "is_contrary")
    return in_order.mapInArrow(told, NOTIFICATIONS)


def _asked(subscriptions: Sequence[Subscription]) -> Iterator[Subscription]:
    """What has to be matched, under names that say for which subscription."""
    for number, one in enumerate(subscriptions):
        yield replace(asked_of(one), name=str(number))
        if one.options.on_change:
            for count, opposite in enumerate(contraries(one)):
                yield replace(opposite, name=f"{number}{_CONTRARY}{count}")


def _answered(path: Path, span: Span, spec: MatcherSpec) -> Iterator[pa.RecordBatch]:
    """How the entries of a stretch answer; `JournalError` if one cannot be read or matched."""
    matcher = spec.build()
    for entries in journal_events(path, span):
        found = entries.match(matcher)
        for letter in found.dead_letters:
            raise JournalError(f"{path}, entry {letter.line}: {letter.reason}")
        for events, matches in found.found:
            yield _answer_rows(entries, events, matches)


def _answer_rows(
    entries: ToldEntries, events: NamedEvents, matches: BatchMatches
) -> pa.RecordBatch:
    """The table ANSWERS."""
    places = events.places(matches.events)
    slots, rows = np.unique(matches.found.slots, return_inverse=True)
    names = [(matches.subscriptions[slot].name or "").partition(_CONTRARY) for slot in slots]
    numbers = np.array([int(number) for number, _, _ in names], np.int32)
    is_contrary = np.array([bool(mark) for _, mark, _ in names], np.bool_)
    starts = pa.array(np.concatenate([[0], matches.found.ends]).astype(np.int32))
    columns = [
        pa.array(numbers[rows]),
        pa.array(is_contrary[rows]),
        places.offsets,
        pa.array(entries.times_of(places.offsets.to_numpy())),
        places.ids,
        pa.array(matches.probabilities),
        pa.ListArray.from_arrays(starts, pa.array(matches.found.statements)),
        pa.ListArray.from_arrays(starts, pa.array(matches.similarities)),
    ]
    return record_batch_of_arrays(ANSWERS, columns)


def _runs(batch: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of each subscription, which stand together, with its number."""
    numbers = batch.column("subscription").to_numpy()
    starts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    for start, end in pairwise(starts):
        if end > start:
            yield int(numbers[start]), batch.slice(start, end - start)


@dataclass(slots=True)
class _Gated:
    """What one subscription is told: the broker's gate, entry after entry."""

    options: Options
    _next: int = 0
    _gate: Gate = field(default_factory=Gate)
    _answered: int = 0  # the last sequence that answers the subscription itself

    def told(self, rows: pa.RecordBatch, subscription: str) -> Iterator[pa.RecordBatch]:
        """The notifications of the next answers."""
        is_told = self._is_told(rows)
        told = rows.filter(pa.array(is_told))
        if not len(told):
            return
        numbers = np.arange(self._next, self._next + len(told))
        self._next += len(told)
        columns = [
            pa.repeat(pa.scalar(subscription, pa.string()), len(told)),
            pa.array(numbers),
            *(told.column(one.name) for one in NOTIFICATIONS if one.name in rows.schema.names[2:]),
        ]
        yield record_batch_of_arrays(NOTIFICATIONS, columns)

    def _is_told(self, rows: pa.RecordBatch) -> NDArray[np.bool_]:
        times: Places = rows.column("at").to_numpy()
        expires = self.options.expires
        is_told = np.ones(len(rows), np.bool_)
        if expires is not None:
            is_told &= times < microseconds_of(expires)
        return is_told & self._passes(rows, times) if is_gated(self.options) else is_told

    def _passes(self, rows: pa.RecordBatch, times: Places) -> NDArray[np.bool_]:
        """Which answers the gate lets pass; a contrary is no answer, and may open it."""
        passes = np.zeros(len(rows), np.bool_)
        sequences = rows.column("sequence").to_pylist()
        contrary = rows.column("is_contrary").to_pylist()
        for place, (sequence, at) in enumerate(zip(sequences, times.tolist(), strict=True)):
            if not contrary[place]:
                self._answered = sequence
                if self._gate.opens(self.options, at):
                    passes[place] = True
                    self._gate = self._gate.told(at)
            elif sequence != self._answered:
                self._gate = self._gate.rearmed()
        return passes
