"""Limits on how a value is written: its length, a pattern, its digits."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from pyoxigraph import Literal, QuerySolutions, Store

from purport.model.class_expression import Facet, TextFacet
from purport.model.iris import last_part
from purport.model.term import Term, Text
from purport.model.units import Quantity
from purport.ontology.data.data_values import expected_limit
from purport.ontology.errors import OntologyError

_NO_FACTS = Store()


def is_written_so(term: Term, facet: Facet) -> bool:
    """Whether a value is within such a limit."""
    match facet.operator:
        case TextFacet.PATTERN:
            return _is_matching(str(facet.limit), _written(term)) is True
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


def is_implied(facet: Facet, given: Sequence[Facet]) -> bool:
    """Whether whatever is within given limits on how it is written is within another such."""
    if facet in given:
        return True
    most, least = TextFacet.MAX_LENGTH, TextFacet.MIN_LENGTH
    if facet.operator in (most, TextFacet.TOTAL_DIGITS, TextFacet.FRACTION_DIGITS):
        exact = (TextFacet.LENGTH,) if facet.operator is most else ()
        return any(
            one.operator in (facet.operator, *exact) and _count(one) <= _count(facet)
            for one in given
        )
    return facet.operator is least and any(
        one.operator in (least, TextFacet.LENGTH) and _count(one) >= _count(facet) for one in given
    )


def require_facet(facet: Facet, datatype: str) -> None:
    """An `OntologyError` if something is no limit on values of a datatype."""
    if not isinstance(facet.operator, TextFacet):
        expected = expected_limit(datatype, facet.limit)
        if expected is not None:
            limited = f"{last_part(datatype)}[{facet.operator} {facet.limit}]"
            raise OntologyError(f"{limited}: expected {expected}, got {str(facet.limit)!r}")
    elif facet.operator is TextFacet.PATTERN:
        if _is_matching(str(facet.limit), "") is None:
            raise OntologyError(f"not a pattern: {str(facet.limit)!r}")
    elif facet.operator is not TextFacet.LANGUAGE_RANGE:
        _count(facet)


@lru_cache(maxsize=65_536)
def _is_matching(pattern: str, text: str) -> bool | None:
    """Whether a whole text matches a pattern; None if it is none.

    SPARQL's REGEX is asked: its patterns are nearest to XSD's, and it never takes long.
    """
    asked = f"REGEX({Literal(text)}, {Literal(f'^(?:{pattern})$')}, 's')"
    rows = _NO_FACTS.query(f"SELECT ({asked} AS ?is_matching) {{}}")
    assert isinstance(rows, QuerySolutions)
    found = next(rows)["is_matching"]
    return found.value == "true" if isinstance(found, Literal) else None


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
