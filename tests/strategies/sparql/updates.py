"""Graphs, and requests of every form that SPARQL 1.1 Update has, LOAD aside."""

from collections.abc import Callable

from tests.strategies.sparql.expressions import condition
from tests.strategies.sparql.patterns import Group, group
from tests.strategies.sparql.pen import Pen
from tests.strategies.sparql.terms import GRAPHS, VARIABLES

_SILENT_TRANSFERS = ["ADD", "MOVE", "COPY"]


def graph(pen: Pen) -> str:
    """INSERT DATA of a world to begin with: dense, so that patterns match."""
    fact = _facts(pen)
    default = _some(pen, fact, 8, 18)
    parts = [" . ".join(default) + " ."] if default else []
    for name in GRAPHS:
        inside = _some(pen, lambda: _old_fact(pen) if pen.chance(60) else fact(), 2, 8)
        if inside:
            parts.append(f"GRAPH {name} {{ {' . '.join(inside)} }}")
    return f"INSERT DATA {{ {' '.join(parts)} }}"


def _some(pen: Pen, way: Callable[[], str], low: int, high: int) -> list[str]:
    """So many, each once; at times fewer, and none at all where that will do."""
    count = pen.number(low, high) if pen.chance(95) else pen.number(0, low)
    return list(dict.fromkeys(way() for _ in range(count)))


def request(pen: Pen) -> str:
    """One to three operations."""
    operations = [_operation(pen) for _ in range(pen.pick([1, 1, 1, 2, 3]))]
    return " ;\n".join(operations)


def _operation(pen: Pen) -> str:
    return pen.one_of(
        [
            (30, lambda: f"INSERT DATA {{ {_quads(pen, _facts(pen), 3)} }}"),
            (20, lambda: f"DELETE DATA {{ {_quads(pen, lambda: _old_fact(pen), 3)} }}"),
            (8, lambda: _delete_where(pen)),
            (30, lambda: _modify(pen)),
            (4, lambda: _graph_management(pen)),
            (4, lambda: _transfer(pen)),
        ]
    )


def _facts(pen: Pen) -> Callable[[], str]:
    """Facts for one operation; no other may speak of the same nodes without names."""
    one, other = f"_:{pen.new_name()}", f"_:{pen.new_name()}"

    def fact() -> str:
        if not pen.chance(12):
            return _named_fact(pen)
        subject, predicate, last = pen.node(), pen.predicate(), pen.constant()
        return pen.pick(
            [
                f"{subject} {predicate} {one}",
                f"{one} {predicate} {last}",
                f"{one} {predicate} {other}",
                f"{subject} {predicate} ({last} {pen.constant()})",
                f"{subject} {predicate} [ {pen.predicate()} {last} ]",
            ]
        )

    return fact


def _named_fact(pen: Pen) -> str:
    last = pen.one_of([(50, pen.node), (46, pen.literal), (4, pen.graph)])
    pen.facts.append(f"{pen.node()} {pen.predicate()} {last}")
    return pen.facts[-1]


def _old_fact(pen: Pen) -> str:
    return pen.pick(pen.facts) if pen.facts and pen.chance(80) else _named_fact(pen)


def _quads(pen: Pen, line: Callable[[], str], most: int) -> str:
    """Triples, some of them in named graphs."""
    parts = []
    for _ in range(pen.pick([1, 1, 2])):
        block = " . ".join(pen.some(line, 1, most))
        parts.append(f"GRAPH {pen.graph()} {{ {block} }}" if pen.chance(30) else f"{block} .")
    return " ".join(parts)


def _delete_where(pen: Pen) -> str:
    def line() -> str:
        subject = pen.pick([f"?{pen.variable()}", pen.node()])
        predicate = pen.pick([pen.predicate(), pen.predicate(), "?v"])
        return f"{subject} {predicate} {pen.pick([f'?{pen.variable()}', pen.constant()])}"

    if pen.chance(25):
        return f"DELETE WHERE {{ GRAPH {pen.pick(['?g', pen.graph()])} {{ {line()} }} {line()} }}"
    return f"DELETE WHERE {{ {_quads(pen, line, 2)} }}"


def _modify(pen: Pen) -> str:
    """DELETE and INSERT by templates, WITH and USING or without, over any WHERE."""
    where = _where(pen)

    def line() -> str:
        return _template_line(pen, where)

    def blank_line() -> str:
        if not pen.chance(15):
            return line()
        variable = f"?{pen.variable(where.variables)}"
        return pen.pick(
            [
                f"{variable} {pen.predicate()} _:made",
                f"_:made {pen.predicate()} {variable}",
                f"[] {pen.predicate()} {variable}",
            ]
        )

    way = pen.pick(["both", "insert", "delete"])
    deletes = f"DELETE {{ {_template(pen, where, line)} }} " if way != "insert" else ""
    inserts = f"INSERT {{ {_template(pen, where, blank_line)} }} " if way != "delete" else ""
    with_graph = f"WITH {pen.graph()} " if pen.chance(15) else ""
    return f"{with_graph}{deletes}{inserts}{_using(pen)}WHERE {where.text}"


def _where(pen: Pen) -> Group:
    if pen.chance(15):  # what a subquery counts is written down
        name = pen.new_name()
        inner = f"SELECT ?a (COUNT(*) AS ?{name}) WHERE {{ ?a {pen.predicate()} ?b }} GROUP BY ?a"
        return Group(f"{{ {{ {inner} }} }}", ("a", name))
    if pen.chance(15):
        name = pen.new_name()
        bind = f"BIND(?b + 1 AS ?{name}) FILTER({condition(pen, ['a', 'b'], 1)})"
        return Group(f"{{ ?a {pen.predicate()} ?b {bind} }}", ("a", "b", name))
    one = group(pen, 1, elements=2)
    known = tuple(name for name in one.variables if name in VARIABLES or name == "g")
    return Group(one.text, known)  # what is computed may equal other terms: see `World.ties`


def _template(pen: Pen, where: Group, line: Callable[[], str]) -> str:
    if "g" in where.variables and pen.chance(60):
        return f"GRAPH ?g {{ {line()} }}"
    return _quads(pen, line, 2)


def _template_line(pen: Pen, where: Group) -> str:
    """Some of its instances may be no triples: a literal as the subject, a variable not bound."""
    names = where.variables
    subject = pen.pick([f"?{pen.variable(names)}", f"?{pen.variable(names)}", pen.node()])
    predicate = pen.pick([pen.predicate(), pen.predicate(), f"?{pen.variable(names)}"])
    return f"{subject} {predicate} {pen.pick([f'?{pen.variable(names)}', pen.constant()])}"


def _using(pen: Pen) -> str:
    if not pen.chance(15):
        return ""
    graph, other = pen.graph(), pen.graph()
    return pen.pick(
        [f"USING {graph} ", f"USING NAMED {graph} ", f"USING {graph} USING NAMED {other} "]
    )


def _graph_management(pen: Pen) -> str:
    graph = pen.graph()
    return pen.pick(
        [
            f"CLEAR SILENT GRAPH {graph}", f"DROP SILENT GRAPH {graph}",
            f"CREATE SILENT GRAPH {graph}", "CLEAR DEFAULT", "CLEAR NAMED", "DROP DEFAULT",
            "DROP NAMED", "CLEAR ALL", "DROP ALL",
        ]
    )  # fmt: skip


def _transfer(pen: Pen) -> str:
    def place() -> str:
        return pen.pick(["DEFAULT", pen.graph(), f"GRAPH {pen.graph()}"])

    return f"{pen.pick(_SILENT_TRANSFERS)} SILENT {place()} TO {place()}"
