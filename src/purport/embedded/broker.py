"""The broker in one's own process: publish, subscribe, be told, and lose nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from purport.assembly import history_at, history_engine, journal_at, matching_engine
from purport.broker.asked import Asked, Query, dataset_of, written
from purport.broker.engine import Engine
from purport.broker.graph import Graph, require_update
from purport.broker.journal import Journal, MemoryJournal
from purport.broker.matching_engine import MatchingEngine
from purport.broker.records import (
    MOST_WAITING,
    Cancelled,
    Delivery,
    Overflow,
    Paused,
    Subscribed,
    Unsubscribed,
    Updated,
)
from purport.broker.registering import Wanted
from purport.broker.registry import Registration
from purport.broker.registry_text import exported, imported
from purport.broker.schedule import DelayedUpdate
from purport.broker.time_engine import HistoryEngine
from purport.embedded.arguments import (
    Publishable,
    due_time,
    one_of,
    published_event,
    published_events,
    readable,
    readable_dataset,
    require_address,
    require_callback,
    require_own_name,
    require_owner,
    require_registrable,
    require_text,
    require_topic,
)
from purport.embedded.beginning import begin
from purport.embedded.deliveries import Deliveries
from purport.embedded.housekeeping import Housekeeper
from purport.embedded.ledger import Ledger
from purport.embedded.listeners import Listeners
from purport.embedded.permissions import (
    require_manager,
    require_publisher,
    require_reader,
    require_subscriber,
    require_updater,
)
from purport.embedded.receipts import (
    Failure,
    Receipt,
    UpdateReceipt,
    failure_in,
    receipts_of,
    update_receipt,
)
from purport.embedded.settings import BrokerSettings
from purport.embedded.subscriber import Acknowledging, Subscriber
from purport.embedded.timer import Timer
from purport.embedded.workers import Callback
from purport.errors import InvalidInput
from purport.matching.individuals import ontology_of
from purport.matching.matcher import Matcher
from purport.model.clock import Clock, SystemClock
from purport.model.event import Event
from purport.model.match import Explanation, Match
from purport.model.subscription import Post, Rule, Subscription
from purport.posting import address_parts
from purport.sparql.graph_store import WHOLE, Answer, Dataset
from purport.temporal.asked import is_in_time
from purport.temporal.history import EventHistory, MemoryHistory

if TYPE_CHECKING:
    from purport.matching.individuals import GivenOntology

_LOG = logging.getLogger("purport.broker")


class Broker:
    """One door to the engines: what is published is matched, kept, and told to subscribers.

    >>> from purport import Broker
    >>> with Broker.in_memory() as broker:
    ...     hot = broker.subscribe("{temperature > 25 °C} as hot")
    ...     receipt = broker.publish({"temperature": "80 °F"})
    ...     [notification] = hot.waiting()
    >>> notification.id, notification.match.probability, receipt.notified
    ('hot:0', 1.0, 1)

    `Broker.open` keeps everything in a folder. A subscription with a name is durable: whoever
    subscribes under that name again, after a restart too, goes on after what was acknowledged last.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        history: Callable[[], EventHistory] = MemoryHistory,
        matcher: Callable[[], Matcher] = Matcher,
        ontology: GivenOntology | None = None,
        engines: Sequence[Engine] = (),
        clock: Clock | None = None,
        settings: BrokerSettings | None = None,
    ) -> None:
        self._settings = settings or BrokerSettings()
        self._journal = journal
        self._housekeeper: Housekeeper | None = None
        self._clock = clock or SystemClock()
        with ExitStack() as on_failure:
            on_failure.callback(journal.close)
            known = None if ontology is None else ontology_of(ontology)
            if self._settings.infers and known is None:
                raise InvalidInput("a broker infers by an ontology, and none is given")
            matching = matching_engine(matcher, known)
            times = history_engine(
                journal, history, self._settings.history, matcher=matcher, ontology=known
            )
            on_failure.callback(times.close)
            graph = Graph(known if self._settings.infers else None)
            self._ledger = Ledger(
                journal, [matching, *engines, times], graph, self._clock, self._settings
            )
            if journal.mended is not None:
                _LOG.warning("%s", journal.mended)
            begin(self._ledger, self._settings.access)
            if not isinstance(journal, MemoryJournal):
                self._housekeeper = Housekeeper(journal, self._ledger)
            on_failure.pop_all()
        deliveries = Deliveries(self._ledger, journal, partial(_explained, matching, times))
        self._listeners = Listeners(self._ledger, deliveries, self._settings.patience)
        self._timer = Timer(self._ledger.time_left, self._ledger.run_due)
        if self._ledger.time_left() is not None:
            self._timer.look()

    @classmethod
    def open(
        cls,
        folder: Path | str,
        *,
        journal: str | None = None,
        history: str | None = None,
        durability: str = "full",
        matcher: Callable[[], Matcher] = Matcher,
        ontology: GivenOntology | None = None,
        engines: Sequence[Engine] = (),
        clock: Clock | None = None,
        settings: BrokerSettings | None = None,
    ) -> Self:
        """The broker of a folder, which is made if it is not there.

        `journal` is the address of a database (`postgresql://...`) that has the journal instead;
        the folder then has its sealed stretches. `history` is the address of one (`postgresql://`,
        `mariadb://`) that has the history of events; else it is where the journal is. `durability`
        "relaxed" does not wait for the disk at every publication: a power cut may cost the last
        ones, a crash of the process none.
        `ontology` (an `Ontology`, a file, or several) judges what predicates ask of classes; with
        `BrokerSettings(infers=True)` queries see what follows from the graph by it.
        """
        if not isinstance(folder, Path | str):
            raise InvalidInput(f"expected the path of a folder, got {folder!r}")
        for address in (journal, history):
            if address is not None:
                require_address(address)
        if journal is None:
            kept = journal_at(Path(folder), durability=durability)
        elif durability != "full":
            raise InvalidInput(f"a database has durability full, got {durability!r}")
        else:
            kept = journal_at(journal, stretches=Path(folder) / "stretches")
        return cls(
            kept,
            history=partial(history_at, history or journal or folder),
            matcher=matcher,
            ontology=ontology,
            engines=engines,
            clock=clock,
            settings=settings,
        )

    @classmethod
    def in_memory(
        cls,
        *,
        matcher: Callable[[], Matcher] = Matcher,
        ontology: GivenOntology | None = None,
        engines: Sequence[Engine] = (),
        clock: Clock | None = None,
        settings: BrokerSettings | None = None,
    ) -> Self:
        """A broker that lasts as long as the process."""
        return cls(
            MemoryJournal(),
            matcher=matcher,
            ontology=ontology,
            engines=engines,
            clock=clock,
            settings=settings,
        )

    def publish(
        self, event: Publishable, *, topic: str = "", publisher: str | None = None
    ) -> Receipt:
        """Publish an event, or JSON that is one; when this returns, it is kept.

        `EventError` if it is none, `BacklogFull` if a subscriber wants publishers to wait.
        """
        [receipt] = self._publish([published_event(event)], topic, publisher)
        return receipt

    def publish_all(
        self, events: Iterable[Publishable], *, topic: str = "", publisher: str | None = None
    ) -> list[Receipt]:
        """Publish several events at once, in order: all of them are kept, or none."""
        made = published_events(events)
        return self._publish(made, topic, publisher) if made else []

    def update(
        self,
        text: str,
        *,
        at: datetime | None = None,
        after: timedelta | None = None,
        publisher: str | None = None,
    ) -> UpdateReceipt:
        """Run a SPARQL update, at once or later; when this returns, it is kept.

        All of it happens, or nothing: `SparqlSyntaxError` if it is none, `BacklogFull` if a
        subscriber wants publishers to wait.
        """
        require_text(text, "an update")
        require_owner(publisher)
        require_updater(self._settings.access, publisher)
        due = due_time(at, after, self._clock)
        if due is None:
            return update_receipt(self._ledger.update(text, publisher))
        require_update(text)
        entry = self._ledger.schedule(text, due, publisher)
        self._timer.look()
        return UpdateReceipt(entry.sequence, number=entry.sequence, due=due)

    def query(self, text: str, *, dataset: Dataset = WHOLE, who: str | None = None) -> Answer:
        """The answer to a SPARQL query, now: solutions, a truth or triples, as pyoxigraph has them.

        It sees the graphs of a dataset, if one is given, in the place of those that it names with
        FROM. `SparqlSyntaxError` if it is no query.
        """
        query = Query(require_text(text, "a query"), readable_dataset(dataset))
        require_reader(self._settings.access, query, who)
        return self._ledger.query(query)

    def delayed(self) -> list[DelayedUpdate]:
        """The updates that wait for their time, in the order in which they are due."""
        return self._ledger.delayed()

    def cancel_update(self, number: int, *, who: str | None = None) -> None:
        """Let a delayed update go; `InvalidInput` if it does not wait."""
        with self._ledger.lock:
            publisher = self._ledger.delayed_update(number).publisher
            require_manager(self._settings.access, who, publisher)
            self._ledger.record(Cancelled(number))

    def run_due(self) -> list[UpdateReceipt]:
        """Run the delayed updates whose time has come; a thread does so by itself.

        So does whatever is published, updated, asked or subscribed. Those that fail are recorded
        (`failures`), and are not among the receipts. `BacklogFull` if a subscriber wants publishers
        to wait: that one, and those after it, are tried again.
        """
        entries = self._ledger.run_due()
        return [update_receipt(one) for one in entries if isinstance(one.record, Updated)]

    def subscribe(
        self,
        subscription: Subscription | str,
        callback: Callback | None = None,
        *,
        name: str | None = None,
        dataset: Dataset = WHOLE,
        owner: str | None = None,
        durable: bool | None = None,
        delivery: Delivery | str = Delivery.AT_LEAST_ONCE,
        most_waiting: int = MOST_WAITING,
        overflow: Overflow | str = Overflow.DROP_OLDEST,
        acknowledging: Acknowledging | str = Acknowledging.WHEN_NEXT_IS_TAKEN,
    ) -> Subscriber:
        """Subscribe to events or to a SPARQL query, or add a rule; a callback has its own thread.

        Who asks a query is told the whole answer first, then what comes into it and goes; a
        `dataset` says which graphs it sees, in the place of those that it names with FROM.

        Under the name of a subscription that is there, this goes on with it: as it is, or in a new
        version if it is asked for otherwise. Without a name it ends with this broker, unless it is
        said to be `durable`.
        """
        asked = readable(subscription, name, dataset)
        name = asked.name if isinstance(asked, Subscription) else name
        if name is not None:
            require_own_name(name)
        wanted = Subscribed(
            name or "",
            written(asked),
            owner,
            name is not None if durable is None else durable,
            one_of(Delivery, delivery),
            most_waiting,
            one_of(Overflow, overflow),
            dataset_of(asked),
        )
        how = one_of(Acknowledging, acknowledging)
        require_callback(callback, asked)
        with self._ledger.lock:
            self._ledger.require_open()
            if name is None:
                wanted = msgspec.structs.replace(wanted, id=self._ledger.free_id())
            self._register([Wanted(wanted, asked)])
            return self.subscriber(wanted.id, callback, acknowledging=how)

    def subscriber(
        self,
        identifier: str,
        callback: Callback | None = None,
        *,
        acknowledging: Acknowledging | str = Acknowledging.WHEN_NEXT_IS_TAKEN,
    ) -> Subscriber:
        """The notifications of a subscription that is there; of a rule, none."""
        how = one_of(Acknowledging, acknowledging)
        with self._ledger.lock:
            asked = self.registration(identifier).subscription
            require_callback(callback, asked)
            if callback is not None:
                return self._listeners.call(identifier, callback)
            subscriber = self._listeners.listen(identifier, how)
            if isinstance(asked, Rule):
                subscriber.close()
            return subscriber

    def unsubscribe(self, identifier: str, *, who: str | None = None) -> None:
        """End a subscription, and what waits for it."""
        with self._ledger.lock:
            self._require_manager(identifier, who)
            self._ledger.record(Unsubscribed(identifier))

    def pause(self, identifier: str, *, who: str | None = None) -> None:
        """Let a subscription hear nothing of what is published until it is resumed.

        What waits for it goes on waiting.
        """
        with self._ledger.lock:
            if not self._require_manager(identifier, who).is_paused:
                self._ledger.record(Paused(identifier))

    def resume(self, identifier: str, *, who: str | None = None) -> None:
        """Let a paused subscription hear again; `InvalidInput` if as much waits for it as may.

        A query is told its whole answer anew.
        """
        with self._ledger.lock:
            if self._require_manager(identifier, who).is_paused:
                if self._ledger.is_full(identifier):
                    raise InvalidInput(f"as much waits for {identifier!r} as may: take some first")
                registration = self.registration(identifier)
                access = self._settings.access
                require_reader(access, registration.subscription, registration.owner)
                self._ledger.resume(identifier)

    def registrations(self, owner: str | None = None) -> list[Registration]:
        """What is subscribed to, rules included; all, or what belongs to somebody."""
        with self._ledger.lock:
            self._ledger.require_open()
            self._ledger.expire()
            found = list(self._ledger.registry)
        return found if owner is None else [one for one in found if one.owner == owner]

    def registration(self, identifier: str) -> Registration:
        """A subscription or rule; `InvalidInput` if there is none."""
        return self._ledger.registration(require_text(identifier, "the id of a subscription"))

    def versions(self, identifier: str) -> tuple[Registration, ...]:
        """All versions of a subscription or rule, oldest first."""
        with self._ledger.lock:
            self.registration(identifier)
            return self._ledger.registry.versions(identifier)

    def export_registry(self, owner: str | None = None) -> str:
        """What is subscribed to, as lines of JSON."""
        return exported(self.registrations(owner))

    def import_registry(self, text: str, *, owner: str | None = None) -> list[Registration]:
        """Register what was exported, or what a file of subscriptions and rules says.

        All of it is registered, or nothing: `InvalidInput` says what is wrong, and where.
        """
        wanted = imported(require_text(text, "a registry"), owner=owner)
        with self._ledger.lock:
            self._ledger.require_open()
            self._register([Wanted(line.asked(), asked, line.is_paused) for line, asked in wanted])
            return [self.registration(line.id) for line, _ in wanted]

    def failures(self, after: int = 0) -> list[Failure]:
        """What rules, callbacks and delayed updates could not do, of entries after a sequence."""
        with self._ledger.lock:
            self._ledger.require_open()
            entries = self._journal.read(after)
        return [found for found in map(failure_in, entries) if found is not None]

    def compact(self) -> int:
        """Seal all of the journal that is in no stretch yet, and drop what need not be kept.

        A broker in a folder does so by itself from time to time; gives how many entries went.
        """
        self._ledger.require_open()
        while self._journal.seal(all_of_it=True) is not None:
            pass
        return self._ledger.drop_old()

    @property
    def sequence(self) -> int:
        """The sequence of the last entry of the journal."""
        return self._ledger.sequence

    def close(self) -> None:
        """Stop callbacks, keep what is to be kept, and let go of the journal."""
        self._listeners.stop(self._settings.closing_seconds)
        self._timer.stop()
        if self._housekeeper is not None:
            self._housekeeper.stop()
            self._housekeeper = None
        try:
            self._ledger.close()
        finally:
            self._listeners.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _publish(self, events: Sequence[Event], topic: str, publisher: str | None) -> list[Receipt]:
        if topic or publisher is not None:
            require_topic(topic)
            require_owner(publisher)
        require_publisher(self._settings.access, publisher, topic)
        entries, late = self._ledger.publish(events, topic, publisher)
        if self._ledger.next_deadline is not None:
            self._timer.look()
        return receipts_of(entries, len(events), late)

    def _register(self, wanted: Sequence[Wanted]) -> None:
        """Register all that is wanted, each paused or not; raises what is wrong with one."""
        for one in wanted:
            self._check(one.record, one.asked)
        self._ledger.register(wanted)
        for one in wanted:
            self._listeners.post_for(self.registration(one.record.id))

    def _check(self, wanted: Subscribed, asked: Asked) -> None:
        require_registrable(wanted)
        before = self._ledger.registry.find(wanted.id)
        require_subscriber(self._settings.access, wanted, asked, before)
        if isinstance(asked, Query):
            return
        if isinstance(asked, Rule) and isinstance(asked.action, Post):
            address_parts(asked.action.url)
        self._ledger.require_runnable(asked)

    def _require_manager(self, identifier: str, who: str | None) -> Registration:
        registration = self.registration(identifier)
        require_manager(self._settings.access, who, registration.owner)
        return registration


def _explained(matching: MatchingEngine, times: HistoryEngine, match: Match) -> Explanation:
    """Why an event matches, by the engine that found it."""
    is_of_time = is_in_time(match.subscription.pattern)
    return times.explain(match) if is_of_time else matching.explain(match)
