"""Operators over two others: what comes of rows that agree, and of rows that are alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pyoxigraph import Literal

from purport.sparql.expressions import RowExpression
from purport.sparql.operators import Changes, Operator, taking
from purport.sparql.row_counts import Row, RowCounts, count
from purport.sparql.row_limit import most_rows, require_few


@dataclass(slots=True)
class _Side:
    """Rows of one side, by the values that those of the other side must have too."""

    key: Callable[[Row], Row]
    rows: dict[Row, RowCounts] = field(default_factory=dict)
    size: int = 0

    def add(self, change: RowCounts) -> None:
        for row, weight in change.items():
            key = self.key(row)
            under = self.rows.setdefault(key, {})
            before = len(under)
            count(under, row, weight)
            self.size += len(under) - before
            if not under:
                del self.rows[key]


class Pairing(Operator):
    """What operators over two others have in common: which rows of the two agree.

    Rows agree if no column has different values in them. Those that always have a value are a key.
    """

    is_stateless = False

    def __init__(
        self, left: Operator, right: Operator, conditions: Sequence[Callable[..., RowExpression]]
    ) -> None:
        self._left, self._right = left, right
        shared = [name for name in left.columns if name in right.columns]
        keys = tuple(name for name in shared if name in left.certain and name in right.certain)
        self._doubtful = [
            (left.columns.index(name), right.columns.index(name))
            for name in shared
            if name not in keys
        ]
        self._has_key = bool(keys)
        self._ours = _Side(taking(left.columns, keys))
        self._theirs = _Side(taking(right.columns, keys))
        self._rest = [place for place, name in enumerate(right.columns) if name not in left.columns]
        self._both = (*left.columns, *(right.columns[place] for place in self._rest))
        self._conditions = [make(self._both) for make in conditions]

    @property
    def size(self) -> int:
        return self._left.size + self._right.size + self._ours.size + self._theirs.size

    def _pairs(
        self, left: Iterable[Row], rights: Callable[[Row], Iterable[Row]]
    ) -> list[tuple[Row, Row]]:
        return [(one, other) for one in left for other in rights(one) if self._agree(one, other)]

    def _agree(self, left: Row, right: Row) -> bool:
        for one, other in self._doubtful:
            mine, yours = left[one], right[other]
            if mine is not None and yours is not None and mine != yours:
                return False
        return True

    def _merged(self, left: Row, right: Row) -> Row:
        if self._doubtful:
            filled = list(left)
            for one, other in self._doubtful:
                if filled[one] is None:
                    filled[one] = right[other]
            left = tuple(filled)
        return (*left, *[right[place] for place in self._rest])

    def _true(self, pairs: list[tuple[Row, Row]]) -> list[tuple[Row, Row]]:
        """The pairs that the conditions allow."""
        for condition in self._conditions:
            if pairs:
                truths = condition.truths([self._merged(*pair) for pair in pairs])
                pairs = [pair for pair, is_true in zip(pairs, truths, strict=True) if is_true]
        return pairs

    def _with_theirs(self, left: Iterable[Row]) -> list[tuple[Row, Row]]:
        """Rows of the left with those of the right as they are known now."""
        rows, key = self._theirs.rows, self._ours.key
        if most_rows() is not None:
            left = list(left)
            require_few(sum(len(rows.get(key(row), ())) for row in left))
        return self._true(self._pairs(left, lambda row: rows.get(key(row), ())))

    def _with_ours(self, right: Iterable[Row]) -> list[tuple[Row, Row]]:
        rows, key = self._ours.rows, self._theirs.key
        if most_rows() is not None:
            right = list(right)
            require_few(sum(len(rows.get(key(row), ())) for row in right))
        found = [
            (mine, row)
            for row in right
            for mine in rows.get(key(row), ())
            if self._agree(mine, row)
        ]
        return self._true(found)

    def _our_weight(self, row: Row) -> int:
        return self._ours.rows[self._ours.key(row)][row]

    def _their_weight(self, row: Row) -> int:
        return self._theirs.rows[self._theirs.key(row)][row]


class Joined(Pairing):
    """Solutions of both that agree."""

    def __init__(self, left: Operator, right: Operator) -> None:
        super().__init__(left, right, ())
        self.columns, self.certain = self._both, left.certain | right.certain

    def advance(self, changes: Changes) -> RowCounts:
        left, right = self._left.advance(changes), self._right.advance(changes)
        found: RowCounts = {}
        for mine, yours in self._with_theirs(left):
            count(found, self._merged(mine, yours), left[mine] * self._their_weight(yours))
        self._ours.add(left)
        for mine, yours in self._with_ours(right):
            count(found, self._merged(mine, yours), self._our_weight(mine) * right[yours])
        self._theirs.add(right)
        return found


class Judging(Pairing):
    """Solutions of the left, of which it matters how many of the right agree with each."""

    def __init__(
        self, left: Operator, right: Operator, conditions: Sequence[Callable[..., RowExpression]]
    ) -> None:
        super().__init__(left, right, conditions)
        self._partners: RowCounts = {}  # how many, for each row of the left that has any

    def advance(self, changes: Changes) -> RowCounts:
        left, right = self._left.advance(changes), self._right.advance(changes)
        found: RowCounts = {}
        if right:
            self._advance_right(right, found)
        if left:
            self._advance_left(left, found)
        return found

    def _advance_right(self, right: RowCounts, found: RowCounts) -> None:
        more: RowCounts = {}
        for mine, yours in self._with_ours(right):
            self._pair(mine, yours, self._our_weight(mine) * right[yours], found)
            count(more, mine, right[yours])
        for mine, weight in more.items():
            before = mine in self._partners
            count(self._partners, mine, weight)
            after = mine in self._partners
            if before != after:
                ours = self._our_weight(mine)
                self._alone(mine, -ours if after else ours, found)
                self._partnered(mine, ours if after else -ours, found)
        self._theirs.add(right)

    def _advance_left(self, left: RowCounts, found: RowCounts) -> None:
        partners: RowCounts = {}
        for mine, yours in self._with_theirs(left):
            theirs = self._their_weight(yours)
            self._pair(mine, yours, left[mine] * theirs, found)
            count(partners, mine, theirs)
        for mine, weight in left.items():
            if mine in partners:
                self._partnered(mine, weight, found)
            else:
                self._alone(mine, weight, found)
        self._ours.add(left)
        for mine in left:
            under = self._ours.rows.get(self._ours.key(mine), {})
            if mine in under and mine in partners:
                self._partners[mine] = partners[mine]
            elif mine not in under:
                self._partners.pop(mine, None)

    def _pair(self, left: Row, right: Row, weight: int, found: RowCounts) -> None:
        """Two rows agree so many times more."""

    def _alone(self, left: Row, weight: int, found: RowCounts) -> None:
        """A row with which none agrees is there so many times more."""

    def _partnered(self, left: Row, weight: int, found: RowCounts) -> None:
        """A row with which some agree is there so many times more."""


class Optionally(Judging):
    """Solutions of the left, with what agrees of the right, if something does."""

    def __init__(
        self, left: Operator, right: Operator, conditions: Sequence[Callable[..., RowExpression]]
    ) -> None:
        super().__init__(left, right, conditions)
        self.columns, self.certain = self._both, left.certain
        self._none = (None,) * len(self._rest)

    def _pair(self, left: Row, right: Row, weight: int, found: RowCounts) -> None:
        count(found, self._merged(left, right), weight)

    def _alone(self, left: Row, weight: int, found: RowCounts) -> None:
        count(found, (*left, *self._none), weight)


class Without(Judging):
    """Solutions of the left with which none of the right agrees in something."""

    def __init__(self, left: Operator, right: Operator) -> None:
        super().__init__(left, right, ())
        self.columns, self.certain = left.columns, left.certain

    def _agree(self, left: Row, right: Row) -> bool:
        if not super()._agree(left, right):
            return False
        return self._has_key or any(
            left[one] is not None and right[other] is not None for one, other in self._doubtful
        )

    def _alone(self, left: Row, weight: int, found: RowCounts) -> None:
        count(found, left, weight)


class Judged(Judging):
    """Solutions of the left, with one more column: whether any of the right agrees."""

    def __init__(
        self,
        left: Operator,
        right: Operator,
        conditions: Sequence[Callable[..., RowExpression]],
        name: str,
    ) -> None:
        super().__init__(left, right, conditions)
        self.columns, self.certain = (*left.columns, name), left.certain | {name}

    def _alone(self, left: Row, weight: int, found: RowCounts) -> None:
        count(found, (*left, _FALSE), weight)

    def _partnered(self, left: Row, weight: int, found: RowCounts) -> None:
        count(found, (*left, _TRUE), weight)


_TRUE, _FALSE = Literal(True), Literal(False)
