"""Tellings, pairs of attribute and word or scale: their numbers, and the rows they answer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled
from purport.matching.flat_lists import Integers, Lists, Numbers, Places
from purport.matching.kernel import Flags

EMPTY = -1
_SCATTER = 0x1E3779B97F4A7C15


class Rows(NamedTuple):
    """Different predicates: their sides, and which statements are kept as answers to them.

    An answer below `cuts` cannot lead to a match. One that is not above `floors` counts as that;
    it is kept where `keeps_all` says that the exact side holding is enough to be an answer.
    """

    names: Integers
    values: Integers
    floors: Numbers
    cuts: Numbers
    keeps_all: Flags
    is_near_name: Flags


@compiled
def find_tellings(
    attributes: Integers,
    codes: Integers,
    keys: Places,
    numbers: Integers,
    versions: Integers,
    version: int,
    found: Integers,
) -> int:
    """Write the number of each statement's telling; how many are not known, or out of date."""
    missing = 0
    for at in range(len(codes)):
        slot = _slot(attributes[at], codes[at], keys)
        if keys[slot] == EMPTY or versions[numbers[slot]] != version:
            missing += 1
            found[at] = EMPTY
        else:
            found[at] = numbers[slot]
    return missing


@compiled
def add_tellings(
    attributes: Integers,
    codes: Integers,
    keys: Places,
    numbers: Integers,
    versions: Integers,
    version: int,
    found: Integers,
    known: int,
    changed: Integers,
) -> tuple[int, int]:
    """Number what `find_tellings` did not know; how many are known and how many have changed.

    The places in the batch where each of them stands first are written to `changed`.
    """
    count = 0
    for at in range(len(codes)):
        if found[at] == EMPTY:
            slot = _slot(attributes[at], codes[at], keys)
            if keys[slot] == EMPTY:
                keys[slot] = _key(attributes[at], codes[at])
                numbers[slot] = known
                known += 1
            number = numbers[slot]
            found[at] = number
            if versions[number] != version:
                versions[number] = version
                changed[count] = at
                count += 1
    return known, count


@compiled
def _key(attribute: int, code: int) -> np.int64:
    return (np.int64(attribute) << 32) | (np.int64(code) & 0xFFFFFFFF)


@compiled
def _slot(attribute: int, code: int, keys: Places) -> np.int64:
    """Where a telling stands in the table, or is to stand."""
    key, mask = _key(attribute, code), len(keys) - 1
    slot = ((key * _SCATTER) >> 29) & mask
    while keys[slot] != EMPTY and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@compiled
def rehash(keys: Places, numbers: Integers, larger: Places, larger_numbers: Integers) -> None:
    """Put all tellings into a larger table."""
    mask = len(larger) - 1
    for old in range(len(keys)):
        if keys[old] != EMPTY:
            slot = ((keys[old] * _SCATTER) >> 29) & mask
            while larger[slot] != EMPTY:
                slot = (slot + 1) & mask
            larger[slot] = keys[old]
            larger_numbers[slot] = numbers[old]


@compiled
def list_hits(
    attributes: Integers,
    codes: Integers,
    names: NDArray[np.float32],
    answered: Lists,
    rows_of_value: Lists,
    rows: Rows,
    low_rows: Integers,
    sizes: Integers,
    hits: Lists,
    tellings: Integers,
    is_counting: bool,
) -> None:
    """The rows that pairs of attribute and word answer: first how many, then which.

    `low_rows` are those that the right attribute is enough for, whatever the word.
    """
    for at in range(len(codes)):
        attribute, word = attributes[at], codes[at]
        first, size = answered.starts[word], answered.sizes[word]
        start = 0 if is_counting else hits.starts[tellings[at]]
        count = 0
        for place in range(first, first + size):
            value, weight = answered.items[place], answered.weights[place]
            begin = rows_of_value.starts[value]
            for entry in range(begin, begin + rows_of_value.sizes[value]):
                row = rows_of_value.items[entry]
                named = np.float64(names[attribute, rows.names[row]])
                if named > 0.0 or rows.is_near_name[row]:
                    score = named * weight
                    if score >= rows.cuts[row] and (
                        rows.keeps_all[row] or score > rows.floors[row]
                    ):
                        if not is_counting:
                            hits.items[start + count] = row
                            hits.weights[start + count] = max(score, rows.floors[row])
                        count += 1
        for row in low_rows:
            if names[attribute, rows.names[row]] > 0.0:
                is_answered = False
                for place in range(first, first + size):
                    is_answered |= answered.items[place] == rows.values[row]
                if not is_answered:
                    if not is_counting:
                        hits.items[start + count] = row
                        hits.weights[start + count] = rows.floors[row]
                    count += 1
        sizes[at] = count
