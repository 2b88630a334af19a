"""What can be seen of a broker, and by whom: what is somebody's own, and all to who may manage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice

from purport.broker.access import AccessRules
from purport.broker.asked import Query
from purport.broker.journal import Journal
from purport.broker.records import Entry, Failed, Published, Scheduled, UpdateFailed
from purport.broker.registry import Registration
from purport.broker.registry_text import exported
from purport.broker.schedule import DelayedUpdate
from purport.embedded.arguments import (
    Publishable,
    in_utc,
    published_event,
    readable,
    readable_dataset,
    require_number,
    require_text,
    require_topic,
)
from purport.embedded.deliveries import Deliveries
from purport.embedded.ledger import Ledger
from purport.embedded.permissions import may_see, require_manager, require_reader, require_trier
from purport.embedded.portions import Portions
from purport.embedded.published_ids import PublishedId, latest_published
from purport.embedded.receipts import Failure, failure_in
from purport.embedded.settings import BrokerSettings
from purport.embedded.status import SubscriptionStatus
from purport.embedded.trials import MOST_AT_ALL, MOST_LOOKED_AT, Happened, Trial, Trials
from purport.embedded.whole_answer import GoOn, for_ever, require_answerable, whole_answer
from purport.errors import InvalidInput, NotFound
from purport.model.clock import Clock
from purport.model.interval import microseconds_of
from purport.model.notification import Notification
from purport.model.subscription import Subscription
from purport.sparql.graph_store import WHOLE, Answer, Dataset


class Window:
    """Looks into a broker, which change nothing but what is due by then; `who` looks.

    Where everybody may do everything, everybody sees everything. Otherwise `Forbidden` is raised
    for what is another's, `NotFound` for what is not there, and lists are of what may be seen.
    """

    _settings: BrokerSettings
    _clock: Clock

    def __init__(
        self, ledger: Ledger, journal: Journal, deliveries: Deliveries, trials: Trials
    ) -> None:
        self._ledger, self._deliveries, self._trials = ledger, deliveries, trials
        self._portions = Portions(ledger, journal)

    @property
    def sequence(self) -> int:
        """The sequence of the last entry of the journal."""
        return self._ledger.sequence

    def query(self, text: str, *, dataset: Dataset = WHOLE, who: str | None = None) -> Answer:
        """The answer to a SPARQL query, now: solutions, a truth or triples, as pyoxigraph has them.

        It sees the graphs of a dataset, if one is given, in the place of those that it names with
        FROM. `SparqlSyntaxError` if it is no query.
        """
        query = Query(require_text(text, "a query"), readable_dataset(dataset))
        require_reader(self._settings.access, query, who)
        return self._ledger.query(query)

    def registrations(
        self, owner: str | None = None, *, who: str | None = None
    ) -> list[Registration]:
        """What is subscribed to, rules included; all, or what belongs to somebody."""
        with self._ledger.lock:
            self._ledger.require_open()
            self._ledger.expire()
            found = [one for one in self._ledger.registry if not one.is_link]
        wanted = found if owner is None else [one for one in found if one.owner == owner]
        return [one for one in wanted if may_see(self._access, who, one.owner)]

    def require_keeper(self, who: str | None) -> None:
        """Raise `Forbidden` if somebody could not look after what they subscribe to.

        Who has no name may not manage anything, unless everybody may.
        """
        require_manager(self._access, who, who)

    def registration(self, identifier: str, *, who: str | None = None) -> Registration:
        """A subscription or rule."""
        return self._require_manager(identifier, who)

    def versions(self, identifier: str, *, who: str | None = None) -> tuple[Registration, ...]:
        """All versions of a subscription or rule, oldest first."""
        with self._ledger.lock:
            self._require_manager(identifier, who)
            return self._ledger.registry.versions(identifier)

    def status(self, identifier: str, *, who: str | None = None) -> SubscriptionStatus:
        """How far a subscriber is, and what waits."""
        with self._ledger.lock:
            self._require_manager(identifier, who)
            return self._deliveries.status(identifier)

    def notification(self, identifier: str, number: int, *, who: str | None = None) -> Notification:
        """What was told under a number, as it was told then; it changes nothing.

        Its match explains itself, by the measures as they are now.
        """
        with self._ledger.lock:
            self._require_manager(identifier, who)
            return self._deliveries.one(identifier, number)

    def backlog(
        self, identifier: str, *, after: int = -1, most: int = 100, who: str | None = None
    ) -> list[Notification]:
        """Some of what waits, under numbers after this one; it goes on waiting."""
        require_number(after, -1)
        require_number(most, 1, MOST_AT_ALL)
        with self._ledger.lock:
            self._require_manager(identifier, who)
            found = self._deliveries.waiting(identifier, after, most)
        if found is None or not found.notifications:
            return []
        first, *others = found.notifications
        if first.sequence == found.cursor.acknowledged + 1:
            first = replace(first, missed=found.cursor.missed)
        return [first, *others]

    def export_registry(self, owner: str | None = None, *, who: str | None = None) -> str:
        """What is subscribed to, as lines of JSON."""
        return exported(self.registrations(owner, who=who))

    def published_ids(self, most: int) -> dict[PublishedId, int]:
        """By what the last so many publications are known, oldest first, with their sequences."""
        first, last = self._portions.first, self._portions.last
        return latest_published(self._portions.entries, first=first, last=last, most=most)

    def delayed(self, *, who: str | None = None) -> list[DelayedUpdate]:
        """The updates that wait for their time, in the order in which they are due."""
        found = self._ledger.delayed()
        return [one for one in found if may_see(self._access, who, one.publisher)]

    def failures(
        self,
        after: int = 0,
        *,
        through: int | None = None,
        who: str | None = None,
        most: int | None = None,
    ) -> list[Failure]:
        """What rules, callbacks and delayed updates could not do, of entries after a sequence.

        The first ones, so many, and no further than through another sequence; those that follow
        come after the sequence of the last of them.
        """
        require_number(after)
        if through is not None:
            require_number(through)
        if most is not None:
            require_number(most, 1)
        entries = self._portions.entries(after, through)
        return list(islice(self._failures_in(entries, who), most))

    def failures_among(
        self, entries: int, after: int = 0, *, who: str | None = None, most: int
    ) -> tuple[list[Failure], int]:
        """The same of so many entries; and the sequence after which those that follow come."""
        begin = max(after, self._portions.first - 1)
        through = min(begin + entries, self._portions.last)
        found = self.failures(begin, through=through, who=who, most=most)
        return found, found[-1].sequence if len(found) == most else max(after, through)

    def try_out(
        self,
        subscription: Subscription | str,
        event: Publishable | None = None,
        *,
        topic: str = "",
        after: int | None = None,
        through: int | None = None,
        since: datetime | None = None,
        most: int = MOST_LOOKED_AT,
        name: str | None = None,
        dataset: Dataset = WHOLE,
        who: str | None = None,
        go_on: GoOn = for_ever,
    ) -> list[Trial]:
        """What a subscription or rule would tell, had it been there; nothing changes by it.

        It is tried against an event, or against a part of the journal: after and through a
        sequence, since a time, at most so many entries; without any of these, the last ones. For a
        pattern in time nothing happened before that part. A query is asked of the graph as it is.
        It may take long: `go_on` is called now and then, and raises what is wrong if it is to end.
        """
        require_number(most, 1, MOST_AT_ALL)
        asked = readable(subscription, name, dataset)
        is_part = not (after is None and through is None and since is None)
        require_trier(self._access, asked, who)
        if isinstance(asked, Query):
            if event is not None or is_part:
                raise InvalidInput("a query is asked of the graph, not of events")
            answer = self._ledger.query_as_it_is(asked)
            return [Trial(whole_answer(asked, answer, go_on), self._clock.now())]
        if event is None:
            events, until = self._happened(self._part(after, through, since, most), go_on)
            return self._try(asked, events, until, who)
        if is_part:
            raise InvalidInput("a trial is against an event or a part of the journal, not both")
        require_topic(topic)
        example = Happened(published_event(event), self._clock.now(), topic, who)
        return self._try(asked, [example], None, who)

    def require_answerable(
        self,
        query: Query,
        *,
        who: str | None = None,
        go_on: GoOn = for_ever,
    ) -> None:
        """Answer a query once that nobody follows yet; `go_on` is called as in a trial.

        Whoever subscribes to it is answered while everybody else waits.
        """
        if not self._ledger.is_followed(query):
            require_trier(self._access, query, who)
            require_answerable(self._ledger.query_as_it_is(query), go_on)

    @property
    def _access(self) -> AccessRules:
        return self._settings.access

    def _try(
        self,
        asked: Subscription,
        events: Iterable[Happened],
        until: datetime | None,
        who: str | None,
    ) -> list[Trial]:
        return self._trials.against(asked, events, until, owner=who, settings=self._settings)

    def _part(
        self, after: int | None, through: int | None, since: datetime | None, most: int
    ) -> tuple[int, int]:
        """The part of the journal between two sequences that is looked at."""
        for one in (after, through):
            if one is not None:
                require_number(one)
        last = self._portions.last
        end = last if through is None else min(through, last)
        if after is None and since is None:
            return max(end - most, 0), end
        begin = after or 0
        if since is not None:
            since = in_utc(since)
            begin = max(begin, self._portions.since(microseconds_of(since)) - 1)
        return begin, min(end, begin + most)

    def _happened(
        self, part: tuple[int, int], go_on: GoOn
    ) -> tuple[Iterator[Happened], datetime | None]:
        """What was published in a part of the journal, and the time with which that ends."""
        begin, end = part
        events = (
            Happened(
                entry.event, entry.time, entry.record.topic, entry.record.publisher,
                entry.sequence, entry.record.rules,
            )
            for entry in _each(self._portions.entries(begin, end), go_on)
            if isinstance(entry.record, Published) and entry.event is not None
        )  # fmt: skip
        return events, self._clock.now() if end >= self._portions.last else None

    def _failures_in(self, entries: Iterable[Entry], who: str | None) -> Iterable[Failure]:
        for entry in entries:
            failure = failure_in(entry)
            if failure is not None and may_see(self._access, who, self._owner_of(entry)):
                yield failure

    def _owner_of(self, failed: Entry) -> str | None:
        """Whose failure an entry records; nobody's if what failed is no longer known."""
        match failed.record:
            case Failed(identifier):
                with self._ledger.lock:
                    found = self._ledger.registry.find(identifier)
                    if found is None:
                        return None
                    first, *_ = self._ledger.registry.versions(identifier)
                return found.owner if first.sequence < failed.sequence else None
            case UpdateFailed(number):
                scheduled = self._portions.entry(number)
                if scheduled is not None and isinstance(scheduled.record, Scheduled):
                    return scheduled.record.publisher
        return None

    def _require_manager(self, identifier: str, who: str | None) -> Registration:
        require_text(identifier, "the id of a subscription")
        registration = self._ledger.registration(identifier)
        if registration.is_link:  # it belongs to whoever keeps the broker, and says who is near
            raise NotFound(f"no subscription {identifier!r}")
        require_manager(self._access, who, registration.owner)
        return registration


def _each(entries: Iterable[Entry], go_on: GoOn) -> Iterator[Entry]:
    for entry in entries:
        go_on()
        yield entry
