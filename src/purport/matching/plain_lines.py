"""Lines of JSON to batches: plain ones (`json_kernel.py`) without a Python object for each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purport.matching.batches import Batch
from purport.matching.flat_lists import Integers, Numbers, Places
from purport.matching.interned import NOTHING, Interned
from purport.matching.json_kernel import LEFT, MOST_NAMES, PLAIN, read_lines
from purport.matching.scales import NoScale
from purport.matching.text_table import ABSENT, Hashes
from purport.model.term import Boolean, Text


@dataclass(slots=True)
class PlainLines:
    """Lines that were read: which of them are plain, their ids, times and statements.

    Times are microseconds since the year 2000, not numbers where there are none. `kinds` may be set
    to `LEFT` for a line that is not wanted after all.
    """

    starts: Places
    ends: Places
    kinds: NDArray[np.int8]
    id_starts: Places
    id_ends: Places
    times_begun: Numbers
    times_ended: Numbers
    _statement_ends: Places
    _attributes: Integers
    _codes: Integers
    _numbers: Numbers

    @classmethod
    def read(cls, text: bytes, interned: Interned) -> PlainLines:
        """Read a text of lines."""
        letters = np.frombuffer(text, np.uint8)
        breaks = np.flatnonzero(letters == ord("\n"))
        starts = np.concatenate([[0], breaks + 1])
        ends = np.append(breaks, len(letters))
        count = len(starts)
        kinds = np.full(count, LEFT, np.int8)
        ids, statement_ends = np.zeros((2, count), np.int64), np.zeros(count, np.int64)
        times = np.full((2, count), np.nan)
        statements = _Statements.room_for(int(np.count_nonzero(letters == ord(":"))))
        if interned.has_scales:
            statements.count = read_lines(
                letters, starts, ends, interned.name_texts.arrays(), interned.word_texts.arrays(),
                _codes(interned), not interned.asks_for_wordless,
                (kinds, statement_ends, *ids, *times), statements.arrays(), _scratch(),
            )  # fmt: skip
        for place in statements.resolve(text, interned):
            kinds[np.searchsorted(statement_ends, place, "right")] = LEFT
        attributes, codes, numbers, *_ = statements.arrays()
        found = (kinds, ids[0], ids[1], times[0], times[1], statement_ends)
        return cls(starts, ends, *found, attributes, codes, numbers)

    def batch(self) -> Batch:
        """The events of the lines that are plain."""
        is_plain = self.kinds == PLAIN
        sizes = np.diff(self._statement_ends, prepend=0)
        starts = np.concatenate([[0], np.cumsum(sizes[is_plain])])
        total = int(self._statement_ends[-1])
        part: slice | NDArray[np.bool_] = slice(0, total)
        if int(starts[-1]) < total:
            part = np.repeat(is_plain, sizes)
        attributes, codes = self._attributes[:total], self._codes[:total]
        return Batch(starts, attributes[part], codes[part], self._numbers[:total][part])


@dataclass(slots=True)
class _Statements:
    """What the kernel found of statements, and where their texts are."""

    attributes: Integers
    codes: Integers
    numbers: Numbers
    spans: Places
    count: int = 0

    @classmethod
    def room_for(cls, most: int) -> _Statements:
        room = most + 1  # the kernel writes a statement before it knows that it is none
        return cls(
            np.empty(room, np.int32),
            np.empty(room, np.int32),
            np.empty(room, np.float64),
            np.empty((4, room), np.int64),
        )

    def arrays(
        self,
    ) -> tuple[Integers, Integers, Numbers, Places, Places, Places, Places]:
        return (self.attributes, self.codes, self.numbers, *self.spans)

    def resolve(self, text: bytes, interned: Interned) -> list[int]:
        """Number names and words that were not known; gives the statements that are not plain."""
        left = []
        met: dict[bytes, int] = {}
        for place in np.flatnonzero(self.attributes[: self.count] == ABSENT).tolist():
            name = text[self.spans[0, place] : self.spans[1, place]]
            if name not in met:
                met[name] = _name_number(name, interned)
            self.attributes[place] = met[name]
            if met[name] == ABSENT:
                left.append(place)
        met.clear()
        for place in np.flatnonzero(self.codes[: self.count] == ABSENT).tolist():
            word = text[self.spans[2, place] : self.spans[3, place]]
            code, number = met.get(word, ABSENT), 0.0
            if code == ABSENT:
                code, number = _word_code(word, interned)
            if code >= 0:
                met[word] = code
            self.codes[place], self.numbers[place] = code, number
            if code == ABSENT:
                left.append(place)
        return left


def _name_number(name: bytes, interned: Interned) -> int:
    """The number of a name that the table does not have; `ABSENT` if it cannot be one."""
    text = _decoded(name)
    if text is None or not text.strip():
        return ABSENT
    number = interned.attribute(Text(text))
    interned.name_texts.put(name, number)
    return number


def _word_code(word: bytes, interned: Interned) -> tuple[int, float]:
    """The code and number of a text that the table does not have.

    `ABSENT` if it must be looked at under its attribute, or is no text. What is on a scale is not
    put into the table: it may never come again.
    """
    text = _decoded(word)
    told = None if text is None else interned.value(Text(text))
    if told is None:
        return ABSENT, 0.0
    if told[0] >= 0:
        interned.word_texts.put(word, told[0])
    return told


def _decoded(text: bytes) -> str | None:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return None


def _codes(interned: Interned) -> tuple[int, int, int, int, int]:
    """The codes of what is no word."""
    scales = (interned.scale_code(scale) for scale in (None, NoScale.TIME, NoScale.OPAQUE))
    truths = (interned.value(Boolean(value)) for value in (True, False))
    number, time, identifier = scales
    true, false = (NOTHING if told is None else told[0] for told in truths)
    return number, time, identifier, true, false


def _scratch() -> tuple[Hashes, Numbers]:
    return np.empty(MOST_NAMES, np.uint64), np.empty(2, np.float64)
