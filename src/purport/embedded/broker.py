"""The broker in one's own process: publish, subscribe, be told, and lose nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from purport.assembly import history_at, history_engine, matching_engine
from purport.broker.access import AccessRules
from purport.broker.asked import dataset_of, written
from purport.broker.engine import Engine
from purport.broker.graph import Graph, require_update
from purport.broker.journal import Journal, MemoryJournal
from purport.broker.records import (
    MOST_WAITING,
    Cancelled,
    Delivery,
    Entry,
    Overflow,
    Paused,
    Subscribed,
    Unsubscribed,
    Updated,
)
from purport.broker.registering import Wanted
from purport.broker.registry import Registration
from purport.embedded.arguments import (
    Publishable,
    due_time,
    one_of,
    published_event,
    published_events,
    readable,
    require_callback,
    require_own_name,
    require_owner,
    require_text,
    require_topic,
)
from purport.embedded.beginning import begin, pause_forbidden
from purport.embedded.changing import changed
from purport.embedded.deliveries import Deliveries
from purport.embedded.explaining import explained
from purport.embedded.housekeeping import Housekeeper
from purport.embedded.incoming import Incoming
from purport.embedded.ledger import Ledger
from purport.embedded.listeners import Listeners
from purport.embedded.neighbours import Neighbours
from purport.embedded.opening import opened_journal
from purport.embedded.permissions import (
    require_manager,
    require_publisher,
    require_reader,
    require_updater,
)
from purport.embedded.receipts import (
    Receipt,
    UpdateReceipt,
    receipts_of,
    update_receipt,
)
from purport.embedded.recent import RecentEntries
from purport.embedded.registrar import Registrar
from purport.embedded.settings import BrokerSettings
from purport.embedded.subscriber import Acknowledging, Subscriber
from purport.embedded.tally import Tally
from purport.embedded.timer import Timer
from purport.embedded.trials import TrialParts, Trials
from purport.embedded.webhook import WebhookStatus
from purport.embedded.window import Window
from purport.embedded.workers import Callback
from purport.errors import InvalidInput
from purport.matching.individuals import ontology_of
from purport.matching.matcher import Matcher
from purport.model.clock import Clock, SystemClock
from purport.model.event import Event
from purport.model.subscription import Subscription
from purport.sparql.graph_store import WHOLE, Dataset
from purport.temporal.history import EventHistory, MemoryHistory

if TYPE_CHECKING:
    from purport.matching.individuals import GivenOntology

_LOG = logging.getLogger("purport.broker")


class Broker(Window):
    """Joins the engines: what is published is matched, kept, and told to subscribers.

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
            known = self.ontology = None if ontology is None else ontology_of(ontology)
            if self._settings.infers and known is None:
                raise InvalidInput("a broker infers by an ontology, and none is given")
            matching = matching_engine(matcher, known)
            times = history_engine(
                journal, history, self._settings.history, matcher=matcher, ontology=known
            )
            on_failure.callback(times.close)
            graph = Graph(
                known if self._settings.infers else None,
                most_rows=self._settings.most_rows,
                may_load=self._settings.may_load,
            )
            self._ledger = Ledger(
                journal, [matching, *engines, times], graph, self._clock, self._settings
            )
            if journal.mended is not None:
                _LOG.warning("%s", journal.mended)
            begin(self._ledger, self._settings.access)
            if not isinstance(journal, MemoryJournal):
                self._housekeeper = Housekeeper(journal, self._ledger)
            on_failure.pop_all()
        recent = None if isinstance(journal, MemoryJournal) else RecentEntries()
        explain = partial(explained, matching, times)
        deliveries = Deliveries(self._ledger, journal, explain, recent)
        parts = TrialParts(matcher, known, self._clock)
        super().__init__(self._ledger, journal, deliveries, Trials(parts, explain))
        self._listeners = Listeners(self._ledger, deliveries, self._clock, self._settings)
        self._registrar = Registrar(self._ledger, self._listeners, lambda: self._settings)
        self.neighbours = Neighbours(
            self._ledger, deliveries, self._listeners, lambda: self._settings, matching.matcher
        )
        self._timer = Timer(self._ledger.time_left, self._ledger.run_due)
        self.incoming = Incoming(self._ledger, lambda: self._settings, self._timer)
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
        kept = opened_journal(folder, journal, history, durability)
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
        require_update(text, may_load=self._settings.may_load)
        entry = self._ledger.schedule(text, due, publisher)
        self._timer.look()
        return UpdateReceipt(entry.sequence, number=entry.sequence, due=due)

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
        webhook: str = "",
    ) -> Subscriber:
        """Subscribe to events or to a SPARQL query, or add a rule; a callback has its own thread.

        Who asks a query is told the whole answer first, then what comes into it and goes; a
        `dataset` says which graphs it sees, in the place of those that it names with FROM.
        A `webhook` is the address of a service that each notification is posted to: they are not
        taken here then, and go on waiting while it is down.

        Under the name of a subscription that is there, this goes on with it: as it is, or in a new
        version if it is asked for otherwise. Without a name it ends with this broker, unless it is
        said to be `durable`.
        """
        asked = readable(subscription, name, dataset)
        name = asked.name if isinstance(asked, Subscription) else name
        if name is not None:
            require_own_name(name, self._settings.reserved)
        wanted = Subscribed(
            name or "",
            written(asked),
            owner,
            name is not None if durable is None else durable,
            one_of(Delivery, delivery),
            most_waiting,
            one_of(Overflow, overflow),
            dataset_of(asked),
            webhook,
        )
        how = one_of(Acknowledging, acknowledging)
        require_callback(callback, asked, webhook)
        with self._ledger.lock:
            self._ledger.require_open()
            if name is None:
                wanted = msgspec.structs.replace(wanted, id=self._ledger.free_id())
            self._registrar.register([Wanted(wanted, asked)])
            return self._listeners.hear(wanted.id, callback, how)

    def subscriber(
        self,
        identifier: str,
        callback: Callback | None = None,
        *,
        acknowledging: Acknowledging | str = Acknowledging.WHEN_NEXT_IS_TAKEN,
        who: str | None = None,
    ) -> Subscriber:
        """The notifications of a subscription that is there; of a rule or a webhook, none."""
        how = one_of(Acknowledging, acknowledging)
        with self._ledger.lock:
            self._require_manager(identifier, who)
            return self._listeners.hear(identifier, callback, how)

    def unsubscribe(self, identifier: str, *, who: str | None = None) -> None:
        """End a subscription, and what waits for it."""
        with self._ledger.lock:
            self._require_manager(identifier, who)
            self._ledger.record(Unsubscribed(identifier))

    def end(self, subscriber: Subscriber) -> None:
        """End what a subscriber hears, if it has not ended; who was given one may, nameless too."""
        with self._ledger.lock:
            if not subscriber.has_ended:
                self._ledger.record(Unsubscribed(subscriber.id))

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
                registration = self._ledger.registration(identifier)
                if self._ledger.is_full(identifier) and not registration.is_failing:
                    raise InvalidInput(f"as much waits for {identifier!r} as may: take some first")
                access = self._settings.access
                require_reader(access, registration.subscription, registration.owner)
                self._ledger.resume(identifier)

    def change(
        self,
        identifier: str,
        *,
        text: str | None = None,
        dataset: Dataset | None = None,
        delivery: Delivery | str | None = None,
        most_waiting: int | None = None,
        overflow: Overflow | str | None = None,
        webhook: str | None = None,
        who: str | None = None,
    ) -> Registration:
        """Ask for a subscription or rule otherwise: a new version, with what is not given as it is.

        What waits goes on waiting, and a query of other words is told its whole answer. The name
        stays, and so does the kind; a webhook of "" is none. What changes nothing makes no version.
        """
        given = {
            "delivery": None if delivery is None else one_of(Delivery, delivery),
            "most_waiting": most_waiting,
            "overflow": None if overflow is None else one_of(Overflow, overflow),
            "webhook": webhook,
        }
        with self._ledger.lock:
            wanted = changed(self._require_manager(identifier, who), text, dataset, given)
            self._registrar.register([] if wanted is None else [wanted])
            return self._ledger.registration(identifier)

    def webhook_status(self, identifier: str, *, who: str | None = None) -> WebhookStatus | None:
        """How the service is doing that a subscription or rule is posted to; None if none is."""
        with self._ledger.lock:
            self._require_manager(identifier, who)
            return self._listeners.webhook_status(identifier)

    def acknowledge(self, identifier: str, through: int, *, who: str | None = None) -> None:
        """Everything through a number was received; `InvalidInput` if there is no such number."""
        with self._ledger.lock:
            self._require_manager(identifier, who)
            self._deliveries.require_told(identifier, through)
            self._deliveries.acknowledge(identifier, through)

    def import_registry(
        self, text: str, *, owner: str | None = None, who: str | None = None
    ) -> list[Registration]:
        """Register what was exported, or what a file of subscriptions and rules says.

        All of it is registered, or nothing: `InvalidInput` says what is wrong, and where. Who may
        not manage what belongs to others imports what is theirs, or nobody's, which becomes theirs;
        `Forbidden` says which line is another's.
        """
        return self._registrar.import_registry(text, owner=owner, who=who)

    def adopt_registry(self, text: str) -> list[Registration]:
        """The same for whoever keeps the broker: all of it belongs to those whom it names."""
        return self._registrar.adopt_registry(text)

    def reserved_registrations(self) -> list[Registration]:
        """What stands under names that are reserved, whoever it belongs to."""
        return self._registrar.reserved()

    def require_adoptable(self, text: str, access: AccessRules) -> None:
        """Raise what would keep a registry from being adopted while these access rules hold."""
        self._registrar.require_adoptable(text, access)

    def entries(self, after: int, through: int | None = None) -> Iterator[Entry]:
        """The entries of the journal after a sequence, in order; from the first that is kept on."""
        with self._ledger.lock:
            self._ledger.require_open()
            return self._journal.read(after, through)

    def compact(self) -> int:
        """Seal all of the journal that is in no stretch yet, and drop what need not be kept.

        A broker in a folder does so by itself from time to time; gives how many entries went.
        """
        self._ledger.require_open()
        while self._journal.seal(all_of_it=True) is not None:
            pass
        return self._ledger.drop_old()

    def set_access(self, access: AccessRules) -> None:
        """Let other access rules hold from now on; queries that they forbid are paused."""
        with self._ledger.lock:
            self._ledger.set_access(access)
            self._settings = replace(self._settings, access=access)
            pause_forbidden(self._ledger, access)

    def undisturbed(self) -> AbstractContextManager[object]:
        """While it lasts, others publish and change nothing: many looks take less together.

        It is for whoever takes from subscribers that nobody else takes from.
        """
        return self._ledger.lock

    def require_writable(self) -> None:
        """Raise `JournalError` if the journal cannot be written, as far as is known."""
        self._ledger.require_writable()

    def tally(self) -> Tally:
        """What has happened since this broker was opened, and what waits now."""
        return self._ledger.tally()

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
