"""What follows from one limit of a value, against all told values that there are to try."""

from datetime import UTC, datetime
from itertools import product

from purport.covering.limits import Limit, is_wider
from purport.model.comparison import Operator
from purport.model.event import Statement
from purport.model.subscription import AskedAttribute, AskedValue, Comparison
from purport.model.term import Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity, find_unit
from tests.strategies.covering import TOLD, exact_answers

_HEAT = Text("heat")
_UNITS = [None, find_unit("°C"), find_unit("°F"), find_unit("K"), find_unit("km")]
ASKED: list[Term] = [
    *(Quantity(number, unit) for number in (0, 25, 77, 298.15) for unit in _UNITS),
    Text("25"), Text("25 °C"), Text("true"), Text("m"), Text("urn:x:blue"), Text("2026-01-01"),
    Resource("urn:x:Blue"), Boolean(True), Boolean(False),
    Time(datetime(2026, 1, 1, tzinfo=UTC)), Time(datetime(2026, 1, 2, tzinfo=UTC)),
]  # fmt: skip
SAID: list[Term] = [
    *TOLD,
    *ASKED,
    *(Quantity(number, unit) for number in (-5, 10, 24, 26, 60, 78, 290, 299) for unit in _UNITS),
    *map(Text, ("24", "26 °C", "false", "l", "n", "urn:x:red", "2025-12-31", "2026-01-01T12:00Z")),
    Time(datetime(2026, 1, 1, 12, tzinfo=UTC)), Time(datetime(2026, 1, 3, tzinfo=UTC)),
]  # fmt: skip


def _answering(operator: Operator, asked: Term) -> frozenset[int]:
    predicate = Comparison(AskedAttribute(_HEAT), operator, AskedValue(asked))
    said = (Statement(_HEAT, one) for one in SAID)
    return frozenset(place for place, one in enumerate(said) if exact_answers(predicate, one))


_LIMITS = {
    (operator, asked): (Limit.of(operator, asked), _answering(operator, asked))
    for operator, asked in product(Operator, ASKED)
    if operator in (Operator.EQUAL, Operator.NOT_EQUAL) or isinstance(asked, Quantity | Time)
}


def test_what_meets_a_limit_meets_what_it_implies() -> None:
    wrong = [
        (one, other)
        for one, other in product(_LIMITS, repeat=2)
        if _LIMITS[one][0].implies(_LIMITS[other][0]) and not _LIMITS[one][1] <= _LIMITS[other][1]
    ]

    assert not wrong


def test_of_limits_of_one_kind_all_is_known() -> None:
    for one, other in product(_LIMITS, repeat=2):
        (limit, met), (wider, met_by) = _LIMITS[one], _LIMITS[other]
        if limit.kind is wider.kind and limit.base == wider.base:
            assert limit.implies(wider) == (met <= met_by), (one, other)


def test_an_operator_is_wider_if_it_holds_wherever_the_other_one_does() -> None:
    held = {
        operator: {
            one - other
            for one, other in product(range(3), repeat=2)
            if Limit.of(Operator.EQUAL, Quantity(one)).implies(Limit.of(operator, Quantity(other)))
        }
        for operator in Operator
    }
    for one, other in product(Operator, repeat=2):
        assert is_wider(one, other) == (held[other] <= held[one])
