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
        pen.used("comparison")
        sign = pen.pick(_COMPARISONS)
        if pen.chance(30):
            return f"{variable()} {sign} {variable()}"
        if pen.chance(30):
            return f"{value(pen, variables, depth - 1)} {sign} {pen.literal()}"
        return f"{variable()} {sign} {pen.constant()}"

    def among() -> str:
        pen.used("IN")
        options = [
            variable() if pen.chance(15) else pen.constant() for _ in range(pen.number(0, 4))
        ]
        return f"{variable()} {pen.pick(['IN', 'NOT IN'])} ({', '.join(options)})"

    def bound() -> str:
        pen.used("BOUND")
        return f"{pen.pick(['', '! '])}BOUND({variable()})"

    def kind() -> str:
        pen.used("isIRI ...")
        return f"{pen.pick(_IS)}({variable()})"

    def same() -> str:
        pen.used("sameTerm")
        other = variable() if pen.chance(50) else pen.constant()
        return f"sameTerm({variable()}, {other})"

    def text() -> str:
        pen.used("string functions")
        return f'{pen.pick(_TEXT_TESTS)}(STR({variable()}), "{pen.pick(["x", "u", "1", ""])}")'

    def pattern() -> str:
        pen.used("REGEX")
        flags = pen.pick(["", ', "i"'])
        return (
            f'REGEX(STR({variable()}), "{pen.pick(["^u", "[xy]", "a$", "^[0-9]", "X|A"])}"{flags})'
        )

    def language() -> str:
        pen.used("LANG")
        return pen.pick([f'LANG({variable()}) = "en"', f'langMatches(LANG({variable()}), "*")'])

    def effective() -> str:
        pen.used("effective boolean value")
        return variable()

    ways = [(30, compared), (6, bound), (6, kind), (5, among), (4, same), (3, text), (3, pattern)]
    return [*ways, (2, language), (1, effective)]


def _connectives(pen: Pen, variables: Sequence[str], depth: int, inner: Inner | None) -> Ways:
    """Conditions made of others."""

    def negated() -> str:
        pen.used("!")
        return f"! ({condition(pen, variables, depth - 1, inner=inner)})"

    def joined() -> str:
        sign = pen.pick(["||", "&&"])
        pen.used(sign)
        left, right = (condition(pen, variables, depth - 1, inner=inner) for _ in range(2))
        return f"({left}) {sign} ({right})"

    def branch() -> str:
        pen.used("IF")
        first, second, third = (condition(pen, variables, depth - 1) for _ in range(3))
        return f"IF({first}, {second}, {third})"

    def coalesced() -> str:
        pen.used("COALESCE")
        return f"COALESCE({condition(pen, variables, depth - 1)}, {pen.pick(['true', 'false'])})"

    def exists() -> str:
        assert inner is not None
        pen.used("EXISTS in an expression")
        return f"{pen.pick(['', 'NOT '])}EXISTS {inner()}"

    ways = [(10, joined), (6, negated), (2, branch), (3, coalesced)]
    return ways if inner is None else [*ways, (7, exists)]


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
        pen.used("arithmetic")
        right = deeper() if pen.chance(30) else pen.pick(["1", "2", "0.5", "0"])
        return f"({deeper()} {pen.pick(['+', '-', '*', '/'])} {right})"

    def minus() -> str:
        pen.used("arithmetic")
        return f"(- {deeper()})"

    def rounded() -> str:
        pen.used("arithmetic")
        return f"{pen.pick(_ROUNDINGS)}({deeper()})"

    def text() -> str:
        pen.used("string functions")
        return f"{pen.pick(_TEXT_TO_TEXT)}(STR({deeper()}))"

    def more_text() -> str:
        pen.used("string functions")
        one = f"STR({variable()})"
        return pen.pick(
            [
                f"STRLEN({one})", f"CONCAT({one}, '-', STR({variable()}))",
                f"SUBSTR({one}, 2)", f"SUBSTR({one}, 1, 3)", f'STRBEFORE({one}, ":")',
                f'STRAFTER({one}, "urn:")', f'REPLACE({one}, "[xa]", "o")',
                f'STRLANG({one}, "en")', f"STRDT({one}, <{XSD}integer>)", f"IRI({one})",
            ]
        )  # fmt: skip

    def about() -> str:
        pen.used("LANG")
        return f"{pen.pick(['LANG', 'DATATYPE'])}({variable()})"

    def cast() -> str:
        pen.used("casts")
        return f"{pen.pick(_CASTS)}({deeper()})"

    def date() -> str:
        pen.used("dates")
        return f"{pen.pick(_DATE_PARTS)}({variable()})"

    ways = [(4, arithmetic), (1, minus), (1, rounded), (3, text), (4, more_text), (2, about)]
    return [*ways, (2, cast), (1, date)]


def _choices(pen: Pen, variables: Sequence[str], depth: int) -> Ways:
    """Terms that depend on a condition, or on whether another can be computed."""

    def deeper() -> str:
        return value(pen, variables, depth - 1)

    def branch() -> str:
        pen.used("IF")
        return f"IF({condition(pen, variables, depth - 1)}, {deeper()}, {deeper()})"

    def coalesced() -> str:
        pen.used("COALESCE")
        return f"COALESCE({deeper()}, {pen.literal()})"

    def truth() -> str:
        return f"({condition(pen, variables, depth - 1)})"

    return [(2, branch), (2, coalesced), (2, truth)]
