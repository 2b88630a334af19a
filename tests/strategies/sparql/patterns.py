"""Group graph patterns: everything that stands between the braces of WHERE."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.strategies.sparql.expressions import condition, value
from tests.strategies.sparql.paths import path
from tests.strategies.sparql.pen import Pen
from tests.strategies.sparql.selections import grouped, total_order
from tests.strategies.sparql.terms import VARIABLES

Element = tuple[str, Sequence[str]]  # a text, and the variables that it can bind


@dataclass(frozen=True, slots=True)
class Group:
    """A group in braces, and the variables that it can bind, in order of appearance."""

    text: str
    variables: tuple[str, ...]


def group(
    pen: Pen,
    depth: int,
    outer: Sequence[str] = (),
    *,
    elements: int = 3,
    left: Sequence[str] | None = (),
) -> Group:
    """A group of a few elements.

    `outer` are variables around it: triples connect to them, and filters may speak of them, whether
    or not they are in scope there. `left` are those on the left of OPTIONAL, which are; it is None
    for the group that has nothing around it.
    """
    texts: list[str] = []
    known: dict[str, None] = {}

    def add(element: Element) -> None:
        text, variables = element
        texts.append(text)
        known.update(dict.fromkeys(variables))

    if pen.chance(92):
        add(triples(pen, outer))
    for _ in range(pen.number(0, elements - 1)):
        add(_element(pen, depth, tuple(known), outer, left))
    return Group(f"{{ {' '.join(texts)} }}", tuple(known))


def _element(
    pen: Pen, depth: int, known: Sequence[str], outer: Sequence[str], left: Sequence[str] | None
) -> Element:
    around = tuple(dict.fromkeys((*known, *outer)))

    def inside(left: Sequence[str] = ()) -> Group:
        return group(pen, depth - 1, around, elements=2, left=left)

    def tested() -> str:
        """A group for EXISTS, in which pyoxigraph would see what is not in scope."""
        text = inside().text
        return text if left is None else _closed(pen, text, (*known, *left))

    def filtered() -> Element:
        pen.used("FILTER")
        speaks_of = around if pen.chance(30) else known
        return f"FILTER({condition(pen, speaks_of, inner=tested if depth > 0 else None)})", ()

    def bound() -> Element:
        pen.used("BIND")
        name, computed = pen.new_name(), value(pen, known)
        if left is not None:  # for the same reason
            computed = _closed(pen, computed, known)
        return f"BIND({computed} AS ?{name})", [name]

    def optional() -> Element:
        pen.used("OPTIONAL")
        one = inside(left=known)
        pen.used(*(f"{word} in OPTIONAL" for word in ("OPTIONAL", "MINUS") if word in one.text))
        if pen.chance(35):
            pen.used("OPTIONAL with a filter over both sides")
            both = tuple(dict.fromkeys((*one.variables, *around)))
            one = Group(f"{one.text[:-1]}FILTER({condition(pen, both, 1)}) }}", one.variables)
        return f"OPTIONAL {one.text}", one.variables

    def union() -> Element:
        pen.used("UNION")
        sides = [inside() for _ in range(2 + pen.chance(20))]
        variables = [name for side in sides for name in side.variables]
        return " UNION ".join(side.text for side in sides), variables

    def minus() -> Element:
        if pen.chance(15):
            pen.used("MINUS that shares no variables")
            return f"MINUS {{ ?m1 {pen.predicate()} ?m2 }}", ()
        pen.used("MINUS")
        return f"MINUS {inside().text}", ()

    def exists() -> Element:
        word = pen.pick(["EXISTS", "NOT EXISTS"])
        pen.used(word)
        return f"FILTER {word} {tested()}", ()

    def nested() -> Element:
        pen.used("nested group")
        one = inside()
        return one.text, one.variables

    def in_graph() -> Element:
        one = inside()
        if pen.chance(50):
            pen.used("GRAPH constant")
            return f"GRAPH {pen.graph()} {one.text}", one.variables
        pen.used("GRAPH variable")
        name = pen.pick(["g", "g", "g", *known[:1]])
        return f"GRAPH ?{name} {one.text}", (name, *one.variables)

    def selected() -> Element:
        return subselect(pen, depth - 1, around)

    ways: list[tuple[int, Callable[[], Element]]] = [
        (4, lambda: triples(pen, around)),
        (7, filtered),
        (4, bound),
        (4, lambda: values(pen, known)),
    ]
    if depth > 0:
        ways += [(8, optional), (6, union), (5, minus), (6, exists), (2, nested), (5, in_graph)]
        ways += [(4, selected)]
    return pen.one_of(ways)


def _closed(pen: Pen, text: str, known: Sequence[str]) -> str:
    """The same text, with new names for variables that are not known."""
    found = dict.fromkeys(re.findall(r"\?(\w+)", text))
    names = {name: name if name in known else pen.new_name() for name in found}
    return re.sub(r"\?(\w+)", lambda one: f"?{names[one[1]]}", text)


def triples(pen: Pen, known: Sequence[str]) -> Element:
    """One to three triples, written as blocks are; each shares a variable with what is known."""
    found: dict[str, None] = {}
    texts = []
    for _ in range(pen.pick([1, 1, 1, 1, 1, 2])):
        text, variables = _triple(pen, (*known, *found))
        texts.append(text)
        found.update(dict.fromkeys(variables))
    return f"{' . '.join(texts)} .", tuple(found)


def _triple(pen: Pen, known: Sequence[str]) -> Element:
    found: list[str] = []

    def variable(*, connected: bool) -> str:
        name = pen.variable(known if connected else ())
        if name in found and not pen.chance(15):  # a loop, which is rare
            name = pen.pick([other for other in VARIABLES if other not in found] or VARIABLES)
        found.append(name)
        return f"?{name}"

    def subject() -> str:
        return pen.one_of([(86, lambda: variable(connected=True)), (14, pen.node)])

    def verb() -> str:
        def any_predicate() -> str:
            pen.used("predicate variable")
            return f"?{_named(found, pen.pick(['v', 'v', 'w', 'w', 'a']))}"

        return pen.one_of([(76, pen.predicate), (12, any_predicate), (12, lambda: path(pen))])

    def term() -> str:
        return pen.one_of(
            [
                (82, lambda: variable(connected=pen.chance(15))),
                (6, pen.node),
                (8, pen.literal),
                (2, without_name),
                (2, collection),
            ]
        )

    def without_name() -> str:
        pen.used("[]")
        if pen.chance(30):
            return "[]"
        return f"[ {pen.predicate()} {variable(connected=False)} ]"

    def collection() -> str:
        pen.used("collection")
        items = [
            variable(connected=False) if pen.chance(60) else pen.constant()
            for _ in range(pen.number(1, 2))
        ]
        return f"({' '.join(items)})"

    if pen.chance(3):
        pen.used("[]")
        return f"[ {verb()} {term()} ] {verb()} {term()}", found
    text = f"{subject()} {verb()} {term()}"
    if pen.chance(8):
        pen.used(";")
        text += f" ; {verb()} {term()}"
    if pen.chance(3):
        pen.used(",")
        text += f", {term()}"
    return text, found


def _named(found: list[str], name: str) -> str:
    found.append(name)
    return name


def values(pen: Pen, known: Sequence[str]) -> Element:
    """VALUES, of one variable or two, here and there UNDEF."""
    pen.used("VALUES")

    def cell() -> str:
        if pen.chance(12):
            pen.used("UNDEF")
            return "UNDEF"
        return pen.node() if pen.chance(60) else pen.literal()

    names = list(dict.fromkeys(pen.variable(known) for _ in range(pen.number(1, 2))))
    if len(names) == 1 and pen.chance(60):
        cells = pen.some(cell, 1, 4)
        return f"VALUES ?{names[0]} {{ {' '.join(cells)} }}", names
    rows = [f"({' '.join(cell() for _ in names)})" for _ in range(pen.number(1, 4))]
    return f"VALUES ({' '.join(f'?{name}' for name in names)}) {{ {' '.join(rows)} }}", names


def subselect(pen: Pen, depth: int, outer: Sequence[str]) -> Element:
    """A SELECT in braces: projected, DISTINCT, grouped, or cut after an order that is total."""
    pen.used("subquery")
    where = group(pen, depth, outer, elements=2)
    if pen.chance(30):
        pen.used("subquery with aggregates")
        head, tail, names = grouped(pen, where.variables)
        return f"{{ SELECT {head} WHERE {where.text} {tail} }}", names
    names = [name for name in where.variables if pen.chance(70)] or list(where.variables[:1])
    if not names or pen.chance(10):
        return f"{{ SELECT * WHERE {where.text} }}", where.variables
    distinct = ""
    if pen.chance(30):
        pen.used("subquery with DISTINCT")
        distinct = "DISTINCT "
    tail = ""
    if pen.chance(15):
        pen.used("subquery with LIMIT")
        tail = f" {total_order(names)} LIMIT {pen.number(1, 4)}"
    head = " ".join(f"?{name}" for name in names)
    return f"{{ SELECT {distinct}{head} WHERE {where.text}{tail} }}", names
