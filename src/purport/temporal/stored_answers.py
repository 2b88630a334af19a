"""Temporal subscriptions answered by asking the history: what happened when, and does it match?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from purport.errors import NotSupportedYet
from purport.matching.matcher import Matcher
from purport.model.comparison import any_holds, holds
from purport.model.interval import length_of
from purport.model.language.label import label
from purport.model.subscription import (
    Conjunction,
    HistoryFilter,
    Subscription,
    WindowAggregate,
)
from purport.model.term import Term
from purport.temporal.asked import Temporal
from purport.temporal.filters import Filter, Reading, matched_options
from purport.temporal.history import EventHistory, FilteringHistory, TimedEvents
from purport.temporal.occurrence import Occurrence
from purport.temporal.said import bindings_of, values_read
from purport.temporal.sources import asked_terms
from purport.temporal.stored_filters import RememberingFilters
from purport.temporal.stored_plan import AskedConjunction, ConjunctionReader
from purport.temporal.stored_witnesses import Look, ended_since
from purport.temporal.windows import aggregate, brought_in

_MOST_ASKED = 10_000


class StoredAnswers:
    """Answers subscriptions to single events for one occurrence at a time, out of a history.

    Everything that the history has counts, whenever it came. With `in_database`, exact inner
    filters are left to a history that can judge them; the answers are the same.
    """

    def __init__(
        self, history: EventHistory, matcher: Matcher | None = None, *, in_database: bool = False
    ) -> None:
        self._history = history
        self._in_database = in_database
        self._filters = RememberingFilters(Matcher() if matcher is None else matcher)
        self._asked: dict[int, tuple[Subscription, AskedConjunction]] = {}  # by identity
        self._equal: dict[object, AskedConjunction] = {}
        self._views: dict[Filter, TimedEvents | None] = {}

    def answer(self, subscription: Subscription, occurrence: Occurrence) -> float | None:
        """How likely an occurrence answers a subscription; None if it does not.

        `NotSupportedYet` if it is a composition, or refers to an event around it that is not there.
        """
        [found] = self.answers([subscription], occurrence)
        return found

    def answers(
        self, subscriptions: Iterable[Subscription], occurrence: Occurrence
    ) -> list[float | None]:
        """The same of several subscriptions, which share what they ask of the history."""
        asking = self._asking()
        return [asking.best(self._take_up(one), occurrence) for one in subscriptions]

    def has_match(self, subscription: Subscription) -> bool:
        """Whether anything in the history answers a subscription."""
        asked = self._take_up(subscription)
        events = asked.events or self._history
        every = (one for some in (events.ended_between(), events.open()) for one in some)
        return any(self._asking().best(asked, one) is not None for one in every)

    def _asking(self) -> _Asking:
        return _Asking(Look(self._history), self._filters)

    def _take_up(self, subscription: Subscription) -> AskedConjunction:
        known = self._asked.get(id(subscription))
        if known is None or known[0] is not subscription:
            if len(self._asked) >= _MOST_ASKED:
                self._forget()
            known = self._asked[id(subscription)] = subscription, self._read(subscription)
        return known[1]

    def _read(self, subscription: Subscription) -> AskedConjunction:
        options, pattern = subscription.options, subscription.pattern
        if not isinstance(pattern, Conjunction):
            raise NotSupportedYet("a composition, asked of a history", label(subscription))
        key = pattern, matched_options(options)
        if key not in self._equal:
            judging = self._history if self._in_database else None
            history = judging if isinstance(judging, FilteringHistory) else None
            reader = ConjunctionReader(subscription, self._filters, self._views, history)
            self._equal[key] = reader.read(pattern)
        return self._equal[key]

    def _forget(self) -> None:
        """Begin anew, before more is asked than can be remembered."""
        self._asked.clear()
        self._equal.clear()
        self._views.clear()
        self._filters.clear()


@dataclass(slots=True)
class _Asking:
    """Subscriptions answered by one look at the history."""

    look: Look
    filters: RememberingFilters
    _best: dict[tuple[AskedConjunction, str], float | None] = field(default_factory=dict)
    _earlier: dict[int, _Asking] = field(default_factory=dict)  # by the moment

    def best(self, asked: AskedConjunction, event: Occurrence) -> float | None:
        """How likely the likeliest way is in which an event answers; None if there is none."""
        key = asked, event.id
        if key not in self._best:
            found = () if event.is_late else self.readings(asked, asked.filter, event, None)
            self._best[key] = max((one.probability for one in found), default=None)
        return self._best[key]

    def readings(
        self, asked: AskedConjunction, plain: Filter, event: Occurrence, outer: Occurrence | None
    ) -> Iterator[Reading]:
        """How a conjunction holds for an event; `outer` is what its `$names` speak of.

        `plain` is its plain part, with what is to be read.
        """
        moment = asked.moment(event)
        if moment is None:
            return
        for reading in self.filters.answers(plain, event):
            probability = reading.probability
            if asked.correlation is not None:
                assert outer is not None  # what stands in no inner filter was refused
                probability *= asked.correlation.factor(outer, event)
            for predicate in asked.temporal:
                if probability < asked.least:
                    break
                probability *= self._factor(predicate, asked, event, outer, reading, moment)
            if probability >= asked.least and bindings_of(asked.binds, reading.values, event):
                yield Reading(probability, reading.values)

    def _factor(
        self,
        predicate: Temporal,
        asked: AskedConjunction,
        event: Occurrence,
        outer: Occurrence | None,
        reading: Reading,
        moment: int,
    ) -> float:
        """How likely a predicate holds that needs other events; 0 if it does not."""
        inner = asked.inner[predicate]
        match predicate:
            case HistoryFilter():
                return self._in_history(predicate, inner, event, reading, moment)
            case WindowAggregate():
                return self._in_window(predicate, inner, event, outer, reading, moment)
            case _:
                witnesses = self.look.witnesses(predicate, event, inner.events)
                return self._witnessed(inner, event, witnesses)

    def _witnessed(
        self, inner: AskedConjunction, event: Occurrence, witnesses: Iterable[Occurrence]
    ) -> float:
        """How likely the best witness is one; none can be better than certain."""
        best = 0.0
        for one in witnesses:
            if one.id != event.id:
                best = max(best, self._likelihood(inner, one, event))
                if best >= 1.0:
                    break
        return best

    def _likelihood(self, inner: AskedConjunction, one: Occurrence, event: Occurrence) -> float:
        if inner.is_sure:
            return 1.0
        if inner.is_plain:
            return self.filters.probability(inner.plain, one)
        found = self.readings(inner, inner.filter, one, event)
        return max((reading.probability for reading in found), default=0.0)

    def _in_history(
        self,
        asked: HistoryFilter,
        inner: AskedConjunction,
        event: Occurrence,
        reading: Reading,
        moment: int,
    ) -> float:
        then = self if inner.is_prompt else self._as_of(moment - 1)
        told = values_read(reading.values, event, asked.attribute)
        best, seen = 0.0, 0
        for one in then.look.before(moment, inner.events):
            if best >= 1.0 or seen == asked.last or not told:
                break
            likelihood = 0.0 if one.id == event.id else then._likelihood(inner, one, event)
            if likelihood:
                seen += 1
                if likelihood > best:
                    best = max(best, then._compared(asked, inner, told, one, event, likelihood))
        return best

    def _as_of(self, moment: int) -> _Asking:
        """The same, by what was known at a moment."""
        if moment not in self._earlier:
            self._earlier[moment] = _Asking(self.look.as_of(moment), self.filters)
        return self._earlier[moment]

    def _compared(
        self,
        asked: HistoryFilter,
        inner: AskedConjunction,
        told: Sequence[Term],
        one: Occurrence,
        event: Occurrence,
        likelihood: float,
    ) -> float:
        """How likely an earlier event has a value that stands so to one of this event."""
        if asked.attribute.approximation is None:
            earlier = self.filters.values(asked.attribute.term, one)
            return likelihood if any_holds(told, asked.operator, earlier) else 0.0
        found = self.readings(inner, inner.compared, one, event)
        return max(
            (
                probability
                for probability, values in found
                if any_holds(told, asked.operator, [values[asked.attribute]])
            ),
            default=0.0,
        )

    def _in_window(
        self,
        asked: WindowAggregate,
        inner: AskedConjunction,
        event: Occurrence,
        outer: Occurrence | None,
        reading: Reading,
        moment: int,
    ) -> float:
        own = brought_in(asked.attribute, reading.values, event)
        others: list[Sequence[Term]] = []
        past = self.look.before(moment, inner.events)
        for one in ended_since(past, moment - length_of(asked.window) + 1):
            if one.id != event.id:
                others += [
                    brought_in(asked.attribute, best.values, one)
                    for best in self.filters.answers(inner.compared, one)[:1]
                ]
        wanted = asked_terms(asked.value, outer)
        results = ((aggregate(asked.function, own, others, term), term) for term in wanted)
        is_so = any(
            made is not None and holds(made.value, asked.operator, term) for made, term in results
        )
        return float(is_so)
