"""Temporal subscriptions answered by asking the history: what happened when, and does it match?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from purport.errors import NotSupportedYet
from purport.matching.matcher import Matcher
from purport.matching.supported import label
from purport.model.comparison import holds
from purport.model.event import Statement
from purport.model.subscription import (
    After,
    AllenRelated,
    AskedAttribute,
    Comparison,
    Conjunction,
    During,
    HistoryFilter,
    Predicate,
    Reference,
    Simultaneous,
    Subscription,
    WindowAggregate,
)
from purport.model.term import Term
from purport.model.units import Quantity
from purport.temporal.history import EventHistory, FilteringHistory, TimedEvents
from purport.temporal.occurrence import Occurrence
from purport.temporal.sources import Correlation
from purport.temporal.stored_filters import (
    PlainFilter,
    PlainFilters,
    Way,
    matched_options,
    reaches,
    said_of,
)
from purport.temporal.stored_plan import AskedConjunction, ConjunctionReader
from purport.temporal.stored_values import asked_terms, can_agree
from purport.temporal.stored_witnesses import Look, ended_since, length_of
from purport.temporal.windows import aggregate

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
        self._filters = PlainFilters(Matcher() if matcher is None else matcher)
        self._asked: dict[int, tuple[Subscription, AskedConjunction]] = {}  # by identity
        self._equal: dict[object, AskedConjunction] = {}
        self._views: dict[PlainFilter, TimedEvents | None] = {}

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
        asking = _Asking(Look(self._history), self._filters)
        return [asking.best(self._take_up(one), occurrence) for one in subscriptions]

    def has_match(self, subscription: Subscription) -> bool:
        """Whether anything in the history answers a subscription."""
        asked = self._take_up(subscription)
        asking = _Asking(Look(self._history), self._filters)
        events = asked.events or self._history
        every = (one for some in (events.ended_between(), events.open()) for one in some)
        return any(asking.best(asked, one) is not None for one in every)

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
        key = pattern, matched_options(options), options.top
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
        self._filters.forget()


@dataclass(slots=True)
class _Asking:
    """Subscriptions answered by one look at the history."""

    look: Look
    filters: PlainFilters
    _best: dict[tuple[int, str], float | None] = field(default_factory=dict)
    _earlier: dict[int, _Asking] = field(default_factory=dict)  # by the moment

    def best(self, asked: AskedConjunction, event: Occurrence) -> float | None:
        """How likely the likeliest way is in which an event answers; None if there is none."""
        key = id(asked), event.id
        if key not in self._best:
            found = () if event.is_late else self.ways(asked, event, None)
            self._best[key] = max((way.probability for way in found), default=None)
        return self._best[key]

    def ways(
        self,
        asked: AskedConjunction,
        event: Occurrence,
        outer: Occurrence | None,
        also: AskedAttribute | None = None,
    ) -> Iterator[Way]:
        """How a conjunction holds for an event; `outer` is what its `$names` speak of.

        `also` is an attribute whose value is wanted besides.
        """
        moment = asked.moment(event)
        if moment is None:
            return
        near = asked.near
        if also is not None and also.approximation and also not in near:
            near = (*near, also)
        for way in self.filters.ways(asked.plain, near, event, asked.top):
            probability = way.probability
            for predicate in asked.others:
                if not reaches(probability, asked.threshold):
                    break
                probability *= self._factor(predicate, asked, event, outer, way, moment)
            if reaches(probability, asked.threshold) and self._agrees(asked, event, way):
                yield Way(probability, way.chosen)

    def _agrees(self, asked: AskedConjunction, event: Occurrence, way: Way) -> bool:
        """Whether each `$name` that the event itself gives a value can have one."""
        told = [
            (one.value.term.attribute, self._values(one.attribute, event, way))
            for one in asked.bindings
            if isinstance(one, Comparison) and isinstance(one.value.term, Reference)
        ]
        return not told or can_agree(told)

    def _factor(
        self,
        predicate: Predicate,
        asked: AskedConjunction,
        event: Occurrence,
        outer: Occurrence | None,
        way: Way,
        moment: int,
    ) -> float:
        """How likely a predicate holds that needs other events; 0 if it does not."""
        match predicate:
            case After() | During() | Simultaneous() | AllenRelated():
                inner = asked.inner[predicate.inner]
                witnesses = self.look.witnesses(predicate, event, inner.events)
                return self._witnessed(inner, event, witnesses)
            case HistoryFilter():
                return self._in_history(predicate, asked.inner[predicate.inner], event, way, moment)
            case WindowAggregate():
                return self._in_window(predicate, asked, event, outer, way, moment)
            case _:
                assert outer is not None  # what stands in no inner filter was refused
                options = asked.plain.options
                return Correlation((predicate,), options, self.filters).factor(outer, event)

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
        if not inner.others:
            return self.filters.probability(inner.plain, one)
        return max((way.probability for way in self.ways(inner, one, event)), default=0.0)

    def _in_history(
        self,
        asked: HistoryFilter,
        inner: AskedConjunction,
        event: Occurrence,
        way: Way,
        moment: int,
    ) -> float:
        then = self if inner.is_prompt else self._as_of(moment)
        told = self._values(asked.attribute, event, way)
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
            return likelihood if _any_holds(told, asked, earlier) else 0.0
        found = self.ways(inner, one, event, asked.attribute)
        return max(
            (
                way.probability
                for way in found
                if _any_holds(told, asked, [way.chosen[asked.attribute].value])
            ),
            default=0.0,
        )

    def _in_window(
        self,
        asked: WindowAggregate,
        around: AskedConjunction,
        event: Occurrence,
        outer: Occurrence | None,
        way: Way,
        moment: int,
    ) -> float:
        counted = [self._counted(asked, event, way)]
        past = self.look.before(moment, around.events)
        near = (asked.attribute,) if asked.attribute and asked.attribute.approximation else ()
        for one in ended_since(past, moment - length_of(asked.window) + 1):
            if one.id != event.id:
                best = next(self.filters.ways(around.plain, near, one, 1), None)
                if best is not None:
                    counted.append(self._counted(asked, one, best))
        wanted = asked_terms(asked.value, outer)
        own, *others = counted
        results = (
            (aggregate(asked.function, own, chain.from_iterable(others), term), term)
            for term in wanted
        )
        is_so = any(
            made is not None and holds(made, asked.operator, term) for made, term in results
        )
        return float(is_so)

    def _counted(self, asked: WindowAggregate, event: Occurrence, way: Way) -> list[Term]:
        """What one event adds to an aggregate; events themselves are counted as ones."""
        if asked.attribute is None:
            return [Quantity(1)]
        return self._values(asked.attribute, event, way)

    def _values(self, asked: AskedAttribute, event: Occurrence, way: Way) -> list[Term]:
        return [one.value for one in self._statements(asked, event, way)]

    def _statements(
        self, asked: AskedAttribute, event: Occurrence, way: Way
    ) -> Sequence[Statement]:
        """The statements about an attribute; about an approximate one, that which was chosen."""
        if asked.approximation is not None:
            return [way.chosen[asked]]
        return said_of(asked.term, event.statements)


def _any_holds(told: Sequence[Term], asked: HistoryFilter, earlier: Sequence[Term]) -> bool:
    return any(holds(value, asked.operator, other) for value in told for other in earlier)
