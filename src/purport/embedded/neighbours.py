"""What a broker shares with its neighbours: it tells them events, is told some, and loses none."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from purport.broker.asked import asked_in
from purport.broker.judges import Judges, judges_of
from purport.broker.links import PREFIX, Arrival, Epoch, link_id, link_text
from purport.broker.records import (
    Begun,
    Delivery,
    Entry,
    Linked,
    Origin,
    Overflow,
    Published,
    Rerouted,
    Subscribed,
    Unsubscribed,
)
from purport.broker.registering import Wanted
from purport.broker.rerouting import Retold, rerouted
from purport.broker.wanted import wanted_for
from purport.covering.graph import CoveringGraph
from purport.covering.interest import Interest
from purport.embedded.arguments import require_name
from purport.embedded.deliveries import Deliveries
from purport.embedded.incoming import Arrived, taken
from purport.embedded.ledger import Ledger
from purport.embedded.listeners import Listeners
from purport.embedded.settings import BrokerSettings
from purport.embedded.status import SubscriptionStatus
from purport.embedded.subscriber import Acknowledging, Subscriber
from purport.errors import NotFound
from purport.matching.matcher import Matcher

_AT_ONCE = 200  # events that are told to others in one change


class Departure(NamedTuple):
    """An event that a neighbour is to be told, under a number without gaps."""

    number: int
    arrival: Arrival  # as it will be there


class Neighbours:
    """The links of a broker; each is told an event once, whatever interests it answers.

    What is told waits in the journal until it is acknowledged, as for a durable subscriber.
    """

    def __init__(
        self,
        ledger: Ledger,
        deliveries: Deliveries,
        listeners: Listeners,
        settings: Callable[[], BrokerSettings],
        matcher: Matcher,
    ) -> None:
        self._ledger, self._deliveries, self._listeners = ledger, deliveries, listeners
        self._settings, self._matcher = settings, matcher
        self._retold = Retold()

    @cached_property
    def judges(self) -> Judges:
        """By what this broker finds the events that answer an interest."""
        return judges_of(self._matcher)

    def covering(self) -> CoveringGraph:
        """A graph of interests that contain each other as this broker judges them."""
        matcher = self._matcher
        return CoveringGraph(ontology=matcher.ontology, defaults=matcher.defaults)

    def begin(self, name: str) -> Epoch:
        """Begin an epoch, under the name by which neighbours know this broker."""
        require_name(name, "the name of a broker")
        with self._ledger.lock:
            self._ledger.record(Begun(name, secrets.token_hex(8)))
            epoch = self._ledger.links.epoch
            assert epoch is not None
            return epoch

    def link(
        self,
        neighbour: str,
        *,
        principal: str | None = None,
        most_waiting: int = 100_000,
        overflow: Overflow = Overflow.DROP_OLDEST,
    ) -> None:
        """Have a link to a neighbour; what waits for one that was there before goes on waiting.

        What the neighbour may hear and publish is what its `principal` may.
        """
        text = link_text(require_name(neighbour, "the name of a neighbour"))
        wanted = Subscribed(
            link_id(neighbour), text, principal, True, Delivery.AT_LEAST_ONCE, most_waiting,
            overflow, is_link=True,
        )  # fmt: skip
        self._ledger.register([Wanted(wanted, asked_in(text))])

    def unlink(self, neighbour: str) -> int:
        """Have no link any more; gives how many events were waiting for the neighbour."""
        with self._ledger.lock:
            waiting = self.status(neighbour).waiting
            self._ledger.record(Unsubscribed(self._known(neighbour)))
            return waiting

    def names(self) -> list[str]:
        """The neighbours to which there are links."""
        with self._ledger.lock:
            found = [one.id for one in self._ledger.registry if one.is_link]
        return [one.removeprefix(PREFIX) for one in found]

    def interests(self, neighbour: str) -> dict[str, Interest]:
        """What a neighbour wants to hear of, by its text."""
        with self._ledger.lock:
            return dict(self._ledger.links.interests(self._known(neighbour)))

    def unjudged(self, neighbour: str) -> frozenset[str]:
        """The interests of which nobody here knows what answers them: every event is told."""
        with self._ledger.lock:
            return self._ledger.links.unjudged(self._known(neighbour))

    def take_interests(
        self, neighbour: str, wanted: Mapping[str, Interest], unwanted: Collection[str] = ()
    ) -> None:
        """A neighbour wants something, and something else no more; all of it holds at once.

        How far away somebody is who wants it is written when the interest is new.
        """
        with self._ledger.lock:
            link = self._known(neighbour)
            before = self._ledger.links.interests(link)
            new = tuple(one for text, one in wanted.items() if text not in before)
            over = tuple(text for text in unwanted if text in before)
            if new or over:
                self._ledger.record(Linked(link, new, over))

    def arrive(self, neighbour: str, arrivals: Sequence[Arrival]) -> Arrived:
        """Publish what a neighbour tells, each event once, whoever has told it before."""
        with self._ledger.lock:
            link = self._known(neighbour)
            principal = self._ledger.registry.get(link).owner
            return taken(self._ledger, self._settings(), arrivals, principal, link=link)

    def is_known(self, origin: Origin) -> bool:
        """Whether an event is in the journal."""
        with self._ledger.lock:
            return self._ledger.links.is_known(origin)

    def departures(self, neighbour: str, after: int, most: int) -> list[Departure]:
        """Some of what waits for a neighbour, under numbers after this one."""
        with self._ledger.lock:
            link, links = self._known(neighbour), self._ledger.links
            entries = self._deliveries.entries(link, self._behind(link, after), most)
            return [Departure(_number(entry, link), links.as_told(entry)) for entry in entries]

    def reroute(self, neighbour: str) -> None:
        """Tell others what waits for a neighbour, and have nothing more wait for it.

        Another way leads to it. What waits goes on waiting: it will be known there by then.
        """
        with self._ledger.lock:
            self._retell(neighbour, rerouted)
            wanted = self._ledger.links.interests(self._known(neighbour))
            self.take_interests(neighbour, {}, wanted)

    def tell_others(self, neighbour: str, but_for: Collection[str] = ()) -> None:
        """Tell other neighbours what waits for one, as far as they ask for it.

        Not those that are cut off too, and nobody of the same again, but for what has been asked
        for since. `BacklogFull` if as much waits for one of the others as may.
        """
        left_out = set(map(link_id, but_for))
        told: dict[tuple[Origin, str], frozenset[str]] = {}

        def may_tell(origin: Origin, link: str, texts: frozenset[str]) -> bool:
            is_told = (origin, link) in told or not self._retold.is_new(origin, link, texts)
            if link in left_out or is_told:
                return False
            told[origin, link] = texts
            return True

        def note() -> None:
            self._retold.take(told)
            told.clear()

        with self._ledger.lock:
            self._retell(neighbour, partial(rerouted, may_tell=may_tell), then=note)

    def acknowledge(self, neighbour: str, number: int) -> None:
        """A neighbour has everything through this number in its journal."""
        self._deliveries.acknowledge(self._known(neighbour), number)

    def status(self, neighbour: str) -> SubscriptionStatus:
        """How far a neighbour is, and what waits for it."""
        return self._deliveries.status(self._known(neighbour))

    def hear(self, neighbour: str) -> Subscriber:
        """What rings when there is something for a neighbour."""
        with self._ledger.lock:
            return self._listeners.listen(self._known(neighbour), Acknowledging.BY_HAND)

    def wanted(self) -> dict[str, frozenset[str]]:
        """The texts of the interests of those who subscribe here, by the ids of registrations."""
        with self._ledger.lock:
            return {one.id: wanted_for(one) for one in self._ledger.registry if not one.is_link}

    def wanted_by(self, identifier: str) -> frozenset[str]:
        """The same of one registration; none if it is not there any more."""
        with self._ledger.lock:
            found = self._ledger.registry.find(identifier)
            return frozenset() if found is None else wanted_for(found)

    def watch(self, tell: Callable[[str], object]) -> None:
        """Tell whose registration has changed, in the thread in which it did: be quick."""
        self._listeners.watch = tell

    def _retell(
        self,
        neighbour: str,
        retelling: Callable[..., list[Entry]],
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Make the changes in which others are told what waits for a neighbour."""
        link, after = self._known(neighbour), -1
        while waiting := self._deliveries.entries(link, self._behind(link, after), _AT_ONCE):
            access = self._settings().access
            self._ledger.change(partial(retelling, waiting=waiting, link=link, access=access))
            then()
            after = _number(waiting[-1], link)

    def _behind(self, link: str, after: int) -> int:
        """A number, or that through which everything is acknowledged."""
        cursor = self._ledger.cursor(link)
        assert cursor is not None
        return max(after, cursor.acknowledged)

    def _known(self, neighbour: str) -> str:
        """The id of the link to a neighbour."""
        identifier = link_id(neighbour)
        if identifier not in self._ledger.registry:
            raise NotFound(f"no link to {neighbour!r}")
        return identifier


def _number(entry: Entry, link: str) -> int:
    assert isinstance(entry.record, Published | Rerouted)
    return next(one.number for one in entry.record.told if one.subscription == link)
