"""Exact matching by trying everything: slow, and plainly what the language says."""

from collections.abc import Sequence

from purport.matching.first_line import value_answers
from purport.matching.measures import Measures
from purport.model.comparison import Operator, holds
from purport.model.event import Event
from purport.model.subscription import Comparison, InRange, OneOfValues, Subscription


def matching_subscriptions(
    subscriptions: Sequence[Subscription], event: Event
) -> list[Subscription]:
    """The subscriptions of which every predicate is answered by some statement, in their order."""
    return [
        subscription
        for subscription in subscriptions
        if all(
            any(
                isinstance(predicate, Comparison | OneOfValues | InRange)
                and holds(statement.attribute, Operator.EQUAL, predicate.attribute.term)
                and value_answers(statement, predicate, Measures("exact"))
                for statement in event.statements
            )
            for predicate in subscription.predicates
        )
    ]
