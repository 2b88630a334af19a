"""Conjunctions made ready to be answered out of a history."""

from __future__ import annotations

from dataclasses import dataclass

from purport.errors import NotSupportedYet
from purport.model.language.label import label
from purport.model.language.write import write_predicate
from purport.model.subscription import (
    AskedAttribute,
    Conjunction,
    Multiplicity,
    Reference,
    Subscription,
    WindowAggregate,
)
from purport.temporal.asked import Parts, Temporal, approximate, attribute_of, is_prompt
from purport.temporal.filters import Filter, least_probability, matched_options
from purport.temporal.history import FilteringHistory, TimedEvents
from purport.temporal.occurrence import Occurrence
from purport.temporal.said import Binds
from purport.temporal.sources import Correlation
from purport.temporal.stored_filters import RememberingFilters


@dataclass(slots=True, eq=False)
class AskedConjunction:
    """A conjunction made ready: what one event answers by itself, and what it needs others for."""

    plain: Filter
    filter: Filter  # the same, with the values read that matter
    compared: Filter  # the same, with that read as well which an operator around it compares
    correlation: Correlation | None
    temporal: tuple[Temporal, ...]
    inner: dict[Temporal, AskedConjunction]  # among whose answers an operator looks
    binds: Binds  # that give a `$name` a value: nothing else speaks of it here
    is_on_end: bool
    least: float  # that a probability has to reach
    events: TimedEvents | None  # those that pass the plain filter, if a database tells them
    is_prompt: bool  # an event is known to answer, or not, as soon as it has ended

    def moment(self, event: Occurrence) -> int | None:
        """When it is asked of an event; None if that is not known yet."""
        return event.end if self.is_on_end else event.start

    @property
    def is_plain(self) -> bool:
        """Whether one event answers it by itself, whatever may be read from it."""
        return not self.temporal and self.correlation is None

    @property
    def is_sure(self) -> bool:
        """Whether what the database gives is an answer, of probability 1."""
        return self.events is not None and self.is_plain


@dataclass(frozen=True, slots=True)
class ConjunctionReader:
    """Makes the conjunctions of one subscription ready."""

    subscription: Subscription
    filters: RememberingFilters
    views: dict[Filter, TimedEvents | None]  # of a history that judges filters by itself
    history: FilteringHistory | None

    def read(self, conjunction: Conjunction) -> AskedConjunction:
        """A conjunction, and those within it; `NotSupportedYet` if it has a `$name` of nothing."""
        parts = Parts.of(conjunction, is_inner=False)
        if parts.correlated or any(map(_has_reference, parts.temporal)):
            form = "a $name that stands in no inner filter, asked of a history"
            raise NotSupportedYet(form, label(self.subscription))
        return self._asked(parts, is_prompt=is_prompt(conjunction))

    def _asked(
        self, parts: Parts, compared: tuple[AskedAttribute, ...] = (), *, is_prompt: bool
    ) -> AskedConjunction:
        options = matched_options(self.subscription.options)
        plain, read = self.filters.take_up(parts.plain, options), parts.read
        correlation = Correlation(parts.correlated, options, self.filters)
        return AskedConjunction(
            plain,
            self.filters.take_up(parts.plain, options, read),
            self.filters.take_up(parts.plain, options, tuple(dict.fromkeys((*read, *compared)))),
            correlation if parts.correlated else None,
            parts.temporal,
            {one: self._inner(one, parts) for one in parts.temporal},
            parts.binds,
            parts.needs_end,
            least_probability(options),
            self._view(plain),
            is_prompt,
        )

    def _inner(self, predicate: Temporal, outer: Parts) -> AskedConjunction:
        """That among whose answers an operator looks."""
        compared = approximate(attribute_of(predicate))
        if isinstance(predicate, WindowAggregate):
            if predicate.value.approximation is not None:
                form = "an aggregate compared with an approximate value (~)"
                raise NotSupportedYet(form, write_predicate(predicate))
            return self._asked(Parts(outer.plain), compared, is_prompt=True)
        parts = Parts.of(predicate.inner, is_inner=True)
        return self._asked(parts, compared, is_prompt=is_prompt(predicate.inner))

    def _view(self, plain: Filter) -> TimedEvents | None:
        """What passes a filter, if the history can tell."""
        if self.history is None or not self._is_judged_by_any(plain):
            return None
        if plain not in self.views:
            self.views[plain] = self.history.filtered(
                Conjunction(plain.predicates), lambda one: self.filters.probability(plain, one) > 0
            )
        return self.views[plain]

    def _is_judged_by_any(self, plain: Filter) -> bool:
        """Whether each predicate may be answered by any statement, and fully or not at all."""
        is_free = plain.options.mapping is not Multiplicity.ONE_TO_ONE
        is_required = self.filters.matcher.requires_exact(plain.options)
        return bool(plain.predicates) and is_required and (is_free or len(plain.predicates) == 1)


def _has_reference(predicate: Temporal) -> bool:
    return isinstance(predicate, WindowAggregate) and isinstance(predicate.value.term, Reference)
