"""The parts of a query that is kept up to date: changes of solutions in, changes of solutions out.

Each operator remembers as much of its input as it needs to say how its output changes. Feeding it
everything as one change, from nothing, gives the whole answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from purport.sparql.expressions import RowExpression
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
        self._part = taking(inner.columns, names)
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
        self._parts = tuple(taking(one.columns, self.columns) for one in (left, right))

    @property
    def size(self) -> int:
        return self._left.size + self._right.size

    def advance(self, changes: Changes) -> RowCounts:
        found: RowCounts = {}
        for operator, part in zip((self._left, self._right), self._parts, strict=True):
            for row, weight in operator.advance(changes).items():
                count(found, part(row), weight)
        return found


def taking(columns: Sequence[str], names: Sequence[str]) -> Callable[[Row], Row]:
    """The part of a row that has some columns; those that it has not are without a value."""
    places = [columns.index(name) if name in columns else None for name in names]
    if None not in places:
        known = [place for place in places if place is not None]
        return lambda row: tuple([row[place] for place in known])
    return lambda row: tuple([None if place is None else row[place] for place in places])
