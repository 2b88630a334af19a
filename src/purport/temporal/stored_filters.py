"""Filters asked of one occurrence after the other: what it answered is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from purport.matching.keys import Key, asked_attribute_key
from purport.matching.matcher import Matcher
from purport.model.event import Event, Statement
from purport.model.term import Attribute, Term
from purport.temporal.filters import Filter, Filters, Reading
from purport.temporal.occurrence import Occurrence
from purport.temporal.said import values_of

_MOST_REMEMBERED = 50_000


@dataclass(slots=True)
class _Remembered:
    statements: tuple[Statement, ...]
    answered: dict[int, float]  # by the identity of what the matcher judges
    values: dict[Key, list[Term]] = field(default_factory=dict)


class RememberingFilters(Filters):
    """All filters: an occurrence is matched against them at once, and that is remembered."""

    def __init__(self, matcher: Matcher) -> None:
        super().__init__(matcher)
        self._remembered: dict[str, _Remembered] = {}

    def probability(self, one: Filter, occurrence: Occurrence) -> float:
        """How likely an occurrence answers the predicates of a filter; 0 if it does not."""
        if one.subscription is None:
            return 1.0
        return self._known(occurrence).answered.get(id(one.subscription), 0.0)

    def answers(self, one: Filter, occurrence: Occurrence) -> Sequence[Reading]:
        """How an occurrence may be read as an answer, best first."""
        probability = self.probability(one, occurrence)
        if not probability:
            return ()
        return self.readings(one, Event(occurrence.statements), probability)

    def values(self, attribute: Attribute, occurrence: Occurrence) -> list[Term]:
        """What an occurrence says of an exact attribute."""
        key, known = asked_attribute_key(attribute), self._known(occurrence)
        if key not in known.values:
            known.values[key] = values_of(occurrence.statements, attribute)
        return known.values[key]

    def clear(self) -> None:
        """Let go of all filters."""
        super().clear()
        self._remembered.clear()

    def _made(self, found: Filter) -> Filter:
        self._remembered.clear()  # of what is remembered, nothing is said about this one
        return super()._made(found)

    def _known(self, occurrence: Occurrence) -> _Remembered:
        known = self._remembered.get(occurrence.id)
        if known is None or known.statements is not occurrence.statements:
            answered = self.matched([Event(occurrence.statements)])
            known = _Remembered(occurrence.statements, {id(one): how for _, one, how in answered})
            self._remembered[occurrence.id] = known
            if len(self._remembered) > _MOST_REMEMBERED:
                for identifier in list(islice(self._remembered, _MOST_REMEMBERED // 4)):
                    del self._remembered[identifier]
        return known
