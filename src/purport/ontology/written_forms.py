"""Limits on how a value is written: its length, a pattern, its digits."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from purport.model.class_expression import Facet, TextFacet
from purport.model.term import Term, Text
from purport.model.units import Quantity
from purport.ontology.errors import OntologyError


def is_written_so(term: Term, facet: Facet) -> bool:
    """Whether a value is within such a limit."""
    match facet.operator:
        case TextFacet.PATTERN:
            return _pattern(str(facet.limit)).fullmatch(_written(term)) is not None
        case TextFacet.LENGTH:
            return len(_written(term)) == _count(facet)
        case TextFacet.MIN_LENGTH:
            return len(_written(term)) >= _count(facet)
        case TextFacet.MAX_LENGTH:
            return len(_written(term)) <= _count(facet)
        case TextFacet.LANGUAGE_RANGE:
            language = (term.language or "") if isinstance(term, Text) else ""
            wanted = str(facet.limit).casefold()
            return f"{language.casefold()}-".startswith(f"{wanted}-") or (
                wanted == "*" and bool(language)
            )
        case TextFacet.TOTAL_DIGITS:
            return _digits(term)[0] <= _count(facet)
        case TextFacet.FRACTION_DIGITS:
            return _digits(term)[1] <= _count(facet)
    raise TypeError(f"{facet.operator} is a limit on values")


@lru_cache(maxsize=1024)
def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise OntologyError(f"not a pattern: {text!r}: {error}") from None


def _count(facet: Facet) -> int:
    limit = facet.limit
    if (
        isinstance(limit, Quantity)
        and limit.unit is None
        and limit.magnitude == int(limit.magnitude)
    ):
        return int(limit.magnitude)
    raise OntologyError(f"{facet.operator} takes a whole number, got {limit}")


def _written(term: Term) -> str:
    return repr(term.magnitude) if isinstance(term, Quantity) else str(term)


def _digits(term: Term) -> tuple[int, int]:
    """How many digits a number has, and how many after the point; a text has too many."""
    if not isinstance(term, Quantity):
        return 1 << 30, 1 << 30
    parts = Decimal(repr(term.magnitude)).normalize().as_tuple()
    behind = max(0, -parts.exponent) if isinstance(parts.exponent, int) else 1 << 30
    before = parts.exponent if isinstance(parts.exponent, int) and parts.exponent > 0 else 0
    return max(len(parts.digits) + before, behind), behind
