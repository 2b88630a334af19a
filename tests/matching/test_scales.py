"""Intervals of doubles say what the comparison of decimal fractions says."""

from hypothesis import example, given
from hypothesis import strategies as st

from purport.matching.asked import ValuePredicate
from purport.matching.first_line import value_answers
from purport.matching.measures import Measures
from purport.matching.scales import OPAQUE, intervals, on_scale
from purport.model.comparison import Operator
from purport.model.event import Statement
from purport.model.subscription import AskedAttribute, AskedValue, Comparison
from purport.model.term import Attribute, Text, Time
from purport.model.units import Quantity, find_unit
from tests.strategies.exact import ATTRIBUTES, exact_predicates, quantities
from tests.strategies.terms import quantities as any_quantities
from tests.strategies.terms import times

MEASURES = Measures("exact")
CENT, METRE = find_unit("cm"), find_unit("m")


@given(exact_predicates, st.sampled_from(ATTRIBUTES), st.one_of(quantities, any_quantities, times))
@example(
    Comparison(AskedAttribute(Text("a")), Operator.EQUAL, AskedValue(Quantity(1.001, METRE))),
    Text("a"),
    Quantity(100.1, CENT),
)
def test_a_number_lies_in_an_interval_where_the_predicate_holds(
    predicate: ValuePredicate, attribute: Attribute, value: Quantity | Time
) -> None:
    told = on_scale(value)
    if told is None:
        return
    unit = MEASURES.unit_of(attribute)
    found = intervals(predicate, told.scale, unit)

    lies_within = any(low <= told.number <= high for low, high in found)

    assert lies_within is value_answers(Statement(attribute, value), predicate, MEASURES)


@given(any_quantities, any_quantities, st.sampled_from(Operator))
def test_numbers_of_any_size_and_unit_compare_as_fractions_do(
    asked: Quantity, value: Quantity, operator: Operator
) -> None:
    told = on_scale(value)
    if told is None:
        return
    predicate = Comparison(AskedAttribute(Text("a")), operator, AskedValue(asked))
    found = intervals(predicate, told.scale, None)

    lies_within = any(low <= told.number <= high for low, high in found)

    assert lies_within is value_answers(Statement(Text("a"), value), predicate, MEASURES)


def test_what_is_opaque_differs_from_everything() -> None:
    asked = AskedAttribute(Text("a")), AskedValue(Quantity(5))

    assert intervals(Comparison(asked[0], Operator.NOT_EQUAL, asked[1]), OPAQUE.scale, None)
    assert not intervals(Comparison(asked[0], Operator.EQUAL, asked[1]), OPAQUE.scale, None)
