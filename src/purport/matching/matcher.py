"""The matcher: an event in, the subscriptions that it answers out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from purport.errors import InvalidInput
from purport.matching.first_line import ExactPredicate, value_answers
from purport.matching.keys import Key, asked_attribute_key, told_attribute_keys
from purport.matching.predicate_index import PredicateIndex
from purport.matching.supported import require_supported
from purport.model.event import Event, Statement
from purport.model.match import Correspondence, Mapping, Match
from purport.model.subscription import Comparison, InRange, OneOfValues, Subscription


@dataclass(slots=True)
class Work:
    """How much a matcher has done: what an index saves shows here, on any machine."""

    events: int = 0
    subscriptions_visited: int = 0


class Matcher:
    """Finds the subscriptions that an event answers.

    >>> from purport import Event, Matcher, parse
    >>> matcher = Matcher([parse("{device = laptop, temperature > 25 °C} as hot")])
    >>> [match] = matcher.match(Event.from_json({"device": "Laptop", "temperature": "80 °F"}))
    >>> match.subscription.name, match.probability
    ('hot', 1.0)
    """

    def __init__(self, subscriptions: Iterable[Subscription] = ()) -> None:
        self.work = Work()
        self._subscriptions: dict[int, Subscription] = {}
        self._numbers: dict[Subscription, list[int]] = {}
        self._named: dict[str, Subscription] = {}
        self._predicates: dict[int, tuple[ExactPredicate, ...]] = {}
        self._index = PredicateIndex()
        self._next_number = 0
        for subscription in subscriptions:
            self.add(subscription)

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """What is subscribed to now, oldest first."""
        return tuple(self._subscriptions.values())

    def add(self, subscription: Subscription) -> None:
        """Take up a subscription.

        `NotSupportedYet` if it has a form that no engine here runs, `InvalidInput` if its name is
        that of another one.
        """
        require_supported(subscription)
        name, number = subscription.name, self._next_number
        if name is not None and self._named.setdefault(name, subscription) != subscription:
            raise InvalidInput(f"the name {name!r} is taken by another subscription")
        self._next_number += 1
        self._numbers.setdefault(subscription, []).append(number)
        self._subscriptions[number] = subscription
        self._predicates[number] = _exact(subscription)
        self._index.add(number, self._predicates[number])

    def remove(self, subscription: Subscription) -> None:
        """Drop a subscription; `KeyError` if it is not here."""
        numbers = self._numbers[subscription]
        number = numbers.pop(0)
        if not numbers:
            del self._numbers[subscription]
            self._named.pop(subscription.name or "", None)
        del self._subscriptions[number], self._predicates[number]
        self._index.remove(number)

    def match(self, event: Event) -> list[Match]:
        """The subscriptions that the event answers, best first; among equals, oldest first."""
        candidates = self._index.candidates(event)
        self.work.events += 1
        self.work.subscriptions_visited += len(candidates)
        said = _by_attribute(event) if candidates else {}
        found = []
        for number in candidates:
            mapping = _exact_mapping(self._predicates[number], said)
            if mapping is not None:
                found.append(Match(self._subscriptions[number], event, mapping))
        return found


def _by_attribute(event: Event) -> dict[Key, list[Statement]]:
    """The event's statements under the keys of their attributes."""
    said: dict[Key, list[Statement]] = {}
    for statement in event.statements:
        for key in told_attribute_keys(statement.attribute):
            said.setdefault(key, []).append(statement)
    return said


def _exact_mapping(
    predicates: tuple[ExactPredicate, ...], said: dict[Key, list[Statement]]
) -> Mapping | None:
    """The first statement that answers each predicate; None if some predicate has no answer."""
    share = 1 / len(predicates)
    pairs = []
    for predicate in predicates:
        told = said.get(asked_attribute_key(predicate.attribute.term), ())
        statement = next((one for one in told if value_answers(one, predicate)), None)
        if statement is None:
            return None
        pairs.append(Correspondence(predicate, statement, similarity=1.0, probability=share))
    return Mapping(tuple(pairs), 1.0)


def _exact(subscription: Subscription) -> tuple[ExactPredicate, ...]:
    """The predicates of a supported subscription, all of which are exact."""
    return tuple(
        predicate
        for predicate in subscription.predicates
        if isinstance(predicate, Comparison | OneOfValues | InRange)
    )
