"""Class expressions alone, as text in Manchester syntax."""

from __future__ import annotations

from collections.abc import Mapping

from purport.model.class_expression import (
    ClassExpression,
    Named,
    OneOf,
    Restricted,
)
from purport.model.language.parse import parse_class
from purport.model.language.write import write_class


def parse_class_expression(
    text: str, *, prefixes: Mapping[str, str] | None = None
) -> ClassExpression:
    """The class expression that a text spells; a `SubscriptionSyntaxError` says where it does not.

    >>> parse_class_expression("hasWings some Thing or not Vehicle").operands[1]
    Not(operand=Named(name='Vehicle'))
    """
    return parse_class(text, prefixes=prefixes)


def write_class_expression(expression: ClassExpression) -> str:
    """A class expression as text that is read back as the same.

    >>> write_class_expression(parse_class_expression("A and p only (B or C)"))
    'A and (p only (B or C))'
    """
    text = write_class(expression)
    return text if isinstance(expression, Named | OneOf | Restricted) else text[1:-1]
