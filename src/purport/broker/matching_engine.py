"""The engine of exact and approximate subscriptions to single events: the compiled matcher.

Of subscriptions that take long to look at, those are left out that cannot match, as one that covers
them does not (`guards.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from purport.broker.engine import Answer
from purport.broker.gate import asked_of
from purport.broker.guards import Guards
from purport.broker.records import Answered
from purport.matching.matcher import Matcher
from purport.matching.supported import unsupported_forms
from purport.model.event import Event
from purport.model.match import Explanation, Match
from purport.model.subscription import Subscription

_NONE: tuple[Answer, ...] = ()


@dataclass(slots=True)
class _Evaluated:
    """A subscription that is matched once, for all who asked for the same."""

    subscription: Subscription
    number: int
    identifiers: list[str] = field(default_factory=list)


class MatchingEngine:
    """Matches events one by one; what was before does not matter, so it remembers nothing."""

    name = "matching"

    def __init__(
        self, matcher: Callable[[], Matcher] = Matcher, *, uses_covering: bool = True
    ) -> None:
        self._matcher = matcher()
        self._guards = Guards(self._matcher) if uses_covering else None
        self._came = 0
        self._by_subscription: dict[Subscription, _Evaluated] = {}
        self._by_object: dict[int, _Evaluated] = {}  # by the identity of what the matcher was given
        self._by_identifier: dict[str, _Evaluated] = {}

    def refuses(self, subscription: Subscription) -> str | None:
        form = next(iter(unsupported_forms(subscription)), None)
        if form is None:
            self._matcher.check(subscription)
        return form

    def add(self, identifier: str, subscription: Subscription) -> None:
        asked = replace(subscription, name=None, origin=None)
        evaluated = self._by_subscription.get(asked)
        if evaluated is None:
            self._matcher.add(asked)
            evaluated = self._by_subscription[asked] = _Evaluated(asked, self._came)
            self._came += 1
            if self._guards is not None:
                self._guards.add(str(evaluated.number), asked)
            self._by_object[id(asked)] = evaluated
        evaluated.identifiers.append(identifier)
        self._by_identifier[identifier] = evaluated

    def remove(self, identifier: str) -> None:
        evaluated = self._by_identifier.pop(identifier)
        evaluated.identifiers.remove(identifier)
        if not evaluated.identifiers:
            self._matcher.remove(evaluated.subscription)
            if self._guards is not None:
                self._guards.remove(str(evaluated.number))
            del self._by_subscription[evaluated.subscription]
            del self._by_object[id(evaluated.subscription)]

    def answers(self, events: Sequence[Event], at: datetime) -> Sequence[Sequence[Answer]]:
        if not self._by_object:
            return [_NONE] * len(events)
        rows = self._matcher.match_rows(events)
        if not rows:
            return [_NONE] * len(events)
        answers: list[list[Answer]] = [[] for _ in events]
        for row, subscription in rows:
            others = self._others(events[row.event], subscription)
            best = Answered(row.probability, row.statements, row.similarities)
            answers[row.event].extend(
                Answer(identifier, best, others)
                for identifier in self._by_object[id(subscription)].identifiers
            )
        return answers

    def _others(self, event: Event, subscription: Subscription) -> tuple[Answered, ...]:
        """The next best mappings, where a subscriber asked for more than one."""
        top = subscription.options.top or 1
        if top == 1:
            return ()
        places = {id(one): place for place, one in enumerate(event.statements)}
        return tuple(
            Answered(
                mapping.probability,
                tuple(places[id(pair.statement)] for pair in mapping.correspondences),
                tuple(pair.similarity for pair in mapping.correspondences),
            )
            for mapping in self._matcher.mappings(event, subscription, top)[1:]
        )

    def explain(self, match: Match) -> Explanation:
        """Why an event matches, by the measures as they are now."""
        return self._matcher.explain(replace(match, subscription=asked_of(match.subscription)))

    def advance(self, sequence: int, event: Event, at: datetime) -> None:
        pass

    def snapshot(self) -> bytes:
        return b""

    def restore(self, state: bytes) -> None:
        pass
