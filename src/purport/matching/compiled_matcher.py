"""Subscriptions compiled into flat arrays, and batches of events matched against them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from purport.matching.aggregation import FLOOR
from purport.matching.batches import Batch
from purport.matching.class_answers import ClassAnswers
from purport.matching.filing import Filing
from purport.matching.interned import Interned
from purport.matching.kernel import Found, Scratch, Told, match_events_of_tuples
from purport.matching.measures import Measures
from purport.matching.name_sides import NameSides
from purport.matching.plan import SubscriptionPlan
from purport.matching.rows import Reach, RowTable
from purport.matching.tellings import Tellings
from purport.matching.value_sides import ValueSides
from purport.model.event import MOST_STATEMENTS

_FIRST_FILING = 1000
_OFTEN = 1 << 60
_FEW_MATCHES = 64
_FEW_EVENTS = 2048


@dataclass(frozen=True, slots=True)
class Optimisations:
    """What may be left out to see what it saves: no answer depends on any of it.

    `commonalities`: equal predicates are scored once. `order`: subscriptions are looked for under
    the predicate that is answered least often. `interning`: what pairs of attribute and word answer
    is remembered. `lists`: only subscriptions are looked at of which something is answered.
    `bounds`: answers and subscriptions that cannot lead to a match are dropped early. `scales`:
    numbers and times are compared with sorted bounds, and not looked at and remembered one by one.
    """

    commonalities: bool = True
    order: bool = True
    interning: bool = True
    lists: bool = True
    bounds: bool = True
    scales: bool = True


class CompiledMatcher:
    """Matches batches of events against subscriptions of any kind whose scores are of words."""

    def __init__(
        self,
        measures: Measures,
        optimisations: Optimisations,
        classes: ClassAnswers | None = None,
    ) -> None:
        self._use = optimisations
        names, values = NameSides(measures), ValueSides(measures, classes)
        self._values = values
        self._rows = RowTable(
            names, values, is_shared=optimisations.commonalities, cuts=optimisations.bounds
        )
        self._tellings = Tellings(
            names, values, self._rows, measures, has_scales=optimisations.scales
        )
        self._filing = Filing(by_order=optimisations.order)
        self._scratches = [_scratch(0, 0)]
        self._found = _empty(_FEW_MATCHES)
        self._events = 0
        self._matches_an_event = 4.0
        self._next_filing = _FIRST_FILING

    @property
    def visited(self) -> int:
        """How many subscriptions were looked at, over all events."""
        looked_up = self._values.classes.looked_at if self._values.classes is not None else 0
        return looked_up + int(sum(scratch.counters[1] for scratch in self._scratches))

    def add(self, plan: SubscriptionPlan) -> int:
        """Take up a subscription; its slot. Later ones have higher slots."""
        self._filing.require_room()
        first_new = len(self._rows)
        needs = self._rows.needs(plan, len(self._filing))
        slot, filed = self._filing.add(needs, Reach.of(plan))
        for row in filed:
            self._rows.want(row, first_new)
        return slot

    def skip(self) -> int:
        """A slot that stays empty, for a subscription that is matched elsewhere."""
        return self._filing.add([], Reach(0, 0.0, False))[0]

    def remove(self, slot: int) -> None:
        """Drop a subscription."""
        self._filing.remove(slot)

    def interned(self) -> Interned:
        """What a batch is to be encoded with; what it gave before may be forgotten."""
        self._tellings.make_room()
        if not self._use.interning:
            self._tellings.forget_hits()
        return self._tellings.interned

    @property
    def met(self) -> Interned:
        """What batches were encoded with since."""
        return self._tellings.interned

    def forget(self) -> None:
        """Forget all that was met, since measures score it otherwise; between batches."""
        self._tellings.forget()

    def match_event(self, batch: Batch) -> tuple[Found, int]:
        """The matches of the one event in a batch, and how many there are.

        They are there until the next call.
        """
        tellings = self._tellings.numbers(batch.attributes, batch.codes)
        told = Told(batch.starts, tellings, batch.numbers)
        self._scratches[0] = scratch = self._fitting(self._scratches[0])
        done, count = self._kernel(told, 0, 1, scratch, self._found)
        while not done:
            self._found = _empty(4 * len(self._found.events))
            done, count = self._kernel(told, 0, 1, scratch, self._found)
        self._count(1)
        return self._found, count

    def match(self, batch: Batch, threads: int = 1) -> Found:
        """The matches of a batch, event by event, best first; among equals, lowest slot first."""
        if threads == 1 or len(batch) <= _FEW_EVENTS:
            tellings = self._tellings.numbers(batch.attributes, batch.codes)
            told = Told(batch.starts, tellings, batch.numbers)
            self._scratches[0] = scratch = self._fitting(self._scratches[0])
            found = self._match_range(told, 0, len(batch), scratch)
        else:
            with ThreadPoolExecutor(threads) as pool:
                found = self._match_on_threads(batch, threads, pool)
        self._count(len(batch))
        return found

    def _match_on_threads(self, batch: Batch, threads: int, pool: ThreadPoolExecutor) -> Found:
        tellings = self._tellings.numbers(batch.attributes, batch.codes, pool)
        told = Told(batch.starts, tellings, batch.numbers)
        while len(self._scratches) < threads:
            self._scratches.append(_scratch(0, 0))
        self._scratches[:threads] = map(self._fitting, self._scratches[:threads])
        self._tellings.bounds()  # made here, once, and not by every thread
        ends = [len(batch) * number // threads for number in range(threads + 1)]
        tasks = [
            pool.submit(self._match_range, told, ends[number], ends[number + 1], scratch)
            for number, scratch in enumerate(self._scratches[:threads])
        ]
        return _joined([task.result() for task in tasks])

    def _match_range(self, told: Told, first: int, last: int, scratch: Scratch) -> Found:
        parts: list[Found] = []
        events = last - first
        room = int(self._matches_an_event * (last - first)) + 64
        while first < last:
            found = _empty(room)
            first, count = self._kernel(told, first, last, scratch, found)
            parts.append(_trimmed(found, count))
            room *= 4
        joined = _joined(parts)
        if events:
            self._matches_an_event = max(4.0, 1.5 * len(joined.events) / events)
        return joined

    def _kernel(
        self, told: Told, first: int, last: int, scratch: Scratch, found: Found
    ) -> tuple[int, int]:
        return match_events_of_tuples(
            first,
            last,
            tuple(told),
            tuple(self._tellings.hits.arrays()),
            tuple(self._tellings.bounds()),
            tuple(self._filing.arrays()),
            tuple(self._filing.filed()),
            tuple(scratch),
            tuple(found),
            FLOOR,
            not self._use.lists,
            self._use.bounds,
        )

    def _count(self, events: int) -> None:
        """File subscriptions anew from time to time, by what was seen since."""
        self._events += events
        if self._events >= self._next_filing:
            self._next_filing = 10 * self._events
            answered = np.zeros(len(self._rows), np.int64)
            for scratch in self._scratches:
                answered[: len(scratch.hits)] += scratch.hits[: len(answered)]
            answered[self._rows.is_range] = _OFTEN + 1  # nobody counts them
            answered[self._rows.is_wanted] = _OFTEN
            self._filing.file_anew(answered)

    def _fitting(self, scratch: Scratch) -> Scratch:
        """Scratch with room for all rows and slots."""
        rows, slots = len(self._rows), len(self._filing)
        if len(scratch.best) >= rows and len(scratch.slot_stamps) >= slots:
            return scratch
        larger = _scratch(2 * rows, 2 * slots)
        larger.hits[: len(scratch.hits)] = scratch.hits
        larger.counters[:] = scratch.counters
        return larger


def _scratch(rows: int, slots: int) -> Scratch:
    return Scratch(
        np.zeros(rows, np.float64),
        np.zeros(rows, np.int32),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int32),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.float64),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(MOST_STATEMENTS, np.int32),
        np.zeros(3, np.int64),
    )


def _empty(room: int) -> Found:
    return Found(
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.float64),
        np.empty(room, np.int64),
        np.empty(8 * room, np.int32),
        np.empty(8 * room, np.float64),
    )


def _trimmed(found: Found, count: int) -> Found:
    end = int(found.ends[count - 1]) if count else 0
    return Found(
        found.events[:count],
        found.slots[:count],
        found.probabilities[:count],
        found.ends[:count],
        found.statements[:end],
        found.similarities[:end],
    )


def _joined(parts: Sequence[Found]) -> Found:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return _empty(0)
    before = np.cumsum([0, *(len(part.statements) for part in parts[:-1])])
    ends = [part.ends + shift for part, shift in zip(parts, before, strict=True)]
    joined = Found(*(np.concatenate(several) for several in zip(*parts, strict=True)))
    return joined._replace(ends=np.concatenate(ends))
