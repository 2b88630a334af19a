"""Expressions over rows. pyoxigraph evaluates them; comparisons with numbers are done here."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QuerySolutions, Store, Triple

from purport.model.rdf import XSD
from purport.sparql.row_counts import Row
from purport.sparql.terms import Term

_ROW = "purport_row"
_VALUE = "purport_value"
_NOTHING = Store()  # stays empty: what is evaluated is in the text
_LONGEST = 18  # of numbers that are compared here: pyoxigraph has none for much longer ones
_COMPARISON = re.compile(
    r"\(*\s*\?(\w+)\s*(<=|>=|!=|=|<|>)\s*([+-]?[0-9]+(?:\.[0-9]+)?)\s*\)*", re.ASCII
)
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, "=": operator.eq,
    "!=": operator.ne, ">=": operator.ge, ">": operator.gt,
}  # fmt: skip
_NUMBERS: Mapping[str, Callable[[str], Any]] = {
    f"{XSD}integer": int, f"{XSD}decimal": Decimal, f"{XSD}double": float,
}  # fmt: skip
_IN_NUMBERS = frozenset("0123456789.-")


def evaluated(
    prologue: str,
    head: str,
    names: Sequence[str],
    rows: Sequence[Row],
    *,
    within: str = "",
    behind: str = "",
) -> QuerySolutions:
    """`SELECT head WHERE { rows within } behind`, where rows are given and not looked up.

    Nodes without a name cannot be written down: rows with such are put into a store.
    """
    if any(isinstance(term, BlankNode | Triple) for row in rows for term in row):
        store, where = _stored(names, rows)
    else:
        store, where = _NOTHING, _written(names, rows)
    found = store.query(f"{prologue}SELECT {head} WHERE {{ {where} {within} }} {behind}")
    assert isinstance(found, QuerySolutions)
    return found


def _written(names: Sequence[str], rows: Sequence[Row]) -> str:
    variables = " ".join(f"?{name}" for name in names)
    values = " ".join(
        f"({' '.join('UNDEF' if term is None else str(term) for term in row)})" for row in rows
    )
    return f"VALUES ({variables}) {{ {values} }}"


def _stored(names: Sequence[str], rows: Sequence[Row]) -> tuple[Store, str]:
    store = Store()
    is_row = NamedNode("urn:purport:row")
    columns = [NamedNode(f"urn:purport:column:{place}") for place in range(len(names))]
    for number, row in enumerate(rows):
        node = NamedNode(f"urn:purport:row:{number}")
        store.add(Quad(node, is_row, node))
        for column, term in zip(columns, row, strict=True):
            if term is not None:
                store.add(Quad(node, column, term))
    optional = " ".join(
        f"OPTIONAL {{ ?purport_node {column} ?{name} }}"
        for column, name in zip(columns, names, strict=True)
    )
    return store, f"?purport_node {is_row} ?purport_node {optional}"


class RowExpression:
    """An expression for the rows of an operator, whose columns have names."""

    def __init__(
        self, prologue: str, text: str, variables: Iterable[str], columns: Sequence[str]
    ) -> None:
        self._prologue, self._text = prologue, text
        self._names = [name for name in columns if name in variables]
        self._places = [columns.index(name) for name in self._names]
        self._comparison = _compiled(text, columns)

    def truths(self, rows: Sequence[Row]) -> list[bool]:
        """For which rows it is true: neither false nor an error."""
        if self._comparison is not None:
            compared = self._comparison(rows)
            if compared is not None:
                return compared
        asked = self._asked(rows)
        found_true = self._solutions(f"?{_ROW}", asked, within=f"FILTER({self._text})")
        true = {solution[_ROW] for solution in found_true}
        return [Literal(asked[self._part(row)]) in true for row in rows]

    def values(self, rows: Sequence[Row]) -> list[Term | None]:
        """Its values; None where it has none."""
        head, asked = f"?{_ROW} (({self._text}) AS ?{_VALUE})", self._asked(rows)
        found = {one[_ROW]: one[_VALUE] for one in self._solutions(head, asked)}
        return [found[Literal(asked[self._part(row)])] for row in rows]

    def _asked(self, rows: Sequence[Row]) -> dict[Row, int]:
        """What of the rows matters, numbered."""
        parts = dict.fromkeys(map(self._part, rows))
        return {part: number for number, part in enumerate(parts)}

    def _part(self, row: Row) -> Row:
        return tuple([row[place] for place in self._places])

    def _solutions(
        self, head: str, asked: Mapping[Row, int], *, within: str = ""
    ) -> QuerySolutions:
        rows = [(Literal(number), *part) for part, number in asked.items()]
        return evaluated(self._prologue, head, [_ROW, *self._names], rows, within=within)


def _compiled(
    text: str, columns: Sequence[str]
) -> Callable[[Sequence[Row]], list[bool] | None] | None:
    """A comparison of a variable with a number; None if not all values are plain numbers."""
    found = _COMPARISON.fullmatch(text)
    if found is None or found[1] not in columns or text.count("(") != text.count(")"):
        return None
    if len(found[3]) > _LONGEST:
        return None
    place, compare = columns.index(found[1]), _OPERATORS[found[2]]
    exact: int | Decimal = Decimal(found[3]) if "." in found[3] else int(found[3])
    rounded = float(found[3])

    def truths(rows: Sequence[Row]) -> list[bool] | None:
        found = []
        for row in rows:
            term = row[place]
            if type(term) is not Literal or (number := _NUMBERS.get(term.datatype.value)) is None:
                return None
            text = term.value
            if len(text) > _LONGEST or not _IN_NUMBERS.issuperset(text):
                return None
            try:
                value = number(text)
            except (ValueError, ArithmeticError):  # it is no number, whatever it says it is
                return None
            found.append(compare(value, rounded if number is float else exact))
        return found

    return truths
