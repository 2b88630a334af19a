"""The parts of a query that is kept up to date: changes of solutions in, changes of solutions out.

Each operator remembers as much of its input as it needs to say how its output changes. Feeding it
everything as one change, from nothing, gives the whole answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyoxigraph import Literal

from purport.sparql.algebra import is_hidden
from purport.sparql.expressions import RowExpression, evaluated
from purport.sparql.row_counts import Row, RowCounts, count, counted
from purport.sparql.terms import Term

Changes = Mapping[int, RowCounts]  # of the leaves, by their numbers


class Operator(ABC):
    """Says how its solutions change when those of the leaves do."""

    columns: tuple[str, ...]
    certain: frozenset[str]  # the columns that always have a value
    is_stateless = True  # it needs no memory: what comes out follows from what goes in

    @abstractmethod
    def advance(self, changes: Changes) -> RowCounts:
        """The change of its solutions."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many rows it and those below it remember."""


class Leaf(Operator):
    """Solutions that come from outside: those of triple patterns."""

    size = 0

    def __init__(self, number: int, columns: tuple[str, ...]) -> None:
        self._number = number
        self.columns, self.certain = columns, frozenset(columns)

    def advance(self, changes: Changes) -> RowCounts:
        return changes.get(self._number, {})


class Given(Operator):
    """Solutions that are always there; they come with the first change."""

    size = 0
    is_stateless = False

    def __init__(self, columns: tuple[str, ...], rows: Sequence[Row]) -> None:
        self.columns = columns
        self.certain = frozenset(
            name
            for place, name in enumerate(columns)
            if all(row[place] is not None for row in rows)
        )
        self._rows = counted((row, 1) for row in rows)

    def advance(self, changes: Changes) -> RowCounts:
        rows, self._rows = self._rows, {}
        return rows


class Unary(Operator):
    """An operator over one other."""

    def __init__(self, inner: Operator, columns: tuple[str, ...], certain: frozenset[str]) -> None:
        self._inner = inner
        self.columns, self.certain = columns, certain
        self.is_stateless = inner.is_stateless and self.is_stateless

    @property
    def size(self) -> int:
        return self._inner.size

    def advance(self, changes: Changes) -> RowCounts:
        change = self._inner.advance(changes)
        return self._advanced(change) if change else change

    @abstractmethod
    def _advanced(self, change: RowCounts) -> RowCounts: ...


class Filtered(Unary):
    """Solutions for which an expression is true."""

    def __init__(self, inner: Operator, expression: RowExpression) -> None:
        super().__init__(inner, inner.columns, inner.certain)
        self._expression = expression

    def _advanced(self, change: RowCounts) -> RowCounts:
        truths = self._expression.truths(list(change))
        return {
            row: weight
            for (row, weight), is_true in zip(change.items(), truths, strict=True)
            if is_true
        }


class Extended(Unary):
    """Solutions with a value of an expression."""

    def __init__(self, inner: Operator, name: str, expression: RowExpression) -> None:
        super().__init__(inner, (*inner.columns, name), inner.certain)
        self._expression = expression

    def _advanced(self, change: RowCounts) -> RowCounts:
        values = self._expression.values(list(change))
        return {
            (*row, value): weight
            for (row, weight), value in zip(change.items(), values, strict=True)
        }


class WithTerm(Unary):
    """Solutions with one more value, the same for all."""

    def __init__(self, inner: Operator, name: str, term: Term) -> None:
        super().__init__(inner, (*inner.columns, name), inner.certain | {name})
        self._term = term

    def _advanced(self, change: RowCounts) -> RowCounts:
        return {(*row, self._term): weight for row, weight in change.items()}


class Projected(Unary):
    """Only some columns, in some order; one that is not there has no value."""

    def __init__(self, inner: Operator, names: tuple[str, ...]) -> None:
        super().__init__(inner, names, inner.certain & frozenset(names))
        self._part = _taking(inner.columns, names)
        self._is_same = names == inner.columns

    def _advanced(self, change: RowCounts) -> RowCounts:
        if self._is_same:
            return change
        return counted((self._part(row), weight) for row, weight in change.items())


class Once(Unary):
    """Each solution once, however often it comes."""

    is_stateless = False

    def __init__(self, inner: Operator) -> None:
        super().__init__(inner, inner.columns, inner.certain)
        self._counts: RowCounts = {}

    @property
    def size(self) -> int:
        return self._inner.size + len(self._counts)

    def _advanced(self, change: RowCounts) -> RowCounts:
        found: RowCounts = {}
        for row, weight in change.items():
            before = row in self._counts
            count(self._counts, row, weight)
            after = row in self._counts
            if before != after:
                found[row] = 1 if after else -1
        return found


class Either(Operator):
    """Solutions of two operators together."""

    def __init__(self, left: Operator, right: Operator) -> None:
        self._left, self._right = left, right
        self.columns = tuple(dict.fromkeys(left.columns + right.columns))
        self.certain = left.certain & right.certain
        self.is_stateless = left.is_stateless and right.is_stateless
        self._parts = tuple(_taking(one.columns, self.columns) for one in (left, right))

    @property
    def size(self) -> int:
        return self._left.size + self._right.size

    def advance(self, changes: Changes) -> RowCounts:
        found: RowCounts = {}
        for operator, part in zip((self._left, self._right), self._parts, strict=True):
            for row, weight in operator.advance(changes).items():
                count(found, part(row), weight)
        return found


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
        self._ours = _Side(_taking(left.columns, keys))
        self._theirs = _Side(_taking(right.columns, keys))
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
        return self._true(self._pairs(left, lambda row: rows.get(key(row), ())))

    def _with_ours(self, right: Iterable[Row]) -> list[tuple[Row, Row]]:
        rows, key = self._ours.rows, self._theirs.key
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
        self._key = _taking(inner.columns, grouping.keys)
        self._members: dict[Row, RowCounts] = {}
        self._said: dict[Row, Row] = {}
        self._looked = _looked_at(inner.columns, grouping)
        self._part = _taking(inner.columns, self._looked)
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


def _taking(columns: Sequence[str], names: Sequence[str]) -> Callable[[Row], Row]:
    """The part of a row that has some columns; those that it has not are without a value."""
    places = [columns.index(name) if name in columns else None for name in names]
    if None not in places:
        known = [place for place in places if place is not None]
        return lambda row: tuple([row[place] for place in known])
    return lambda row: tuple([None if place is None else row[place] for place in places])
