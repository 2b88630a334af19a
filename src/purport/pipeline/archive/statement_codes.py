"""Statement ids to what the kernel reads: each is coded once, and then looked up in an array."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from purport.matching.batches import UNREAD
from purport.matching.flat_lists import Integers, Numbers, grown
from purport.matching.interned import NOTHING, Interned
from purport.matching.kernel import Flags
from purport.pipeline.archive.coding_kernel import code_statements
from purport.pipeline.archive.statement_rows import IN_TABLE, LOOKED_AT, StatementRow
from purport.pipeline.archive.statement_table import StatementTable

LOOK = UNREAD + 1  # the code of a statement whose text has to be looked at each time


class Coded(NamedTuple):
    """Statements behind one another: attributes, codes (`LOOK` where a text decides), numbers."""

    attributes: Integers
    codes: Integers
    numbers: Numbers


class StatementCodes:
    """For each statement id its attribute and code, as a telling numbers them, and its kind.

    An id is coded when it is first met; a telling that forgets, or another one, begins anew.
    """

    def __init__(self, table: StatementTable) -> None:
        self.table = table
        self._interned: Interned | None = None
        self._forgotten = 0
        self._attributes: Integers = np.zeros(0, np.int32)
        self._codes: Integers = np.zeros(0, np.int32)
        self._has_number: Flags = np.zeros(0, np.bool_)
        self.has_text: Flags = np.zeros(0, np.bool_)
        self.is_spelt: Flags = np.zeros(0, np.bool_)

    def coded(self, ids: Integers, told: Numbers, interned: Interned) -> Coded:
        """What the kernel reads of statements, with the numbers that were told in their order.

        `StoreError` if there are not as many as the statements want.
        """
        if interned is not self._interned or interned.forgotten != self._forgotten:
            self._interned, self._forgotten = interned, interned.forgotten
            self._codes[:] = UNREAD
        self._make_room(ids)
        count = len(ids)
        found = Coded(np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count))
        used = self._write(ids, told, found)
        if used == UNREAD:
            self._code_new(np.unique(ids[self._codes[ids] == UNREAD]), interned)
            used = self._write(ids, told, found)
        if used != len(told):
            raise self.table.archive.damaged(f"{used:,} numbers expected, got {len(told):,}")
        return found

    def _write(self, ids: Integers, told: Numbers, found: Coded) -> int:
        known = self._attributes, self._codes, self._has_number
        return code_statements(ids, known, told, *found)

    def _make_room(self, ids: Integers) -> None:
        """Have room for ids, which the table has to know."""
        if len(ids) and (ids.min() < 0 or ids.max() >= len(self._codes)):
            self.table.require(int(ids.min()), int(ids.max()))
            size, new = len(self.table), len(self.table) - len(self._codes)
            self._attributes = grown(self._attributes, size)
            self._codes = np.append(self._codes, np.full(new, UNREAD, np.int32))
            self._has_number = grown(self._has_number, size)
            self.has_text = grown(self.has_text, size)
            self.is_spelt = grown(self.is_spelt, size)

    def _code_new(self, ids: Integers, interned: Interned) -> None:
        rows = self.table.rows(ids)
        self._attributes[ids] = [interned.attribute(row.told_attribute) for row in rows]
        self._codes[ids] = [_code(row, interned) for row in rows]
        self._has_number[ids] = [row.has_number for row in rows]
        self.has_text[ids] = [row.has_text for row in rows]
        self.is_spelt[ids] = [row.is_spelt for row in rows]


def _code(row: StatementRow, interned: Interned) -> int:
    if row.scale == LOOKED_AT:
        return LOOK
    if row.scale != IN_TABLE:
        return interned.scale_code(row.told_scale)
    statement = row.statement()
    code, _ = interned.statement(statement)
    return code if code > NOTHING else interned.whole(statement)  # read otherwise than it was once
