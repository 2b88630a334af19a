"""The inner loops of matching, over flat arrays.

A *row* is a different predicate; a *telling* a different pair of attribute and word, or of
attribute and scale (`tellings_kernel.py`). `match_events` takes the best answer to each row that
an event's tellings give, and adds up what subscriptions gain.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled
from purport.matching.aggregation import DIGITS
from purport.matching.flat_lists import Integers, Lists, Numbers, Places

Flags = NDArray[np.bool_]
Arrays = tuple[NDArray[Any], ...]

_SLOT_BITS = 23
_RUN = 24
MOST_SLOTS = 1 << _SLOT_BITS
OTHER_ROW = 32  # where the second of two rows begins that are packed into one number
_LOW_BITS = (1 << OTHER_ROW) - 1


class Bounds(NamedTuple):
    """Rows that a number answers when it lies between two bounds, in four orders for a telling.

    `numbers` says which of the `starts` are a telling's (-1: it is on no scale). From the first on
    stand equalities by their number, from the second what has a lower bound, by it, from the third
    what has an upper bound only, largest first, and from the fourth to the last all but equalities,
    by row, to be looked up: `is_range` tells which rows these are.
    """

    numbers: Integers
    starts: Places
    lows: Numbers
    highs: Numbers
    rows: Integers
    weights: Numbers
    is_range: Flags


class Asked(NamedTuple):
    """Subscriptions in slots: their rows behind one another, and what they need.

    `defaults` is what a row gains when nothing answers it, `always` the slots that may match
    without any answer, `needed` a total below which there is no match.
    """

    starts: Places
    sizes: Integers
    rows: Integers
    defaults: Numbers
    thresholds: Numbers
    needed: Numbers
    is_mean: Flags
    always: Integers


class Told(NamedTuple):
    """Statements of events behind one another: their tellings and numbers."""

    starts: Places
    tellings: Integers
    numbers: Numbers


class Scratch(NamedTuple):
    """Room for what is found out about one event, by rows and by slots; one for each thread.

    `on_scale` are the statements with bounds; `counters` hold the stamp of the last event, the
    number of subscriptions looked at so far, and that of the statements with bounds.
    """

    best: Numbers
    statements: Integers
    row_stamps: Places
    range_stamps: Places
    touched: Integers
    slot_stamps: Places
    probabilities: Numbers
    keys: Places
    merged: Places
    hits: Places
    on_scale: Integers
    counters: Places


class Found(NamedTuple):
    """Matches behind one another; of each the statements that answer its rows, and how well.

    A similarity that is not above the floor counts as that, and is not a number here.
    """

    events: Integers
    slots: Integers
    probabilities: Numbers
    ends: Places
    statements: Integers
    similarities: Numbers


@compiled
def match_events_of_tuples(
    first: int,
    last: int,
    told: Arrays,
    hits: Arrays,
    bounds: Arrays,
    asked: Arrays,
    filed: Arrays,
    scratch: Arrays,
    found: Arrays,
    floor: float,
    visits_all: bool,
    stops_early: bool,
) -> tuple[int, int]:
    """`match_events` for plain tuples: to hand over named ones takes four times as long."""
    return match_events(
        first,
        last,
        Told(*told),
        Lists(*hits),
        Bounds(*bounds),
        Asked(*asked),
        Lists(*filed),
        Scratch(*scratch),
        Found(*found),
        floor,
        visits_all,
        stops_early,
    )


@compiled
def match_events(
    first: int,
    last: int,
    told: Told,
    hits: Lists,
    bounds: Bounds,
    asked: Asked,
    filed: Lists,
    scratch: Scratch,
    found: Found,
    floor: float,
    visits_all: bool,
    stops_early: bool,
) -> tuple[int, int]:
    """Match events up to `last`; which one comes next, and how many matches are written.

    It stops before `last` when there is no more room in `found`. `filed` are the slots to look at
    when something answers a row, and two others that must be answered too. A similarity not above
    `floor` is not written: what it counted for is not what it was. For measurements, `visits_all`
    looks at every subscription and `stops_early` may be left out.
    """
    written = 0
    for event in range(first, last):
        begin, end = told.starts[event], told.starts[event + 1]
        if begin == end:
            continue
        answered = _take_answers(begin, end, told, hits, bounds, scratch)
        count = 0
        if visits_all:
            for slot in range(len(asked.sizes)):
                if asked.sizes[slot] > 0:
                    count = _visit(slot, begin, told, bounds, asked, scratch, count, stops_early)
        else:
            for touched in range(answered):
                row = scratch.touched[touched]
                start = filed.starts[row]
                for entry in range(start, start + filed.sizes[row]):
                    others, slot = filed.weights[entry], filed.items[entry]
                    if _is_answered(others & _LOW_BITS, begin, told, bounds, scratch) and (
                        _is_answered(others >> OTHER_ROW, begin, told, bounds, scratch)
                    ):
                        count = _visit(
                            slot, begin, told, bounds, asked, scratch, count, stops_early
                        )
            for slot in asked.always:
                count = _visit(slot, begin, told, bounds, asked, scratch, count, stops_early)
        _sort(scratch.keys, scratch.merged, count)
        for rank in range(count):
            slot = scratch.keys[rank] & (MOST_SLOTS - 1)
            at = found.ends[written - 1] if written else 0
            if written == len(found.events) or at + asked.sizes[slot] > len(found.statements):
                return event, written - rank
            found.events[written] = event
            found.slots[written] = slot
            found.probabilities[written] = scratch.probabilities[slot]
            _write_mapping(slot, at, floor, asked, scratch, found)
            found.ends[written] = at + asked.sizes[slot]
            written += 1
    return last, written


@compiled
def _take_answers(
    begin: int, end: int, told: Told, hits: Lists, bounds: Bounds, scratch: Scratch
) -> int:
    """Find the best answer to each row in an event; how many rows have one."""
    scratch.counters[0] += 1
    scratch.counters[2] = 0
    count = 0
    for at in range(begin, end):
        telling = told.tellings[at]
        place = at - begin
        start = hits.starts[telling]
        for entry in range(start, start + hits.sizes[telling]):
            count = _take(hits.items[entry], hits.weights[entry], place, scratch, count)
        scale = bounds.numbers[telling]
        if scale >= 0:
            count = _take_bounds(told.numbers[at], scale, place, bounds, scratch, count)
            if bounds.starts[scale, 4] > bounds.starts[scale, 3]:
                scratch.on_scale[scratch.counters[2]] = at
                scratch.counters[2] += 1
    return count


@compiled
def _first_from(wanted: float, numbers: NDArray[Any], first: int, last: int) -> int:
    """The place of the first of sorted numbers that is not less than the wanted one."""
    while first < last:
        middle = (first + last) // 2
        if numbers[middle] < wanted:
            first = middle + 1
        else:
            last = middle
    return first


@compiled
def _take_bounds(
    number: float, scale: int, place: int, bounds: Bounds, scratch: Scratch, count: int
) -> int:
    equal, above = bounds.starts[scale, 0], bounds.starts[scale, 1]
    below, end = bounds.starts[scale, 2], bounds.starts[scale, 3]
    entry = _first_from(number, bounds.lows, equal, above)
    while entry < above and bounds.lows[entry] == number:
        count = _take(bounds.rows[entry], bounds.weights[entry], place, scratch, count)
        entry += 1
    entry = above
    while entry < below and bounds.lows[entry] <= number:
        if number <= bounds.highs[entry]:
            count = _take(bounds.rows[entry], bounds.weights[entry], place, scratch, count)
        entry += 1
    entry = below
    while entry < end and bounds.highs[entry] >= number:
        count = _take(bounds.rows[entry], bounds.weights[entry], place, scratch, count)
        entry += 1
    return count


@compiled
def _take(row: int, weight: float, place: int, scratch: Scratch, count: int) -> int:
    """Note an answer to a row, if it is better than those before it in the event."""
    if scratch.row_stamps[row] != scratch.counters[0]:
        scratch.row_stamps[row] = scratch.counters[0]
        scratch.touched[count] = row
        scratch.best[row] = weight
        scratch.statements[row] = place
        scratch.hits[row] += 1
        return count + 1
    if weight > scratch.best[row]:
        scratch.best[row] = weight
        scratch.statements[row] = place
    return count


@compiled
def _look_up_range(row: int, begin: int, told: Told, bounds: Bounds, scratch: Scratch) -> None:
    """Find the best answer to a row among the numbers of an event, unless it is found."""
    if scratch.range_stamps[row] == scratch.counters[0]:
        return
    scratch.range_stamps[row] = scratch.counters[0]
    for number in range(scratch.counters[2]):
        at = scratch.on_scale[number]
        scale = bounds.numbers[told.tellings[at]]
        end = bounds.starts[scale, 4]
        entry = _first_from(row, bounds.rows, bounds.starts[scale, 3], end)
        while entry < end and bounds.rows[entry] == row:
            if bounds.lows[entry] <= told.numbers[at] <= bounds.highs[entry]:
                weight, place = bounds.weights[entry], at - begin
                is_first = scratch.row_stamps[row] != scratch.counters[0]
                if (
                    is_first
                    or weight > scratch.best[row]
                    or (weight == scratch.best[row] and place < scratch.statements[row])
                ):
                    scratch.row_stamps[row] = scratch.counters[0]
                    scratch.best[row] = weight
                    scratch.statements[row] = place
            entry += 1


@compiled
def _is_answered(row: int, begin: int, told: Told, bounds: Bounds, scratch: Scratch) -> bool:
    """Whether something in the event answers a row."""
    if bounds.is_range[row]:
        _look_up_range(row, begin, told, bounds, scratch)
    return bool(scratch.row_stamps[row] == scratch.counters[0])


@compiled
def _visit(
    slot: int,
    begin: int,
    told: Told,
    bounds: Bounds,
    asked: Asked,
    scratch: Scratch,
    count: int,
    stops_early: bool,
) -> int:
    """Add up what a subscription gains; if it matches, note the key that it is sorted by."""
    stamp = scratch.counters[0]
    if scratch.slot_stamps[slot] == stamp:
        return count
    scratch.slot_stamps[slot] = stamp
    scratch.counters[1] += 1
    size, start, is_mean = asked.sizes[slot], asked.starts[slot], asked.is_mean[slot]
    most = 1.0 if is_mean else -1.0
    total = 0.0
    for entry in range(start, start + size):
        row = asked.rows[entry]
        if bounds.is_range[row]:
            _look_up_range(row, begin, told, bounds, scratch)
        gain = asked.defaults[entry]
        if scratch.row_stamps[row] == stamp:
            gain = scratch.best[row] if is_mean else -1.0 / scratch.best[row]
        total += gain
        left = start + size - 1 - entry
        if stops_early and total + most * left < asked.needed[slot]:
            return count
    probability = total / size if is_mean else size / -total
    probability = min(1.0, max(0.0, probability))
    if total == -np.inf or probability < asked.thresholds[slot]:
        return count
    scratch.probabilities[slot] = probability
    rank = np.int64(DIGITS) - np.int64(probability * DIGITS + 0.5)
    scratch.keys[count] = (rank << _SLOT_BITS) | slot
    return count + 1


@compiled
def _sort(keys: Places, other: Places, count: int) -> None:
    """Sort the first keys: short runs by insertion, then merged by way of another array."""
    for begin in range(0, count, _RUN):
        for end in range(begin + 1, min(begin + _RUN, count)):
            key, place = keys[end], end
            while place > begin and keys[place - 1] > key:
                keys[place] = keys[place - 1]
                place -= 1
            keys[place] = key
    width = _RUN
    while width < count:
        for begin in range(0, count, 2 * width):
            middle, end = min(begin + width, count), min(begin + 2 * width, count)
            for place in range(begin, middle):
                other[place] = keys[place]
            left, right, place = begin, middle, begin
            while left < middle:
                if right < end and keys[right] < other[left]:
                    keys[place] = keys[right]
                    right += 1
                else:
                    keys[place] = other[left]
                    left += 1
                place += 1
        width *= 2


@compiled
def _write_mapping(
    slot: int, at: int, floor: float, asked: Asked, scratch: Scratch, found: Found
) -> None:
    start = asked.starts[slot]
    for entry in range(asked.sizes[slot]):
        row = asked.rows[start + entry]
        if scratch.row_stamps[row] == scratch.counters[0]:
            found.statements[at + entry] = scratch.statements[row]
            is_known = scratch.best[row] > floor
            found.similarities[at + entry] = scratch.best[row] if is_known else np.nan
        else:
            found.statements[at + entry] = 0
            found.similarities[at + entry] = np.nan
