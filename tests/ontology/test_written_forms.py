"""Limits on how values are written."""

from __future__ import annotations

import pytest

from purport.model.class_expression import Facet, Named, Not, Restricted, TextFacet
from purport.model.rdf import XSD
from purport.model.term import Term, Text
from purport.model.units import Quantity
from purport.ontology.data.data_ranges import DataRange
from purport.ontology.data.written_forms import require_facet
from purport.ontology.errors import OntologyError

STRING = Named(XSD + "string")
TEXT = Named("http://www.w3.org/1999/02/22-rdf-syntax-ns#PlainLiteral")
DECIMAL = Named(XSD + "decimal")


@pytest.mark.parametrize(
    ("facet", "limit", "inside", "outside"),
    [
        (TextFacet.PATTERN, Text("[A-Z]{2}[0-9]+"), Text("AB12"), Text("AB12x")),
        (TextFacet.LENGTH, Quantity(3), Text("abc"), Text("abcd")),
        (TextFacet.MIN_LENGTH, Quantity(3), Text("abcd"), Text("ab")),
        (TextFacet.MAX_LENGTH, Quantity(3), Text("ab"), Text("abcd")),
        (TextFacet.LANGUAGE_RANGE, Text("en"), Text("a", "en-GB"), Text("a", "fr")),
    ],
)
def test_texts(facet: TextFacet, limit: Term, inside: Term, outside: Term) -> None:
    limited = Restricted(TEXT, (Facet(facet, limit),))
    assert DataRange(limited).contains(inside)
    assert not DataRange(limited).contains(outside)
    assert DataRange(Not(limited)).contains(outside)
    assert not DataRange(limited).includes(DataRange(TEXT))
    assert DataRange(TEXT).includes(DataRange(limited))


@pytest.mark.parametrize(
    ("facet", "limit", "inside", "outside"),
    [
        (TextFacet.TOTAL_DIGITS, 3, 12.5, 12.55),
        (TextFacet.TOTAL_DIGITS, 3, 120, 1200),
        (TextFacet.FRACTION_DIGITS, 1, 1200.5, 0.25),
    ],
)
def test_digits(facet: TextFacet, limit: int, inside: float, outside: float) -> None:
    limited = DataRange(Restricted(DECIMAL, (Facet(facet, Quantity(limit)),)))
    assert limited.contains(Quantity(inside))
    assert not limited.contains(Quantity(outside))


@pytest.mark.parametrize(
    ("facet", "limit", "message"),
    [
        (TextFacet.PATTERN, Text("["), "not a pattern"),
        (TextFacet.LENGTH, Text("long"), "takes a whole number"),
    ],
)
def test_limits_that_are_none(facet: TextFacet, limit: Term, message: str) -> None:
    with pytest.raises(OntologyError, match=message):
        require_facet(Facet(facet, limit), XSD + "string")


def test_no_pattern_takes_for_ever() -> None:
    slow = Restricted(STRING, (Facet(TextFacet.PATTERN, Text("(a+)+b")),))
    assert not DataRange(slow).contains(Text(5_000 * "a"))


def test_a_pattern_may_name_kinds_of_letters() -> None:
    letters = Restricted(STRING, (Facet(TextFacet.PATTERN, Text(r"\p{L}+")),))
    assert DataRange(letters).contains(Text("ÄØ"))
    assert not DataRange(letters).contains(Text("A1"))
