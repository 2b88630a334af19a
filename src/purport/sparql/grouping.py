"""GROUP BY: groups that change are counted or evaluated anew, the others are not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import Literal

from purport.sparql.algebra import is_hidden
from purport.sparql.expressions import evaluated
from purport.sparql.operators import Changes, Operator, Unary, taking
from purport.sparql.row_counts import Row, RowCounts, count


@dataclass(frozen=True, slots=True)
class Grouping:
    """What is said of groups: by which columns, and as SPARQL is written."""

    prologue: str
    keys: tuple[str, ...]
    selected: str
    names: tuple[str, ...]
    having: str | None
    variables: frozenset[str]  # that are looked at


class Grouped(Unary):
    """One solution for each group; groups that change are evaluated anew, the others are not."""

    is_stateless = False

    def __init__(self, inner: Operator, grouping: Grouping) -> None:
        keys = frozenset(grouping.keys) & inner.certain
        super().__init__(inner, grouping.names, keys & frozenset(grouping.names))
        self._grouping = grouping
        self._key = taking(inner.columns, grouping.keys)
        self._members: dict[Row, RowCounts] = {}
        self._said: dict[Row, Row] = {}
        self._looked = _looked_at(inner.columns, grouping)
        self._part = taking(inner.columns, self._looked)
        self._is_new = not grouping.keys  # a group of all is there even if nothing is in it

    @property
    def size(self) -> int:
        return self._inner.size + sum(map(len, self._members.values()))

    def advance(self, changes: Changes) -> RowCounts:
        change = self._inner.advance(changes)
        if not change and not self._is_new:
            return change
        return self._advanced(change)

    def _advanced(self, change: RowCounts) -> RowCounts:
        touched: dict[Row, None] = {(): None} if self._is_new else {}
        self._is_new = False
        for row, weight in change.items():
            key = self._key(row)
            members = self._members.setdefault(key, {})
            count(members, self._part(row), weight)
            touched[key] = None
            if not members:
                del self._members[key]
        found: RowCounts = {}
        said = self._evaluated(touched)
        for key in touched:
            if (before := self._said.pop(key, None)) is not None:
                count(found, before, -1)
            if (after := said.get(key)) is not None:
                self._said[key] = after
                count(found, after, 1)
        return found

    def _evaluated(self, keys: Iterable[Row]) -> dict[Row, Row]:
        """What is said of some groups."""
        grouping = self._grouping
        rows = [
            row
            for key in keys
            for row, times in self._members.get(key, {}).items()
            for _ in range(times)
        ]
        if not rows and grouping.keys:
            return {}
        added = [name for name in grouping.keys if name not in grouping.names]
        head = " ".join([*(f"?{name}" for name in added), grouping.selected])
        behind = ""
        if grouping.keys:
            behind += "GROUP BY " + " ".join(f"?{name}" for name in grouping.keys)
        if grouping.having is not None:
            behind += f" HAVING {grouping.having}"
        found = evaluated(grouping.prologue, head, self._looked, rows, behind=behind)
        return {
            tuple(one[name] for name in grouping.keys): tuple(one[name] for name in grouping.names)
            for one in found
        }


class Counted(Operator):
    """Groups of which only COUNT is asked: the counts are kept, and no rows."""

    is_stateless = False

    def __init__(
        self, inner: Operator, keys: tuple[str, ...], counts: Mapping[str, str | None]
    ) -> None:
        """`counts` has, for a new column, whose values are counted; None: all rows are."""
        columns = tuple(counts)
        self._inner = inner
        self.columns, self.certain = (*keys, *columns), inner.certain & set(keys) | set(columns)
        self._key = taking(inner.columns, keys)
        self._places = [
            None if name is None else inner.columns.index(name) if name in inner.columns else -1
            for name in counts.values()
        ]
        self._groups: dict[Row, list[int]] = {}  # the number of rows, and what is counted
        self._has_keys = bool(keys)
        if not keys:
            self._groups[()] = [0, *[0] * len(self._places)]
        self._is_new = not keys  # a group of all is there even if nothing is in it

    @property
    def size(self) -> int:
        return self._inner.size + len(self._groups)

    def advance(self, changes: Changes) -> RowCounts:
        found: RowCounts = {}
        before: dict[Row, Row | None] = {(): None} if self._is_new else {}
        self._is_new = False
        for row, weight in self._inner.advance(changes).items():
            key = self._key(row)
            if key not in before:
                before[key] = self._said(key)
            self._add(key, row, weight)
        for key, said in before.items():
            if said is not None:
                count(found, said, -1)
            if (now := self._said(key)) is not None:
                count(found, now, 1)
        return found

    def _add(self, key: Row, row: Row, weight: int) -> None:
        group = self._groups.setdefault(key, [0, *[0] * len(self._places)])
        group[0] += weight
        for number, place in enumerate(self._places, 1):
            if place is None or (place >= 0 and row[place] is not None):
                group[number] += weight
        if not group[0] and self._has_keys:
            del self._groups[key]

    def _said(self, key: Row) -> Row | None:
        group = self._groups.get(key)
        return None if group is None else (*key, *map(Literal, group[1:]))


_COUNT = re.compile(
    r"\s*(?:\?(\w+)|\(\s*COUNT\s*\(\s*(?:(\*)|\?(\w+))\s*\)\s*AS\s+\?(\w+)\s*\))", re.IGNORECASE
)


def counts_in(selected: str) -> dict[str, str | None] | None:
    """The counts that are selected beside keys; None if something else is.

    >>> counts_in("?road (COUNT(?lamp) AS ?lamps) (COUNT(*) AS ?all)")
    {'lamps': 'lamp', 'all': None}
    """
    counts: dict[str, str | None] = {}
    place = 0
    while place < len(selected.rstrip()):
        found = _COUNT.match(selected, place)
        if found is None:
            return None
        if found[4]:
            counts[found[4]] = found[3]
        place = found.end()
    return counts or None


def _looked_at(columns: Sequence[str], grouping: Grouping) -> tuple[str, ...]:
    text = f"{grouping.selected} {grouping.having}"
    if "*" in text:  # all that is visible may be counted
        return tuple(name for name in columns if not is_hidden(name) or name in grouping.keys)
    return tuple(name for name in columns if name in grouping.variables or name in grouping.keys)
