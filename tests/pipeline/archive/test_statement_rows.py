"""Statements put apart and together again."""

from hypothesis import example, given
from hypothesis import strategies as st

from purport.model.event import Statement
from purport.model.term import Attribute, Resource, Term, Text
from purport.model.units import Quantity, find_unit
from purport.pipeline.archive.statement_rows import parted
from tests.strategies.terms import attributes, terms


@given(attributes, terms)
@example(Text("a"), Quantity(1))
@example(Text("a"), Quantity(1.0))
@example(Text("a"), Quantity(-0.0))
@example(Text("a"), Quantity(2**53 + 1, find_unit("kilometers per hour")))
@example(Text("a", ""), Text("21.5 °C", "de"))
@example(Resource("urn:a"), Text("0a1b2c3d4e5f"))
@example(Text("a"), Text("9007199254740993"))
@example(Text("a"), Text("x" * 1001))
def test_a_statement_put_apart_is_put_together_as_it_was(attribute: Attribute, value: Term) -> None:
    statement = Statement(attribute, value)

    row, number, text = parted(statement)

    assert (number is not None) == row.has_number
    assert (text is not None) == row.has_text
    again = row.statement(number, text)
    assert again == statement
    assert repr(again) == repr(statement) or "datetime" in repr(statement)  # zones may be renamed
    assert str(again) == str(statement)


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(numbers, numbers)
def test_numbers_that_never_come_again_share_a_row(one: float, other: float) -> None:
    name = Text("value")

    assert (
        parted(Statement(name, Quantity(one))).row == parted(Statement(name, Quantity(other))).row
    )


def test_texts_that_say_no_words_share_a_row() -> None:
    name = Text("value")
    for several in (
        ("21.5 °C", "-3 °C"),
        ("2026-01-01T00:00:00Z", "2016-04-11"),
        ("8c7d2fb0a91e44", "7fffffff-0000-4000-8000-000000000000"),
        ("9007199254740993", "-9007199254740993"),
    ):
        assert len({parted(Statement(name, Text(one))).row for one in several}) == 1
