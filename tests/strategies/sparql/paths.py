"""Property paths of every kind."""

from tests.strategies.sparql.pen import Pen


def path(pen: Pen, depth: int = 2) -> str:
    """A path, in brackets where it needs them; a predicate by itself is the least."""

    def inverse() -> str:
        pen.used("path ^")
        return f"^({path(pen, depth - 1)})"

    def sequence() -> str:
        pen.used("path /")
        return f"({path(pen, depth - 1)}/{path(pen, depth - 1)})"

    def alternative() -> str:
        pen.used("path |")
        return f"({path(pen, depth - 1)}|{path(pen, depth - 1)})"

    def repeated() -> str:
        sign = pen.pick(["+", "*", "?"])
        pen.used(f"path {sign}")
        return f"({path(pen, depth - 1)}){sign}"

    def other() -> str:
        pen.used("path !")
        steps = [f"{pen.pick(['', '', '^'])}{pen.predicate()}" for _ in range(pen.number(1, 2))]
        return f"!({'|'.join(steps)})"

    if depth <= 0:
        return pen.one_of([(8, pen.predicate), (1, other)])
    return pen.one_of(
        [
            (4, pen.predicate),
            (3, inverse),
            (4, sequence),
            (4, alternative),
            (5, repeated),
            (2, other),
        ]
    )
