"""Property paths of every kind."""

from tests.strategies.sparql.pen import Pen


def path(pen: Pen, depth: int = 2) -> str:
    """A path, in brackets where it needs them; a predicate by itself is the least."""

    def deeper() -> str:
        return path(pen, depth - 1)

    def repeated() -> str:
        sign = pen.pick(["+", "*", "?"])
        pen.used(f"path {sign}")
        return f"({deeper()}){sign}"

    def excluding() -> str:
        steps = [f"{pen.pick(['', '', '^'])}{pen.predicate()}" for _ in range(pen.number(1, 2))]
        return f"!({'|'.join(steps)})"

    if depth <= 0:
        return pen.one_of([(8, pen.predicate), (1, pen.noting("path !", excluding))])
    return pen.one_of(
        [
            (4, pen.predicate),
            (3, pen.noting("path ^", lambda: f"^({deeper()})")),
            (4, pen.noting("path /", lambda: f"({deeper()}/{deeper()})")),
            (4, pen.noting("path |", lambda: f"({deeper()}|{deeper()})")),
            (5, repeated),
            (2, pen.noting("path !", excluding)),
        ]
    )
