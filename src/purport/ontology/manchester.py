"""Class expressions as texts in Manchester syntax."""

from __future__ import annotations

from collections.abc import Mapping

from purport.model.class_expression import ClassExpression
from purport.model.language.parse import parse
from purport.model.subscription import IsA


def parse_class_expression(text: str, prefixes: Mapping[str, str] | None = None) -> ClassExpression:
    """The class expression that a text spells."""
    predicate = parse(f"{{x isa ({text})}}").predicates[0]
    assert isinstance(predicate, IsA)
    return predicate.expression
