"""Expressions of every kind, over given variables; they may fail, as FILTER and BIND allow."""

from collections.abc import Callable, Sequence

from tests.strategies.sparql.pen import Pen
from tests.strategies.sparql.terms import XSD

Inner = Callable[[], str]  # a group, for EXISTS
Ways = list[tuple[int, Callable[[], str]]]  # what to write, and how often

_COMPARISONS = ["!=", "!=", "!=", "=", "<", ">", "<=", ">="]
_IS = ["isIRI", "isLiteral", "isBlank", "isNumeric", "isURI"]
_TEXT_TESTS = ["CONTAINS", "STRSTARTS", "STRENDS"]
_TEXT_TO_TEXT = ["UCASE", "LCASE", "ENCODE_FOR_URI", "STR", "MD5", "SHA1"]
_ROUNDINGS = ["ABS", "CEIL", "FLOOR", "ROUND"]
_CASTS = [f"<{XSD}{name}>" for name in ("string", "integer", "decimal", "boolean", "double")]
_DATE_PARTS = ["YEAR", "MONTH", "DAY"]


def condition(
    pen: Pen, variables: Sequence[str], depth: int = 2, *, inner: Inner | None = None
) -> str:
    """Something true or false; with `inner`, maybe by EXISTS somewhere inside."""
    ways = _tests(pen, variables, depth)
    if depth > 0:
        ways += _connectives(pen, variables, depth, inner)
    return pen.one_of(ways)


def _tests(pen: Pen, variables: Sequence[str], depth: int) -> Ways:
    """Conditions that have no others inside."""

    def variable() -> str:
        return f"?{pen.variable(variables)}"

    def compared() -> str:
        sign = pen.pick(_COMPARISONS)
        if pen.chance(30):
            return f"{variable()} {sign} {variable()}"
        if pen.chance(30):
            return f"{value(pen, variables, depth - 1)} {sign} {pen.literal()}"
        return f"{variable()} {sign} {pen.constant()}"

    def among() -> str:
        options = [
            variable() if pen.chance(15) else pen.constant() for _ in range(pen.number(0, 4))
        ]
        return f"{variable()} {pen.pick(['IN', 'NOT IN'])} ({', '.join(options)})"

    def same() -> str:
        other = variable() if pen.chance(50) else pen.constant()
        return f"sameTerm({variable()}, {other})"

    def text() -> str:
        return f'{pen.pick(_TEXT_TESTS)}(STR({variable()}), "{pen.pick(["x", "u", "1", ""])}")'

    def pattern() -> str:
        flags = pen.pick(["", ', "i"'])
        return (
            f'REGEX(STR({variable()}), "{pen.pick(["^u", "[xy]", "a$", "^[0-9]", "X|A"])}"{flags})'
        )

    def language() -> str:
        return pen.pick([f'LANG({variable()}) = "en"', f'langMatches(LANG({variable()}), "*")'])

    return [
        (30, pen.noting("comparison", compared)),
        (6, pen.noting("BOUND", lambda: f"{pen.pick(['', '! '])}BOUND({variable()})")),
        (6, pen.noting("isIRI ...", lambda: f"{pen.pick(_IS)}({variable()})")),
        (5, pen.noting("IN", among)),
        (4, pen.noting("sameTerm", same)),
        (3, pen.noting("string functions", text)),
        (3, pen.noting("REGEX", pattern)),
        (2, pen.noting("LANG", language)),
        (1, pen.noting("effective boolean value", variable)),
    ]


def _connectives(pen: Pen, variables: Sequence[str], depth: int, inner: Inner | None) -> Ways:
    """Conditions made of others."""

    def plain() -> str:
        return condition(pen, variables, depth - 1)

    def deeper() -> str:
        return condition(pen, variables, depth - 1, inner=inner)

    def joined() -> str:
        sign = pen.pick(["||", "&&"])
        pen.used(sign)
        return f"({deeper()}) {sign} ({deeper()})"

    def exists() -> str:
        assert inner is not None
        return f"{pen.pick(['', 'NOT '])}EXISTS {inner()}"

    ways: Ways = [
        (10, joined),
        (6, pen.noting("!", lambda: f"! ({deeper()})")),
        (2, pen.noting("IF", lambda: f"IF({plain()}, {plain()}, {plain()})")),
        (3, pen.noting("COALESCE", lambda: f"COALESCE({plain()}, {pen.pick(['true', 'false'])})")),
    ]
    return ways if inner is None else [*ways, (7, pen.noting("EXISTS in an expression", exists))]


def value(pen: Pen, variables: Sequence[str], depth: int = 2) -> str:
    """Any term."""
    ways: Ways = [(8, lambda: f"?{pen.variable(variables)}"), (2, pen.constant)]
    if depth > 0:
        ways += _functions(pen, variables, depth)
        ways += _choices(pen, variables, depth)
    return pen.one_of(ways)


def _functions(pen: Pen, variables: Sequence[str], depth: int) -> Ways:
    """Terms that are computed from others."""

    def variable() -> str:
        return f"?{pen.variable(variables)}"

    def deeper() -> str:
        return value(pen, variables, depth - 1)

    def arithmetic() -> str:
        right = deeper() if pen.chance(30) else pen.pick(["1", "2", "0.5", "0"])
        return f"({deeper()} {pen.pick(['+', '-', '*', '/'])} {right})"

    def more_text() -> str:
        one = f"STR({variable()})"
        return pen.pick(
            [
                f"STRLEN({one})", f"CONCAT({one}, '-', STR({variable()}))",
                f"SUBSTR({one}, 2)", f"SUBSTR({one}, 1, 3)", f'STRBEFORE({one}, ":")',
                f'STRAFTER({one}, "urn:")', f'REPLACE({one}, "[xa]", "o")',
                f'STRLANG({one}, "en")', f"STRDT({one}, <{XSD}integer>)", f"IRI({one})",
            ]
        )  # fmt: skip

    return [
        (4, pen.noting("arithmetic", arithmetic)),
        (1, pen.noting("arithmetic", lambda: f"(- {deeper()})")),
        (1, pen.noting("arithmetic", lambda: f"{pen.pick(_ROUNDINGS)}({deeper()})")),
        (3, pen.noting("string functions", lambda: f"{pen.pick(_TEXT_TO_TEXT)}(STR({deeper()}))")),
        (4, pen.noting("string functions", more_text)),
        (2, pen.noting("LANG", lambda: f"{pen.pick(['LANG', 'DATATYPE'])}({variable()})")),
        (2, pen.noting("casts", lambda: f"{pen.pick(_CASTS)}({deeper()})")),
        (1, pen.noting("dates", lambda: f"{pen.pick(_DATE_PARTS)}({variable()})")),
    ]


def _choices(pen: Pen, variables: Sequence[str], depth: int) -> Ways:
    """Terms that depend on a condition, or on whether another can be computed."""

    def deeper() -> str:
        return value(pen, variables, depth - 1)

    def tested() -> str:
        return condition(pen, variables, depth - 1)

    return [
        (2, pen.noting("IF", lambda: f"IF({tested()}, {deeper()}, {deeper()})")),
        (2, pen.noting("COALESCE", lambda: f"COALESCE({deeper()}, {pen.literal()})")),
        (2, lambda: f"({tested()})"),
    ]
