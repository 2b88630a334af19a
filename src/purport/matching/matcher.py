"""The matcher: an event in, the subscriptions that it answers out."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from purport.errors import InvalidInput, MissingExtra
from purport.matching.asked import MatchedPredicate, matched_predicates
from purport.matching.batch_matches import BatchMatches, FoundRow, found_of, rows_of
from purport.matching.batches import Batch, JsonObject, as_event, batch_of, batch_of_events
from purport.matching.checking import Checking
from purport.matching.class_answers import ClassAnswers
from purport.matching.compiled_matcher import CompiledMatcher, Optimisations
from purport.matching.explanation import MatchExplanation, explain_match
from purport.matching.individuals import Individuals, ontology_of
from purport.matching.interned import Interned
from purport.matching.lines import line_of
from purport.matching.measures import Measures
from purport.matching.plan import DEFAULTS, Defaults, Mode, SubscriptionPlan, mode_of
from purport.model.event import Event, Statement
from purport.model.language.label import label, place_of
from purport.model.match import Mapping, Match
from purport.model.subscription import Exactness, Options, Subscription
from purport.relatedness.lexicon import Lexicon
from purport.relatedness.measure import Measure

if TYPE_CHECKING:
    import pyarrow as pa

    from purport.matching.individuals import GivenOntology
    from purport.ontology.ontology import Ontology

MOST_THREADS = 256
_LEFT_SLOTS = 50_000  # how many more empty slots than subscriptions there may be


class Matcher:
    """Finds the subscriptions that an event answers.

    >>> from purport import Event, Matcher, parse
    >>> matcher = Matcher([parse("{device = laptop~, temperature > 25 °C} as hot")])
    >>> [match] = matcher.match(Event.from_json({"device": "computer", "temperature": "80 °F"}))
    >>> match.subscription.name, match.probability > 0.9
    ('hot', True)

    `measure` (an object or a name) is used for every `~` that names none; `mode` "paper" means the
    equations of TOIT'14: the measure `esa`, the mean, and exact predicates that count like others.
    With `competition`, words that another subscription's term explains better count for less.
    With `scores`, a folder, what was scored once is remembered there by `measures.share_scores`.
    `ontology` (an `Ontology`, a file, or several) judges what predicates ask of classes.
    `optimisations` can be left out one by one, to measure what each saves.
    """

    def __init__(
        self,
        subscriptions: Iterable[Subscription] = (),
        *,
        measure: Measure | str | None = None,
        mode: Mode | str = Mode.DEFAULT,
        lexicon: Lexicon | Path | str | None = None,
        competition: bool = False,
        scores: Path | str | None = None,
        ontology: GivenOntology | None = None,
        optimisations: Optimisations | None = None,
    ) -> None:
        known = ontology_of(ontology) if ontology is not None else None
        self._of_this_kind = partial(
            Matcher, measure=measure, mode=mode, lexicon=lexicon, competition=competition,
            scores=scores, ontology=known, optimisations=optimisations,
        )  # fmt: skip
        self._defaults = DEFAULTS[mode_of(mode)]
        self._optimisations = optimisations or Optimisations()
        default = self._defaults.measure if measure is None else measure
        self.measures = Measures(
            default,
            lexicon,
            competition=competition,
            scores=Path(scores) if scores is not None else None,
        )
        self._classes = ClassAnswers(Individuals(known), self.measures) if known else None
        self._lock = threading.RLock()
        self._named: dict[str, Subscription] = {}
        self._visited = self._plans_run = 0
        self._begin()
        if isinstance(subscriptions, Subscription):
            raise InvalidInput("expected several subscriptions, such as a list, got one")
        for subscription in subscriptions:
            self.add(subscription)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._of_this_kind, (self.subscriptions,)

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """What is subscribed to now, oldest first."""
        with self._lock:
            live = sorted(slot for slots in self._slots.values() for slot in slots)
            return tuple(self._subscriptions[slot] for slot in live)

    @property
    def visited(self) -> int:
        """How many subscriptions were looked at, over all events: it shows what an index saves."""
        return self._visited + self._compiled.visited + self._checking.looked_at

    @property
    def plans_run(self) -> int:
        """How often a subscription was looked at by its plan, which takes long."""
        return self._plans_run + self._checking.plans_run

    @property
    def defaults(self) -> Defaults:
        """What holds where a subscriber says nothing."""
        return self._defaults

    @property
    def ontology(self) -> Ontology | None:
        """What judges classes, if something does."""
        return self._classes.individuals.ontology if self._classes is not None else None

    def add(self, subscription: Subscription) -> None:
        """Take up a subscription.

        `NotSupportedYet` if it has a form that no engine here runs, `InvalidInput` if its name is
        that of another one, it names a measure that nobody knows, or a class that the ontology does
        not know.
        """
        if not isinstance(subscription, Subscription):
            raise InvalidInput(f"expected a Subscription, as parse makes, got {subscription!r:.80}")
        name = subscription.name
        with self._lock:
            plan = self._plan(subscription)
            if name is not None and self._named.get(name, subscription) != subscription:
                place = place_of(subscription)
                raise InvalidInput(f"{place}: the name {name!r} is taken by another subscription")
            self._put(subscription, plan)
            if name is not None:
                self._named[name] = subscription
            if self.measures.register(subscription):
                self._compiled.forget()

    def requires_exact(self, options: Options) -> bool:
        """Whether a predicate without `~` must hold under these options."""
        return (options.exact or self._defaults.exact) is Exactness.REQUIRED

    def may_be_guarded(self, subscription: Subscription) -> bool:
        """Whether one that is here takes long to look at, and is accepted or not, no less."""
        with self._lock:
            plan = self._checking.plan_of(self._slots[subscription][0])
        return plan is not None and all(line.is_exact for line in plan.lines)

    def guard(self, subscription: Subscription, guards: Iterable[Subscription]) -> None:
        """Look closely at a subscription only where others match, which match whatever it does.

        That they do is for the caller to know; who guards a subscription is not guarded by it. The
        guards take the place of those that it had. `KeyError` if one of them is not here.
        """
        with self._lock:
            slots = [self._slots[one][0] for one in guards]
            for slot in self._slots[subscription]:
                self._checking.guard(slot, slots)

    def check(self, subscription: Subscription) -> None:
        """Raise what `add` would raise of a subscription without a name, and take up nothing."""
        with self._lock:
            self._plan(subscription)

    def remove(self, subscription: Subscription) -> None:
        """Drop a subscription; `KeyError` if it is not here."""
        with self._lock:
            if subscription not in self._slots:
                raise KeyError(label(subscription))
            slot, *others = self._slots[subscription]
            if others:
                self._slots[subscription] = tuple(others)
            else:
                del self._slots[subscription]
                self._named.pop(subscription.name or "", None)
            self._compiled.remove(slot)
            self._checking.remove(slot)
            if self.measures.unregister(subscription):
                self._compiled.forget()
            self._left += 1
            if 2 * self._left > len(self._subscriptions) + _LEFT_SLOTS:
                self._build_anew()

    def match(self, event: Event) -> list[Match]:
        """The subscriptions that the event answers, best first; among equals, oldest first."""
        if not isinstance(event, Event):
            raise InvalidInput(f"expected an Event, as Event.from_json makes, got {event!r:.80}")
        with self._lock:
            rows = self.match_rows([event])
            return [self._made_alone(event, row, subscription) for row, subscription in rows]

    def match_rows(self, events: Sequence[Event]) -> list[tuple[FoundRow, Subscription]]:
        """The matches of some events as numbers, each with its subscription; quick for one event.

        A subscription is the very object that was added.
        """
        with self._lock:
            batch = batch_of_events(events, self._compiled.interned())
            if len(events) == 1:
                rows = rows_of(*self._compiled.match_event(batch))
            else:
                rows = rows_of(self._compiled.match(batch))
            describing = self._checking.describing(batch, self._compiled.met)
            if self._checking.needs(describing):
                checked = self._checking.checked
                rows = iter(checked(rows, len(events), events.__getitem__, describing))
            subscriptions = self._subscriptions
            return [
                (self._whole(row, subscriptions[row.slot], events), subscriptions[row.slot])
                for row in rows
            ]

    def match_batch(
        self, events: Iterable[Event | JsonObject], *, threads: int = 1
    ) -> BatchMatches:
        """The matches of many events, or of JSON objects that are events, in one go.

        An `EventError` says what is wrong with an object that is no event.
        """
        told = list(events)
        with self._lock:
            batch = batch_of(told, self._compiled.interned())
            return self._match_batch(batch, lambda number: as_event(told[number]), threads)

    def match_read(
        self, read: Callable[[Interned], Batch], event_at: Callable[[int], Event]
    ) -> BatchMatches:
        """The matches of events that are read straight into a batch, for readers of a format.

        `read` is given what is interned, to encode them with; `event_at` gives one of the events,
        should a subscription need to look at it.
        """
        with self._lock:
            return self._match_batch(read(self._compiled.interned()), event_at, 1)

    def match_table(
        self, table: pa.Table, *, threads: int = 1, terms: pa.Array | None = None
    ) -> pa.Table:
        """The matches of the events in an Arrow table, as an Arrow table.

        In: `event_id`, a text, and `statements`, a map from text to text or a list of structs of
        `attribute` and `value`; texts may be dictionary-encoded, or numbers into `terms`. A
        statement without a name or a value says nothing. Out: `event_id`, `subscription`,
        `probability` and `mapping`, the number of the statement for each predicate; an event's
        matches stand together, best first.
        """
        try:
            from purport.matching.arrow_tables import match_table
        except ModuleNotFoundError as error:
            raise MissingExtra("spark") from error
        with self._lock:
            return match_table(table, self._compiled.interned(), self._match_batch, threads, terms)

    def mappings(self, event: Event, subscription: Subscription, k: int) -> list[Mapping]:
        """The k best mappings of a subscription to an event, best first.

        The subscription need not be one that the matcher has taken up.
        """
        if k < 1:
            raise InvalidInput(f"k must be 1 or more, got {k}")
        with self._lock:
            plan = self._plan(subscription)
            return plan.mappings(event, k)

    def explain(self, match: Match) -> MatchExplanation:
        """Why an event matches: all similarities, the measures behind them, the runners-up."""
        with self._lock:
            plan = self._plan(match.subscription)
            found = explain_match(plan, match.event)
        if found is None:
            raise InvalidInput("the event has nothing that answers the subscription")
        return found

    def _begin(self) -> None:
        self._compiled = CompiledMatcher(self.measures, self._optimisations, self._classes)
        self._checking = Checking(self._classes)
        self._subscriptions: list[Subscription] = []  # by slot; those that have gone stay there
        self._slots: dict[Subscription, tuple[int, ...]] = {}
        self._left = 0

    def _put(self, subscription: Subscription, plan: SubscriptionPlan) -> None:
        slot = self._compiled.add(plan) if plan.is_of_words else self._compiled.skip()
        self._checking.add(slot, plan)
        self._subscriptions.append(subscription)
        self._slots[subscription] = (*self._slots.get(subscription, ()), slot)

    def _build_anew(self) -> None:
        """Compile what is left, after many subscriptions have gone."""
        left, guards = self.subscriptions, self._checking.guards
        self._visited, self._plans_run = self.visited, self.plans_run
        live = sorted(slot for slots in self._slots.values() for slot in slots)
        self._begin()
        for subscription in left:
            plan = self._plan(subscription)
            self._put(subscription, plan)
        anew = {slot: place for place, slot in enumerate(live)}
        for slot, some in guards.items():
            self._checking.guard(anew[slot], [anew[one] for one in some])

    def _match_batch(
        self, batch: Batch, event_at: Callable[[int], Event], threads: int
    ) -> BatchMatches:
        if not isinstance(threads, int) or not 1 <= threads <= MOST_THREADS:
            raise InvalidInput(f"threads are from 1 to {MOST_THREADS}, got {threads!r}")
        found = self._compiled.match(batch, threads)
        describing = self._checking.describing(batch, self._compiled.met)
        if self._checking.needs(describing):
            checked = self._checking.checked
            found = found_of(checked(rows_of(found), len(batch), event_at, describing))
        return BatchMatches(
            found,
            self._subscriptions,
            lambda row, subscription: self._made(event_at(row.event), row, subscription),
        )

    def _plan(self, subscription: Subscription) -> SubscriptionPlan:
        return SubscriptionPlan.of(subscription, self.measures, self._defaults, self._classes)

    def _made(self, event: Event, row: FoundRow, subscription: Subscription) -> Match:
        """The match that a row stands for."""
        with self._lock:
            return self._made_alone(event, row, subscription)

    def _made_alone(self, event: Event, row: FoundRow, subscription: Subscription) -> Match:
        if (subscription.options.top or 1) > 1:
            plan = self._plan(subscription)
            best, *others = plan.mappings(event, plan.top)
            return Match(subscription, event, best, tuple(others), self.explain)
        statements = [event.statements[place] for place in row.statements]
        predicates = matched_predicates(subscription)
        similarities = self._similarities(row, predicates, statements)
        answers = zip(predicates, statements, similarities, strict=True)
        mapping = Mapping.of(answers, row.probability)
        return Match(subscription, event, mapping, explainer=self.explain)

    def _whole(
        self, row: FoundRow, subscription: Subscription, events: Sequence[Event]
    ) -> FoundRow:
        """A row with the similarities that were too small to be kept."""
        if not any(map(math.isnan, row.similarities)):
            return row
        event = events[row.event]
        statements = [event.statements[place] for place in row.statements]
        known = self._similarities(row, matched_predicates(subscription), statements)
        return structs.replace(row, similarities=tuple(known))

    def _similarities(
        self,
        row: FoundRow,
        predicates: Sequence[MatchedPredicate],
        statements: Sequence[Statement],
    ) -> list[float]:
        return [
            self._similarity(predicate, statement) if math.isnan(known) else known
            for known, predicate, statement in zip(
                row.similarities, predicates, statements, strict=True
            )
        ]

    def _similarity(self, predicate: MatchedPredicate, statement: Statement) -> float:
        """A similarity that was too small to be kept."""
        scores, _ = line_of(predicate, self.measures, self._classes).similarities(
            Event((statement,))
        )
        return float(scores[0])
