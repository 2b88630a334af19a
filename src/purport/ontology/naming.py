"""Which names stand in a class expression."""

from __future__ import annotations

from collections.abc import Iterator

from purport.model.class_expression import (
    And,
    Cardinality,
    ClassExpression,
    Named,
    Not,
    Only,
    Or,
    Some,
)


def named_in(expression: ClassExpression) -> Iterator[str]:
    """The classes that an expression names."""
    match expression:
        case Named(name):
            yield name
        case And(operands) | Or(operands):
            for operand in operands:
                yield from named_in(operand)
        case Not(operand):
            yield from named_in(operand)
        case Some(_, filler) | Only(_, filler):
            yield from named_in(filler)
        case Cardinality(_, _, _, filler) if filler is not None:
            yield from named_in(filler)
