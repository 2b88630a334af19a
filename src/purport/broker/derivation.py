"""What a rule publishes: an event made of what the matched one says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from purport.broker.records import Answered
from purport.errors import InvalidInput
from purport.model.event import Event, Statement, refuse_many
from purport.model.subscription import (
    AskedValue,
    Comparison,
    InRange,
    OneOfValues,
    Predicate,
    Publish,
    Reference,
    Rule,
)
from purport.model.term import Term, folded

Names = Mapping[str, Term]  # what a pattern in time gives names to
NO_NAMES: Names = {}


def derived_event(
    rule: Rule, event: Event, answered: Answered, identifier: str, names: Names = NO_NAMES
) -> Event:
    """The event that a rule publishes on a match; `InvalidInput` if a `$name` says nothing.

    `$room` is what answers the predicate with the attribute `room`, or the predicate `... = $room`;
    if there is none, what the event says under that very name. Patterns in time have `names`.
    """
    action = rule.action
    assert isinstance(action, Publish)
    statements = tuple(
        Statement(one.attribute, value)
        for one in action.statements
        for value in values_of(one.value, rule, event, answered, names)
    )
    refuse_many(len(statements))
    return Event(statements, identifier, event.interval)


def values_of(
    value: Term | Reference,
    rule: Rule,
    event: Event,
    answered: Answered,
    names: Names = NO_NAMES,
) -> Sequence[Term]:
    """What a value of a rule stands for; `InvalidInput` if a `$name` says nothing."""
    if not isinstance(value, Reference):
        return (value,)
    if value.attribute in names:
        return (names[value.attribute],)
    name = folded(value.attribute)
    answers = list(zip(rule.predicates, answered.mapping, answered.similarities, strict=False))
    for name_of in (_bound_name, _attribute_name):
        for predicate, place, similarity in answers:
            if name_of(predicate) == name and similarity > 0:
                return (event.statements[place].value,)
    found = [one.value for one in event.statements if folded(str(one.attribute)) == name]
    if not found:
        raise InvalidInput(f"the event says nothing under ${value.attribute}")
    return found


def _bound_name(predicate: Predicate) -> str | None:
    """The name that `room~ = $place` gives to what answers it."""
    match predicate:
        case Comparison(_, _, AskedValue(Reference(name))):
            return folded(name)
    return None


def _attribute_name(predicate: Predicate) -> str | None:
    match predicate:
        case Comparison(attribute) | InRange(attribute) | OneOfValues(attribute):
            return folded(str(attribute.term))
    return None
