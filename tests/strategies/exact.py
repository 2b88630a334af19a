"""Exact subscriptions and events over a small world, so that they meet often."""

from contextlib import suppress
from datetime import UTC, datetime

from hypothesis import strategies as st

from purport.model import subscription as ast
from purport.model.comparison import Operator
from purport.model.event import Event, Statement
from purport.model.term import Attribute, Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity, find_unit

ATTRIBUTES: list[Attribute] = [
    Text("device"), Text("Device "), Text("temperature_C"), Text("voltage_a"), Text("value"),
    Text("urn:x:kind"), Resource("urn:x:kind"), Text("room"),
]  # fmt: skip
UNITS = [
    None,
    None,
    find_unit("°C"),
    find_unit("°F"),
    find_unit("K"),
    find_unit("%"),
    find_unit("C"),
]
VALUES: list[Term] = [
    Text("laptop"), Text("LAPTOP"), Text(" lap  top"), Text("lap top"), Text("25"), Text("25 °C"),
    Text("77 °F"), Text("298.15 K"), Text("true"), Text("1e999"), Text("2020-01-01T00:00:00Z"),
    Text("urn:x:Red"), Text("URN:x:Red"), Resource("urn:x:Red"), Boolean(True), Boolean(False),
    Time(datetime(2020, 1, 1, tzinfo=UTC)), Time(datetime(2020, 1, 2, tzinfo=UTC)), Text(""),
]  # fmt: skip

quantities = st.builds(
    Quantity,
    st.sampled_from([0, 1, 25, 25.0, 77, 298.15, -3.5, 10**30, 1e308, 2**70 + 1, float(2**70 + 1)]),
    st.sampled_from(UNITS),
)
values: st.SearchStrategy[Term] = st.one_of(st.sampled_from(VALUES), quantities)
asked_attributes = st.sampled_from(ATTRIBUTES).map(ast.AskedAttribute)
asked_values = values.map(ast.AskedValue)
ordered_values = values.filter(lambda term: _has_order(term)).map(ast.AskedValue)
EQUALITIES = (Operator.EQUAL, Operator.NOT_EQUAL)


def _has_order(term: Term) -> bool:
    return not isinstance(term, Boolean | Resource) and term != Text("1e999")


def _range(
    attribute: ast.AskedAttribute, one: ast.AskedValue, other: ast.AskedValue
) -> ast.InRange:
    """From one to the other, the other way round if need be; from one to itself if it must be."""
    for low, high in ((one, other), (other, one)):
        with suppress(ValueError):
            return ast.InRange(attribute, low, high)
    return ast.InRange(attribute, one, one)


exact_predicates = st.one_of(
    st.builds(ast.Comparison, asked_attributes, st.sampled_from(EQUALITIES), asked_values),
    st.builds(ast.Comparison, asked_attributes, st.sampled_from(Operator), ordered_values),
    st.builds(
        ast.OneOfValues, asked_attributes, st.lists(asked_values, min_size=1, max_size=3).map(tuple)
    ),
    st.builds(_range, asked_attributes, ordered_values, ordered_values),
)
exact_subscriptions = st.lists(exact_predicates, min_size=1, max_size=3).map(
    lambda predicates: ast.Subscription(ast.Conjunction(tuple(predicates)))
)
statements = st.builds(Statement, st.sampled_from(ATTRIBUTES), values)
events = st.lists(statements, max_size=6).map(lambda said: Event(tuple(said)))
