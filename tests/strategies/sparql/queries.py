"""Whole queries: SELECT, ASK, CONSTRUCT and DESCRIBE, and how their answers are compared."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from purport.sparql import Dataset
from purport.sparql.graph_store import WHOLE
from tests.strategies.sparql.patterns import Group, group, values
from tests.strategies.sparql.pen import Pen
from tests.strategies.sparql.selections import grouped, projection, total_order

_DEPTH = 2


class Comparison(StrEnum):
    """What must be the same of two answers to a query."""

    EXACT = "every row, as often as it is there"
    PART = "the number of rows, all of them of the answer without LIMIT"
    RENAMED = "triples, up to the names of nodes without names, one for each solution"


@dataclass(frozen=True, slots=True)
class Query:
    """A query, the graphs that it sees, how answers are compared, and what it makes use of."""

    text: str
    dataset: Dataset = WHOLE
    comparison: Comparison = Comparison.EXACT
    behind: str = ""  # for PART, without LIMIT and OFFSET; for RENAMED, its solutions by SELECT *
    features: frozenset[str] = frozenset()


def query(pen: Pen) -> Query:
    """Any query."""
    one = pen.one_of(
        [
            (70, lambda: _select(pen)),
            (8, lambda: _ask(pen)),
            (14, lambda: _construct(pen)),
            (6, lambda: _describe(pen)),
        ]
    )
    one = replace(_spelled(pen, one), dataset=_dataset(pen))
    return replace(one, features=pen.taken_features())


def _select(pen: Pen) -> Query:
    pen.used("SELECT")
    where = group(pen, _DEPTH, left=None)
    distinct = pen.pick(["", "", "", "DISTINCT "])
    if distinct:
        pen.used("DISTINCT")
    tail = ""
    if pen.chance(25):
        head, tail, columns = grouped(pen, where.variables)
    elif pen.chance(25):
        pen.used("SELECT *")
        head, columns = "*", []
    else:
        head, columns = projection(pen, where.variables)
    start = f"SELECT {distinct}{head} {_from(pen)}WHERE {where.text} {tail}"
    return _ordered(pen, start, columns, _last_values(pen, where))


def _ordered(pen: Pen, start: str, columns: list[str], end: str) -> Query:
    """With ORDER BY, LIMIT, OFFSET, if any of them."""
    if pen.chance(75):
        return Query(f"{start}{end}")
    if columns and pen.chance(40):
        pen.used("ORDER BY a total order", "LIMIT")
        cut = _cut(pen)
        order = total_order(columns, descends=pen.chance(40))
        return Query(f"{start} {order}{cut}{end}")
    if columns and pen.chance(60):
        pen.used("ORDER BY")
        keys = [
            pen.pick([f"?{name}", f"DESC(?{name})", f"ASC(STR(?{name}))"]) for name in columns[:2]
        ]
        start += f" ORDER BY {' '.join(keys)}"
        if pen.chance(40):
            return Query(f"{start}{end}")
    pen.used("LIMIT")
    cut = _cut(pen)
    return Query(
        f"{start}{cut}{end}",
        comparison=Comparison.PART,
        behind=f"{start}{end}",
    )


def _cut(pen: Pen) -> str:
    """LIMIT and OFFSET, one of them at least."""
    limit = pen.number(0, 5)
    if not pen.chance(35):
        return f" LIMIT {limit}"
    pen.used("OFFSET")
    offset = f" OFFSET {pen.number(1, 3)}"
    return offset if pen.chance(30) else f" LIMIT {limit}{offset}"


def _ask(pen: Pen) -> Query:
    pen.used("ASK")
    source = _from(pen)
    where = group(pen, _DEPTH, left=None)
    return Query(f"ASK {source}WHERE {where.text}{_last_values(pen, where)}")


def _construct(pen: Pen) -> Query:
    pen.used("CONSTRUCT")
    if pen.chance(8):
        pen.used("CONSTRUCT WHERE")

        def line() -> str:
            last = pen.pick([f"?{pen.variable()}", pen.constant()])
            return f"?{pen.variable()} {pen.predicate()} {last}"

        lines = pen.some(line, 1, 2)
        return Query(f"CONSTRUCT {_from(pen)}WHERE {{ {' . '.join(lines)} }}")
    where = group(pen, _DEPTH, left=None)
    is_blank = pen.chance(30)
    lines = [_template_line(pen, where) for _ in range(pen.number(1, 2))]
    if is_blank:
        pen.used("CONSTRUCT with nodes without names")
        lines.append(_blank_line(pen, where))
    rest = f"{_from(pen)}WHERE {where.text}{_last_values(pen, where)}"
    text = f"CONSTRUCT {{ {' . '.join(lines)} }} {rest}"
    if not is_blank:
        return Query(text)
    return Query(text, comparison=Comparison.RENAMED, behind=f"SELECT * {rest}")


def _template_line(pen: Pen, where: Group) -> str:
    """A triple that may turn out not to be one: where its subject is a literal, or not bound."""
    variable = f"?{pen.variable(where.variables)}"
    predicate = pen.pick([pen.predicate(), pen.predicate(), f"?{pen.variable(where.variables)}"])
    last = pen.one_of([(7, lambda: f"?{pen.variable(where.variables)}"), (3, pen.constant)])
    return f"{pen.pick([variable, variable, pen.node()])} {predicate} {last}"


def _blank_line(pen: Pen, where: Group) -> str:
    one, other = (f"?{pen.variable(where.variables)}" for _ in range(2))
    predicate = pen.predicate()
    return pen.pick(
        [
            f"{one} {predicate} _:made",
            f"_:made {predicate} {one} ; <urn:r> {other}",
            f"{one} {predicate} [ <urn:r> {other} ]",
            f"[] {predicate} {one}",
            f"{one} {predicate} ({other} 1)",
            f"[] {predicate} 1",
        ]
    )


def _describe(pen: Pen) -> Query:
    pen.used("DESCRIBE")
    if pen.chance(40):
        return Query(f"DESCRIBE {pen.node()}")
    source = _from(pen)
    where = group(pen, 1, elements=2, left=None)
    names = [f"?{name}" for name in where.variables[:2]] or [pen.node()]
    return Query(f"DESCRIBE {' '.join(names)} {source}WHERE {where.text}")


def _from(pen: Pen) -> str:
    """FROM and FROM NAMED, if anything."""
    if not pen.chance(10):
        return ""
    named = pen.some(lambda: f"FROM NAMED {pen.graph()} ", 0, 2)
    default = pen.some(lambda: f"FROM {pen.graph()} ", 0 if named else 1, 2)
    pen.used(*["FROM NAMED"] * bool(named), *["FROM"] * bool(default))
    return "".join(dict.fromkeys([*default, *named]))


def _dataset(pen: Pen) -> Dataset:
    """The graphs that parameters of the request name, if any."""
    if not pen.chance(8):
        return WHOLE
    pen.used("dataset parameters")

    def some() -> tuple[str, ...] | None:
        if pen.chance(30):
            return None
        return tuple(dict.fromkeys(one[1:-1] for one in pen.some(pen.graph, 1, 2)))

    return Dataset(some(), some())


def _last_values(pen: Pen, where: Group) -> str:
    if not pen.chance(7) or pen.has_used("OPTIONAL in", "MINUS in"):
        return ""
    pen.used("VALUES at the end")
    return f" {values(pen, where.variables)[0]}"


def _spelled(pen: Pen, query: Query) -> Query:
    """The same query in another spelling: prefixes, variables with $, words in small letters."""

    def with_prefixes(text: str) -> str:
        return "PREFIX e: <urn:>\n" + re.sub(r"<urn:(\w+)>", r"e:\1", text)

    def with_dollars(text: str) -> str:
        return re.sub(r"\?([abg]\b)", r"$\1", text)

    def with_small_words(text: str) -> str:
        return re.sub(r"\b(SELECT|WHERE|OPTIONAL|UNION|FILTER|GRAPH|NOT EXISTS)\b", _lower, text)

    for name, percent, spell in (
        ("PREFIX", 12, with_prefixes),
        ("$variables", 5, with_dollars),
        ("words in small letters", 5, with_small_words),
    ):
        if pen.chance(percent):
            pen.used(name)
            query = replace(
                query, text=spell(query.text), behind=query.behind and spell(query.behind)
            )
    return query


def _lower(found: re.Match[str]) -> str:
    return found[0].lower()
