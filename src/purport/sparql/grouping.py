"""GROUP BY: groups that change are evaluated anew, the others are not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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


def _looked_at(columns: Sequence[str], grouping: Grouping) -> tuple[str, ...]:
    text = f"{grouping.selected} {grouping.having}"
    if "*" in text:  # all that is visible may be counted
        return tuple(name for name in columns if not is_hidden(name) or name in grouping.keys)
    return tuple(name for name in columns if name in grouping.variables or name in grouping.keys)
