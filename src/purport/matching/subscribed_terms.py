"""The terms that a subscription asks for, as measures read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from purport.matching.asked import asked_values, matched_predicates, plain_term
from purport.model.subscription import Approximation, InRange, Subscription
from purport.model.term import Resource, Text
from purport.model.words import said


@dataclass(frozen=True, slots=True)
class SubscribedTerm:
    """A term, how near one must come to it, and whether it is the name of an attribute."""

    text: str
    approximation: Approximation | None
    is_name: bool


def subscribed_terms(subscription: Subscription) -> Iterator[SubscribedTerm]:
    """The attributes and the words among the values.

    Numbers, times and truths are no words, and the ends of a range are not what it asks for.
    """
    for predicate in matched_predicates(subscription):
        asked = predicate.attribute
        yield SubscribedTerm(said(asked.term), asked.approximation, is_name=True)
        for value in () if isinstance(predicate, InRange) else asked_values(predicate):
            if isinstance(value.term, Text | Resource):
                yield SubscribedTerm(said(value.term), value.approximation, is_name=False)


def approximate_terms(subscription: Subscription) -> Iterator[SubscribedTerm]:
    """Whatever has a `~`: what measures are asked for, numbers too, which words may be near to."""
    for predicate in matched_predicates(subscription):
        asked = predicate.attribute
        if asked.approximation is not None:
            yield SubscribedTerm(said(asked.term), asked.approximation, is_name=True)
        for value in asked_values(predicate):
            if value.approximation is not None:
                yield SubscribedTerm(said(plain_term(value)), value.approximation, is_name=False)
