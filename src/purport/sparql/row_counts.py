"""Multisets of rows, and changes of them: how often a row came, or went."""

from __future__ import annotations

from collections.abc import Iterable

from purport.sparql.terms import Term

Row = tuple[Term | None, ...]  # None: a variable without a value
RowCounts = dict[Row, int]  # in a change, a row that went counts below zero; no row counts zero


def count(into: RowCounts, row: Row, weight: int) -> None:
    """Have a row come, or go, so many times more."""
    sum_ = into.get(row, 0) + weight
    if sum_:
        into[row] = sum_
    else:
        into.pop(row, None)


def counted(rows: Iterable[tuple[Row, int]]) -> RowCounts:
    """Rows and how often they come as a change, in which what cancels out is not there.

    >>> counted([(("a",), 1), (("b",), 1), (("a",), -1)])
    {('b',): 1}
    """
    found: RowCounts = {}
    for row, weight in rows:
        count(found, row, weight)
    return found
