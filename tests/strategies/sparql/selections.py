"""What SELECT gives: variables, expressions, aggregates; and orders."""

from collections.abc import Sequence

from tests.strategies.sparql.expressions import value
from tests.strategies.sparql.pen import Pen
from tests.strategies.sparql.terms import VARIABLES


def total_order(names: Sequence[str], *, descends: bool = False) -> str:
    """ORDER BY, so that only rows that are the same tie.

    `ORDER BY ?x` alone leaves open in which order terms come that are equal and not the same.
    """
    word = "DESC" if descends else "ASC"
    keys = [
        f"{word}(isBlank(?{name})) STR(?{name}) STR(DATATYPE(?{name})) LANG(?{name}) ?{name}"
        for name in names
    ]
    return "ORDER BY " + " ".join(keys)


def projection(pen: Pen, names: Sequence[str]) -> tuple[str, list[str]]:
    """Some of the variables, in any order, and maybe an expression; and what they are called."""
    chosen = [name for name in names if pen.chance(65)] or list(names[:1]) or [VARIABLES[0]]
    if pen.chance(20):
        chosen.reverse()
    if pen.chance(8):
        pen.used("SELECT of a variable that is never bound")
        chosen.append("nowhere")
    texts = [f"?{name}" for name in chosen]
    if pen.chance(20):
        pen.used("SELECT expression")
        new = pen.new_name()
        texts.append(f"({value(pen, names)} AS ?{new})")
        chosen.append(new)
        if pen.chance(30):
            newer = pen.new_name()
            texts.append(f"({value(pen, [new])} AS ?{newer})")
            chosen.append(newer)
    return " ".join(texts), chosen


def grouped(pen: Pen, names: Sequence[str]) -> tuple[str, str, list[str]]:
    """What is selected, GROUP BY and HAVING, and what the columns are called."""
    keys: list[str] = []
    shown: list[str] = []
    if pen.chance(75) and names:
        pen.used("GROUP BY")
        for name in dict.fromkeys(pen.some(lambda: pen.pick(names), 1, 2)):
            if pen.chance(25):
                key, shown_key = _key_expression(pen, names)
                keys.append(key)
                shown += shown_key
            else:
                keys.append(f"?{name}")
                shown.append(name)
    else:
        pen.used("aggregate over everything")
    heads = [f"?{name}" for name in shown if not pen.chance(15)]
    columns = [head[1:] for head in heads]
    for _ in range(pen.pick([1, 1, 2])):
        new = pen.new_name()
        heads.append(f"({_aggregated(pen, names, shown)} AS ?{new})")
        columns.append(new)
    tail = f"GROUP BY {' '.join(keys)}" if keys else ""
    if pen.chance(25):
        pen.used("HAVING")
        limit = (
            f"{aggregate(pen, names, shown)} {pen.pick(['>', '<', '=', '!='])} {pen.number(0, 3)}"
        )
        tail += f" HAVING({limit})"
    return " ".join(heads), tail, columns


def _key_expression(pen: Pen, names: Sequence[str]) -> tuple[str, list[str]]:
    if pen.chance(30):
        pen.used("GROUP BY expression")
        return f"(STR({value(pen, names, 1)}))", []
    pen.used("GROUP BY expression AS")
    new = pen.new_name()
    key = pen.pick([f"STR({value(pen, names, 1)})", f"COALESCE({value(pen, names, 1)}, 0)"])
    return f"({key} AS ?{new})", [new]


def _aggregated(pen: Pen, names: Sequence[str], keys: Sequence[str]) -> str:
    one = aggregate(pen, names, keys)
    return f"({one} + 1)" if pen.chance(10) else one


def aggregate(pen: Pen, names: Sequence[str], keys: Sequence[str]) -> str:
    """An aggregate whose value does not depend on the order of rows.

    GROUP_CONCAT is measured (the separator comes between any two), or of the key of its group. Sums
    are of numbers that add up exactly in any order, also as doubles.
    """
    distinct = pen.pick(["", "", "DISTINCT "])
    if distinct:
        pen.used("aggregate DISTINCT")
    variable = f"?{pen.variable(names)}"

    def count() -> str:
        pen.used("COUNT")
        if distinct and pen.has_used("path", "[]", "collection"):
            return f"COUNT({distinct}{variable})"
        return f"COUNT({distinct}{pen.pick(['*', variable])})"

    def total() -> str:
        word = pen.pick(["SUM", "AVG"])
        pen.used(word)
        what = pen.pick([variable, f"STRLEN(STR({variable}))", f"COALESCE({variable} + 0, 0)"])
        return f"{word}({distinct}{what})"

    def extreme() -> str:
        word = pen.pick(["MIN", "MAX"])
        pen.used(word)
        plain = [variable] * 3 if not pen.world.ties and variable[1:] in VARIABLES else []
        what = pen.pick([*plain, f"STR({variable})", f"STRLEN(STR({variable}))"])
        return f"{word}({distinct}{what})"

    def texts() -> str:
        pen.used("GROUP_CONCAT")
        separator = pen.pick(["", '; separator="|"'])
        if keys and pen.chance(50):
            return f"GROUP_CONCAT({distinct}STR(?{keys[0]}){separator})"
        return f"STRLEN(GROUP_CONCAT({distinct}STR({variable}){separator}))"

    return pen.one_of([(5, count), (4, total), (4, extreme), (2, texts)])
