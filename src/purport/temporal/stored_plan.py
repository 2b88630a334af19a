"""Conjunctions made ready to be answered out of a history."""

from __future__ import annotations

from dataclasses import dataclass

from purport.errors import NotSupportedYet
from purport.matching.supported import label
from purport.model.subscription import (
    After,
    AllenRelated,
    AskedAttribute,
    Conjunction,
    During,
    Endpoint,
    HistoryFilter,
    Predicate,
    Reference,
    Simultaneous,
    Subscription,
    WindowAggregate,
)
from purport.temporal.asked import is_prompt
from purport.temporal.history import FilteringHistory, TimedEvents
from purport.temporal.occurrence import Occurrence
from purport.temporal.sources import is_correlated
from purport.temporal.stored_filters import (
    PlainFilter,
    PlainFilters,
    is_plain,
    matched_options,
    threshold_of,
)
from purport.temporal.stored_values import is_binding


@dataclass(slots=True, eq=False)
class AskedConjunction:
    """A conjunction made ready: what one event answers by itself, and what it needs others for."""

    plain: PlainFilter
    others: tuple[Predicate, ...]
    bindings: tuple[Predicate, ...]  # that give a `$name` a value: nothing else speaks of it here
    inner: dict[Conjunction, AskedConjunction]
    near: tuple[AskedAttribute, ...]  # approximate attributes whose value matters
    is_on_end: bool
    threshold: float
    top: int
    events: TimedEvents | None  # those that pass the plain filter, if a database tells them
    is_prompt: bool  # an event is known to answer, or not, as soon as it has ended

    def moment(self, event: Occurrence) -> int | None:
        """When it is asked of an event; None if that is not known yet."""
        return event.end if self.is_on_end else event.start

    @property
    def is_sure(self) -> bool:
        """Whether what the database gives is an answer, of probability 1."""
        return self.events is not None and not self.others


@dataclass(frozen=True, slots=True)
class ConjunctionReader:
    """Makes the conjunctions of one subscription ready."""

    subscription: Subscription
    filters: PlainFilters
    views: dict[PlainFilter, TimedEvents | None]  # of a history that judges filters by itself
    history: FilteringHistory | None

    def read(self, conjunction: Conjunction, *, is_inner: bool = False) -> AskedConjunction:
        """A conjunction, and those within it; `NotSupportedYet` if it has a `$name` of nothing."""
        options = self.subscription.options
        plain = tuple(one for one in conjunction.predicates if is_plain(one))
        others = tuple(one for one in conjunction.predicates if not is_plain(one))
        bindings = () if is_inner else tuple(filter(is_binding, others))
        others = tuple(one for one in others if one not in bindings)
        if not is_inner and any(map(_refers_outwards, others)):
            form = "a $name that stands in no inner filter, asked of a history"
            raise NotSupportedYet(form, label(self.subscription))
        judged = self.filters.take_up(plain, matched_options(options))
        inner = {one: self.read(one, is_inner=True) for one in map(_inner, others) if one}
        read = (one for one in (*others, *bindings) if one in bindings or not is_correlated(one))
        near = (one for one in map(_attribute, read) if one and one.approximation)
        return AskedConjunction(
            judged, others, bindings, inner, tuple(dict.fromkeys(near)),
            any(map(_is_on_end, others)), threshold_of(options), options.top or 1,
            self._view(judged), is_prompt(conjunction),
        )  # fmt: skip

    def _view(self, plain: PlainFilter) -> TimedEvents | None:
        """What passes a filter, if the history can tell."""
        if self.history is None or not plain.is_judged_by_any:
            return None
        if plain not in self.views:
            self.views[plain] = self.history.filtered(
                Conjunction(plain.predicates), lambda one: self.filters.probability(plain, one) > 0
            )
        return self.views[plain]


def _inner(predicate: Predicate) -> Conjunction | None:
    match predicate:
        case After() | During() | Simultaneous() | AllenRelated() | HistoryFilter():
            return predicate.inner
        case _:
            return None


def _attribute(predicate: Predicate) -> AskedAttribute | None:
    match predicate:
        case After() | During() | Simultaneous() | AllenRelated():
            return None
        case _:
            return predicate.attribute


def _refers_outwards(predicate: Predicate) -> bool:
    """Whether it compares something with the event around its own."""
    match predicate:
        case WindowAggregate():
            return isinstance(predicate.value.term, Reference)
        case _:
            return _inner(predicate) is None


def _is_on_end(predicate: Predicate) -> bool:
    match predicate:
        case After(endpoint) | During(endpoint) | Simultaneous(endpoint):
            return endpoint is Endpoint.END
        case AllenRelated():
            return True
        case _:
            return False
