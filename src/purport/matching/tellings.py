"""Which rows does a telling answer? Found once for each pair of attribute and word, or scale."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from purport.matching.bounds import BoundTable, RowsOnScale
from purport.matching.flat_lists import FlatLists, Integers, Places, grown
from purport.matching.interned import Interned
from purport.matching.kernel import Bounds
from purport.matching.measures import Measures
from purport.matching.name_sides import NameSides
from purport.matching.rows import RowTable
from purport.matching.tellings_kernel import (
    EMPTY,
    add_tellings,
    find_tellings,
    list_hits,
    rehash,
)
from purport.matching.value_sides import ValueSides

MOST_WORDS = 200_000
MOST_TELLINGS = 2_000_000
MOST_HITS = 20_000_000
MOST_SCALES = 10_000
_AT_ONCE = 65_536


class Tellings:
    """The tellings that were met, and the rows that each of them answers, in a bounded cache."""

    def __init__(
        self,
        names: NameSides,
        values: ValueSides,
        rows: RowTable,
        measures: Measures,
        *,
        has_scales: bool,
    ) -> None:
        self._names, self._values, self._rows, self._measures = names, values, rows, measures
        self.interned = Interned(values, has_scales=has_scales)
        self.hits = FlatLists(np.float64)
        self._count = 0
        self._wanted = rows.wanted
        self._bounds = BoundTable()
        self._view: Bounds | None = None
        self.forget_hits()

    def make_room(self) -> None:
        """Forget all that was met, if it is too much; to be called between batches."""
        if (
            len(self.interned.terms) > MOST_WORDS
            or len(self.interned.attributes) > MOST_WORDS
            or len(self.interned.scales) > MOST_SCALES
            or self._count > MOST_TELLINGS
            or self._names.size > MOST_HITS
            or self._bounds.used > MOST_HITS
            or self.hits.used > MOST_HITS
            or self._values.answered.used > MOST_HITS
        ):
            self.forget()

    def forget(self) -> None:
        """Forget all that was met; to be called between batches."""
        self.interned.forget()
        self._names.forget()
        self._values.forget()
        self.forget_hits()

    def numbers(
        self, attributes: Integers, codes: Integers, threads: ThreadPoolExecutor | None = None
    ) -> Integers:
        """The numbers of tellings, all of whose rows are listed."""
        try:
            self._names.cover(self.interned.attributes)
            self._values.cover(self.interned.terms)
        except BaseException:  # or what a measure cannot score would be asked for ever after
            self.forget()
            raise
        if self._wanted != self._rows.wanted:
            self._wanted = self._rows.wanted
            self.forget_hits()
        found = np.empty(len(codes), np.int32)
        version = len(self._rows)
        table = self._keys, self._numbers, self._versions, version
        if threads is None:
            missing = find_tellings(attributes, codes, *table, found)
        else:
            parts = [slice(start, start + _AT_ONCE) for start in range(0, len(codes), _AT_ONCE)]
            missing = sum(
                threads.map(
                    lambda part: find_tellings(attributes[part], codes[part], *table, found[part]),
                    parts,
                )
            )
        if missing:
            self._grow(missing)
            changed = np.empty(missing, np.int32)
            self._count, count = add_tellings(
                attributes, codes, self._keys, self._numbers, self._versions, version, found,
                self._count, changed,
            )  # fmt: skip
            try:
                self._list(attributes, codes, found, changed[:count])
            except BaseException:  # whatever it is: what is numbered must be listed
                self.forget_hits()
                raise
        return found

    def bounds(self) -> Bounds:
        """The bounds for a kernel."""
        if self._view is None or len(self._view.is_range) != len(self._rows):
            self._view = self._bounds.arrays(self._bound_numbers, self._rows.is_range)
        return self._view

    def forget_hits(self) -> None:
        """Forget which rows were answered; words stay known."""
        self._count = 0
        self.hits.clear()
        self._keys: Places = np.full(1024, EMPTY, np.int64)
        self._numbers: Integers = np.zeros(1024, np.int32)
        self._versions: Integers = np.full(1024, EMPTY, np.int32)
        self._bound_numbers: Integers = np.full(1024, EMPTY, np.int32)
        self._on_scale: list[RowsOnScale] = []
        self._bounds = BoundTable()
        self._view = None

    def _grow(self, missing: int) -> None:
        """Make sure of room for so many more tellings."""
        needed = self._count + missing
        if 2 * needed > len(self._keys):
            size = 1 << (4 * needed - 1).bit_length()
            keys, numbers = np.full(size, EMPTY, np.int64), np.zeros(size, np.int32)
            rehash(self._keys, self._numbers, keys, numbers)
            self._keys, self._numbers = keys, numbers
            old = len(self._versions)
            self._versions = grown(self._versions, max(old, size))
            self._versions[old:] = EMPTY
            self._bound_numbers = grown(self._bound_numbers, len(self._versions))
            self._bound_numbers[old:] = EMPTY
            self._view = None
        if needed > self.hits.count:
            self.hits.new(needed - self.hits.count)

    def _list(
        self, attributes: Integers, codes: Integers, found: Integers, changed: Integers
    ) -> None:
        is_word = codes[changed] >= 0
        words = changed[is_word]
        if len(words):
            self._list_words(attributes[words], codes[words], found[words])
        for at in changed[~is_word].tolist():
            self._list_on_scale(int(found[at]), int(attributes[at]), int(codes[at]))

    def _list_words(self, attributes: Integers, codes: Integers, tellings: Integers) -> None:
        rows, low = self._rows.arrays(), self._rows.low
        scores, answered = self._names.scores, self._values.answered.arrays()
        of_value = self._rows.of_value.arrays()
        sizes = np.empty(len(codes), np.int32)
        for is_counting in (True, False):
            list_hits(
                attributes, codes, scores, answered, of_value, rows, low, sizes,
                self.hits.arrays(), tellings, is_counting,
            )  # fmt: skip
            if is_counting:
                self.hits.place(tellings.astype(np.int64), sizes)

    def _list_on_scale(self, telling: int, attribute: int, code: int) -> None:
        number = int(self._bound_numbers[telling])
        if number == EMPTY:
            number = self._bound_numbers[telling] = len(self._on_scale)
            self._on_scale.append(RowsOnScale(attribute, code))
        told, rows = self._on_scale[number], self._rows.arrays()
        scale = self.interned.scale(code)
        implied = self._measures.unit_of(self.interned.attributes[attribute])
        first = told.rows_covered
        names = self._names.scores[attribute, rows.names[first:]].astype(np.float64)
        told.cover(
            rows,
            names,
            self._rows.is_wanted,
            lambda row: self._values.intervals(int(rows.values[row]), scale, implied),
        )
        told.always.extend(
            (row, float(rows.floors[row]))
            for row in self._rows.low.tolist()
            if row >= first and names[row - first] > 0
        )
        self.hits.place(np.array([telling]), np.array([len(told.always)], np.int32))
        place = slice(self.hits.used - len(told.always), self.hits.used)
        arrays = self.hits.arrays()
        arrays.items[place] = [row for row, _ in told.always]
        arrays.weights[place] = [weight for _, weight in told.always]
        self._bounds.put(number, told.sections)
        self._view = None
