"""Texts under numbers, found by their bytes: a kernel looks them up where they lie in a line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled, inlined
from purport.matching.flat_lists import Integers, Places, grown
from purport.matching.text_kernel import Letters

ABSENT = -(2**31)
Hashes = NDArray[np.uint64]

_SEED = np.uint64(0xCBF29CE484222325)  # FNV-1a
_PRIME = np.uint64(0x100000001B3)
_FEW = 1024


class TextTable:
    """A table from texts, as UTF-8, to numbers."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._count = self._used = 0
        self._hashes: Hashes = np.zeros(_FEW, np.uint64)
        self._numbers: Integers = np.full(_FEW, ABSENT, np.int32)
        self._starts: Places = np.zeros(_FEW, np.int64)
        self._sizes: Integers = np.zeros(_FEW, np.int32)
        self._letters: Letters = np.zeros(16 * _FEW, np.uint8)

    def __len__(self) -> int:
        return self._count

    def put(self, text: bytes, number: int) -> None:
        """Give a text that is not there yet its number."""
        if 2 * (self._count + 1) > len(self._numbers):
            self._grow()
        if self._used + len(text) > len(self._letters):
            self._letters = grown(self._letters, 2 * (self._used + len(text)))
        letters = np.frombuffer(text, np.uint8)
        self._letters[self._used : self._used + len(text)] = letters
        key = np.uint64(hash_of(letters, 0, len(letters)))  # Numba gives Python's own integer
        slot = free_slot(key, self._numbers)
        self._hashes[slot], self._numbers[slot] = key, number
        self._starts[slot], self._sizes[slot] = self._used, len(text)
        self._used += len(text)
        self._count += 1

    def arrays(self) -> tuple[Hashes, Integers, Places, Integers, Letters]:
        """The table for a kernel."""
        return self._hashes, self._numbers, self._starts, self._sizes, self._letters

    def _grow(self) -> None:
        old = self._hashes, self._numbers, self._starts, self._sizes
        size = 4 * len(self._numbers)
        self._hashes, self._numbers = np.zeros(size, np.uint64), np.full(size, ABSENT, np.int32)
        self._starts, self._sizes = np.zeros(size, np.int64), np.zeros(size, np.int32)
        _move(old, (self._hashes, self._numbers, self._starts, self._sizes))


@inlined
def next_hash(key: np.uint64, letter: np.uint8) -> np.uint64:
    """The hash of a text that has one more letter."""
    return (key ^ np.uint64(letter)) * _PRIME


@inlined
def first_hash() -> np.uint64:
    """The hash of no letters."""
    return _SEED


@compiled
def hash_of(letters: Letters, begin: int, end: int) -> np.uint64:
    """The hash of a text, from its begin to its end."""
    key = _SEED
    for place in range(begin, end):
        key = next_hash(key, letters[place])
    return key


@inlined
def find_text(
    key: np.uint64,
    letters: Letters,
    begin: int,
    end: int,
    hashes: Hashes,
    numbers: Integers,
    starts: Places,
    sizes: Integers,
    pool: Letters,
) -> int:
    """The number of a text; `ABSENT` if it is not there."""
    mask = len(numbers) - 1
    slot = _slot(key, mask)
    while numbers[slot] != ABSENT:
        if hashes[slot] == key and sizes[slot] == end - begin:
            start = starts[slot]
            is_same = True
            for place in range(end - begin):
                if pool[start + place] != letters[begin + place]:
                    is_same = False
                    break
            if is_same:
                return int(numbers[slot])
        slot = (slot + 1) & mask
    return ABSENT


@compiled
def free_slot(key: np.uint64, numbers: Integers) -> np.int64:
    """Where a text that is not there belongs."""
    mask = len(numbers) - 1
    slot = _slot(key, mask)
    while numbers[slot] != ABSENT:
        slot = (slot + 1) & mask
    return slot


@inlined
def _slot(key: np.uint64, mask: int) -> np.int64:
    return np.int64((key ^ (key >> np.uint64(29))) & np.uint64(mask))


@compiled
def _move(
    old: tuple[Hashes, Integers, Places, Integers], new: tuple[Hashes, Integers, Places, Integers]
) -> None:
    for slot in range(len(old[1])):
        if old[1][slot] != ABSENT:
            to = free_slot(old[0][slot], new[1])
            new[0][to] = old[0][slot]
            new[1][to] = old[1][slot]
            new[2][to] = old[2][slot]
            new[3][to] = old[3][slot]
