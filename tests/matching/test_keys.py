from hypothesis import given

from purport.matching.keys import asked_keys, told_keys
from purport.model.comparison import Operator, holds
from purport.model.term import Term
from tests.strategies.exact import values

FAMILIES = frozenset({"text", "iri", "boolean", "time", "number", "number of any unit"})


@given(values, values)
def test_equal_values_share_a_key(asked: Term, told: Term) -> None:
    shared = set(asked_keys(asked)) & set(told_keys(told, None, FAMILIES))

    assert bool(shared) is holds(told, Operator.EQUAL, asked)
