"""What `$names` stand for where an event is asked about by itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from purport.model.comparison import Operator
from purport.model.subscription import (
    AskedValue,
    Comparison,
    Predicate,
    Reference,
)
from purport.model.term import Term, Text
from purport.temporal.instance import is_same
from purport.temporal.occurrence import Occurrence
from purport.temporal.stored_filters import said_of


def asked_terms(asked: AskedValue, outer: Occurrence | None) -> list[Term]:
    """What is asked for: the term, or the values of the attribute that a `$name` names."""
    if not isinstance(asked.term, Reference):
        return [asked.term]
    assert outer is not None  # what stands in no inner filter was refused
    return [one.value for one in said_of(Text(asked.term.attribute), outer.statements)]


def is_binding(predicate: Predicate) -> bool:
    """Whether it gives a `$name` its value, where no event is around it: `room = $room`."""
    return (
        isinstance(predicate, Comparison)
        and predicate.operator is Operator.EQUAL
        and isinstance(predicate.value.term, Reference)
        and predicate.value.approximation is None
    )


def can_agree(told: Sequence[tuple[str, Sequence[Term]]]) -> bool:
    """Whether every name can have one of its values, and the same wherever it is told."""
    found: list[dict[str, Term]] = [{}]
    for name, values in told:
        found = [
            {name: value, **known}
            for known, value in product(found, values)
            if name not in known or is_same(value, known[name])
        ]
    return bool(found)
