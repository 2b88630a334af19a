import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.model.comparison import Operator, holds
from purport.model.term import Text
from purport.model.units import Quantity, find_unit, read_quantity

TEMPERATURES = ("°C", "°F", "K")
numbers = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("25 °C", "77 °F"),
        ("25°C", "298.15 K"),
        ("25 degrees Celsius", "25 °C"),
        ("36 km/h", "10 m/s"),
        ("1 kWh", "3600000 J"),
        ("50 %", "500 permille"),
        ("100 cm", "1 m"),
        ("1 µg/m3", "1 µg/m³"),
        ("90 deg", "90 °"),
    ],
)
def test_equal_quantities_in_different_units(left: str, right: str) -> None:
    asked = read_quantity(left)

    assert asked is not None
    assert holds(Text(right), Operator.EQUAL, asked)


@pytest.mark.parametrize(
    "text", ["", "°C", "room 112", "10th", "007", "5 flurbs", "1e", "--5", "5 c", "12:30", "1,5"]
)
def test_what_is_not_a_quantity(text: str) -> None:
    assert read_quantity(text) is None


@pytest.mark.parametrize(
    "text", ["1 km^9999999", "1 m**99", "1 km^99999/s", "1 m^-3^-3", "5 m m", "1 " + "k" * 500]
)
def test_a_unit_that_would_take_forever_is_no_unit(text: str) -> None:
    assert read_quantity(text) is None


def test_a_number_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        read_quantity("1e999")


@given(numbers, numbers, st.sampled_from(TEMPERATURES), st.sampled_from(TEMPERATURES))
def test_order_does_not_depend_on_which_side_is_asked(
    left: float, right: float, left_unit: str, right_unit: str
) -> None:
    one, other = Quantity(left, find_unit(left_unit)), Quantity(right, find_unit(right_unit))

    assert holds(one, Operator.LESS, other) == holds(other, Operator.GREATER, one)
    assert holds(one, Operator.EQUAL, other) == holds(other, Operator.EQUAL, one)
    below, same, above = (
        holds(one, operator, other)
        for operator in (Operator.LESS, Operator.EQUAL, Operator.GREATER)
    )
    assert below + same + above == 1
