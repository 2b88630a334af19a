"""Ranges of data values against brute force over the points that matter."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.model.class_expression import (
    And,
    ClassExpression,
    Facet,
    HasSelf,
    Named,
    Not,
    OneOf,
    Or,
    Restricted,
)
from purport.model.comparison import Operator, holds
from purport.model.language.parse import parse_class
from purport.model.rdf import XSD
from purport.model.term import Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity, find_unit
from purport.ontology.data.data_ranges import DataRange, data_range
from purport.ontology.errors import OntologyError

LITERAL = Named("http://www.w3.org/2000/01/rdf-schema#Literal")
INTEGER, DECIMAL, STRING = (Named(XSD + name) for name in ("integer", "decimal", "string"))
NATURAL, BYTE = Named(XSD + "nonNegativeInteger"), Named(XSD + "byte")

# Limits lie within ±3; these points tell apart any two sets that they can make.
POINTS = [Quantity(half / 2) for half in range(-9, 10)] + [Quantity(1.25), Quantity(-0.75)]

numbers = st.integers(-6, 6).map(lambda half: Quantity(half / 2 if half % 2 else half // 2))
facets = st.builds(Facet, st.sampled_from(Operator), numbers)
leaves: st.SearchStrategy[ClassExpression] = st.one_of(
    st.sampled_from([INTEGER, DECIMAL, NATURAL]),
    st.builds(
        Restricted,
        st.sampled_from([INTEGER, DECIMAL, NATURAL]),
        st.lists(facets, max_size=3).map(tuple),
    ),
    st.builds(OneOf, st.lists(numbers, max_size=3).map(tuple)),
)
numeric_ranges = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)


def has(expression: ClassExpression, term: Term) -> bool:
    """Whether a number is in a range, read off the expression."""
    match expression:
        case Named(name):
            assert isinstance(term, Quantity)
            is_whole = term.magnitude == int(term.magnitude)
            if name == NATURAL.name:
                return is_whole and term.magnitude >= 0
            return is_whole or name == DECIMAL.name
        case Restricted(datatype, limits):
            return has(datatype, term) and all(
                holds(term, Operator(f.operator), f.limit) for f in limits
            )
        case OneOf(members):
            return any(
                holds(term, Operator.EQUAL, one) for one in members if not isinstance(one, Named)
            )
        case And(operands):
            return all(has(one, term) for one in operands)
        case Or(operands):
            return any(has(one, term) for one in operands)
        case Not(operand):
            return not has(operand, term)
    raise AssertionError(expression)


def limited(datatype: Named, *limits: tuple[str, Term]) -> DataRange:
    return data_range(
        Restricted(datatype, tuple(Facet(Operator(sign), term) for sign, term in limits))
    )


def one_of(*terms: Term) -> DataRange:
    return data_range(OneOf(terms))


@given(numeric_ranges)
def test_a_range_has_the_points_that_its_expression_says(expression: ClassExpression) -> None:
    asked = data_range(expression)

    assert [asked.contains(point) for point in POINTS] == [has(expression, p) for p in POINTS]


@given(numeric_ranges, numeric_ranges)
def test_a_range_of_numbers_includes_another_exactly_if_every_point_says_so(
    wider: ClassExpression, narrower: ClassExpression
) -> None:
    number_line = data_range(And((narrower, DECIMAL)))

    expected = all(has(wider, point) for point in POINTS if has(narrower, point))
    assert data_range(wider).includes(number_line) == expected


@given(numeric_ranges)
def test_the_size_of_a_range_of_numbers_is_the_number_of_its_points(
    expression: ClassExpression,
) -> None:
    within = And((expression, Restricted(INTEGER, (_at_least(-4), _at_most(4)))))

    asked = data_range(within)

    assert asked.size == sum(has(within, point) for point in POINTS)
    assert asked.is_empty == (asked.size == 0)


def _at_least(number: int) -> Facet:
    return Facet(Operator.AT_LEAST, Quantity(number))


def _at_most(number: int) -> Facet:
    return Facet(Operator.AT_MOST, Quantity(number))


def test_an_integer_above_five_is_one_from_six() -> None:
    above, from_six = limited(INTEGER, (">", Quantity(5))), limited(INTEGER, (">=", Quantity(6)))

    assert above.includes(from_six) and from_six.includes(above)
    assert limited(INTEGER, (">", Quantity(5)), ("<", Quantity(6))).is_empty
    assert not limited(DECIMAL, (">", Quantity(5)), ("<", Quantity(6))).is_empty


def test_integer_types_hold_whole_numbers_within_their_bounds() -> None:
    assert data_range(BYTE).size == 256
    assert data_range(INTEGER).includes(data_range(BYTE))
    assert data_range(NATURAL).includes(limited(BYTE, (">=", Quantity(0))))
    assert not data_range(NATURAL).includes(data_range(BYTE))
    assert data_range(NATURAL).contains(Quantity(5.0))
    assert not data_range(NATURAL).contains(Quantity(5.5))


def test_kinds_of_values_have_nothing_in_common() -> None:
    times = data_range(Named(XSD + "dateTime"))
    booleans = data_range(Named(XSD + "boolean"))
    kinds = [data_range(DECIMAL), data_range(STRING), times, booleans]

    for kind in kinds:
        assert data_range(LITERAL).includes(kind) and not kind.includes(data_range(LITERAL))
        assert [kind.meet(other).is_empty for other in kinds].count(False) == 1


def test_there_are_two_truths() -> None:
    booleans = data_range(Named(XSD + "boolean"))

    assert booleans.size == 2
    assert booleans.meet(one_of(Boolean(True)).complement()).size == 1
    assert one_of(Boolean(True), Boolean(False)).includes(booleans)


def test_times_compare_on_a_line_of_their_own() -> None:
    noon, night = (Time(datetime(2016, 4, 11, hour, tzinfo=UTC)) for hour in (12, 23))
    afternoon = limited(Named(XSD + "dateTime"), (">=", noon))

    assert afternoon.contains(noon) and afternoon.contains(night)
    assert afternoon.includes(limited(Named(XSD + "dateTime"), (">", night)))
    assert not limited(Named(XSD + "dateTime"), (">", noon)).includes(afternoon)


def test_types_of_texts_lie_within_each_other() -> None:
    token, name = data_range(Named(XSD + "token")), data_range(Named(XSD + "NCName"))

    assert data_range(STRING).includes(token) and token.includes(name)
    assert not name.includes(token)
    assert token.contains(Text("two words")) and not token.contains(Text(" two"))
    assert name.contains(Text("word")) and not name.contains(Text("two words"))
    assert not data_range(STRING).contains(Text("Wort", "de"))


@pytest.mark.parametrize(
    ("wider", "narrower", "expected"),
    [
        ("maxLength 3", "maxLength 2", True),
        ("maxLength 2", "maxLength 3", False),
        ("minLength 2", "length 3", True),
        ("maxLength 3", "length 3", True),
        ("length 3", "maxLength 3", False),
        ("minLength 2, maxLength 5", "length 3", True),
        ("minLength 2, maxLength 5", "minLength 3", False),
        ('pattern "[a-z]+"', 'pattern "[a-z]+", maxLength 3', True),
        ('pattern "[a-z]+"', "maxLength 3", False),
    ],
)
def test_lengths_are_compared(wider: str, narrower: str, expected: bool) -> None:
    def texts(limits: str) -> DataRange:
        found = parse_class(f"xsd:string[{limits}]")
        assert isinstance(found, Restricted)
        return data_range(Restricted(STRING, found.facets))

    assert texts(wider).includes(texts(narrower)) is expected


def test_lists_of_texts_are_finite_sets() -> None:
    colours, warm = one_of(Text("red"), Text("blue")), one_of(Text("Red"))

    assert colours.includes(warm) and not warm.includes(colours)
    assert colours.size == 2
    assert colours.meet(warm.complement()).size == 1
    assert colours.meet(warm.complement()).contains(Text("blue"))


def test_what_is_not_known_is_never_claimed() -> None:
    unknown = data_range(Named("http://example.org/shoeSize"))
    early = limited(STRING, ("<", Text("m")))

    assert not unknown.is_empty and not unknown.complement().is_empty
    assert not unknown.contains(Quantity(41)) and not unknown.complement().contains(Quantity(41))
    assert data_range(LITERAL).includes(unknown)
    assert not early.contains(Text("a")) and not early.is_empty
    assert data_range(STRING).includes(early) and not early.includes(data_range(STRING))


def test_addresses_may_be_texts_or_resources() -> None:
    address = data_range(Named(XSD + "anyURI"))

    assert address.contains(Text("http://example.org/")) and not address.contains(Text("./here"))
    assert address.contains(Resource("http://example.org/"))
    assert not address.meet(data_range(STRING)).is_empty


def test_limits_with_units_count_in_every_unit_of_the_kind() -> None:
    warm = limited(LITERAL, (">", Quantity(25, find_unit("°C"))))
    hot = limited(LITERAL, (">", Quantity(86, find_unit("°F"))))

    assert warm.includes(hot) and not hot.includes(warm)
    assert not warm.contains(Quantity(26)) and warm.contains(Quantity(80, find_unit("°F")))
    assert not warm.contains(Quantity(70, find_unit("°F")))
    assert not warm.contains(Quantity(70, find_unit("m")))


def test_limits_with_and_without_units_have_nothing_in_common() -> None:
    cool = limited(LITERAL, ("<", Quantity(25, find_unit("°C"))))
    below = limited(LITERAL, ("<", Quantity(25)))

    assert cool.contains(Quantity(70, find_unit("°F")))
    assert not below.contains(Quantity(20, find_unit("°C"))) and not cool.contains(Quantity(20))
    assert not below.includes(cool) and below.meet(cool).is_empty


@pytest.mark.parametrize("name", ["integer", "decimal", "double", "byte"])
def test_datatypes_of_numbers_hold_none_with_a_unit(name: str) -> None:
    numbers, far = data_range(Named(XSD + name)), Quantity(5, find_unit("km"))

    assert numbers.contains(Quantity(5)) and not numbers.contains(far)
    assert numbers.complement().contains(far) and data_range(LITERAL).contains(far)
    assert one_of(far).meet(numbers).is_empty and one_of(far).size == 1
    assert one_of(far).contains(Quantity(5000, find_unit("m")))
    assert not one_of(far).contains(Quantity(5)) and not one_of(Quantity(5)).contains(far)


@pytest.mark.parametrize("expression", [HasSelf(Named("p")), OneOf((Named("http://a/b"),))])
def test_what_is_about_individuals_is_no_range(expression: ClassExpression) -> None:
    with pytest.raises(OntologyError, match="expected"):
        data_range(expression)


def test_unbounded_ranges_have_no_end_of_values() -> None:
    assert data_range(NATURAL).size == math.inf
    assert limited(DECIMAL, (">=", Quantity(5)), ("<=", Quantity(5))).size == 1
