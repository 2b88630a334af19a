"""Events that were published elsewhere, and come here under an origin: each is taken once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from purport.broker.access import Action
from purport.broker.links import Arrival
from purport.broker.publishing import arrived
from purport.broker.records import Entry, Published
from purport.embedded.ledger import Ledger
from purport.embedded.settings import BrokerSettings
from purport.embedded.timer import Timer


class Arrived(NamedTuple):
    """What became of events that came from elsewhere."""

    entries: list[Entry]
    known: int = 0  # they were in the journal already
    forbidden: int = 0  # whoever brings them may not publish there


def taken(
    ledger: Ledger,
    settings: BrokerSettings,
    arrivals: Sequence[Arrival],
    principal: str | None,
    *,
    link: str = "",
) -> Arrived:
    """Publish as one change what is not known and what whoever brings it may publish."""
    limits, access = settings.limits, settings.access
    allowed = [one for one in arrivals if access.allows(principal, Action.PUBLISH, topic=one.topic)]
    draft = partial(arrived, arrivals=allowed, link=link, limits=limits, access=access)
    entries = ledger.change(draft)
    count = sum(type(one.record) is Published and one.record.origin is not None for one in entries)
    return Arrived(entries, len(allowed) - count, len(arrivals) - len(allowed))


class Incoming:
    """Takes events out of logs that connectors keep: a spool, a partition of Kafka's.

    How far a log was read is in the journal with the events, as their origins: so whatever crashes,
    each position is published once. A position that brought no event is not written down.
    """

    def __init__(
        self, ledger: Ledger, settings: Callable[[], BrokerSettings], timer: Timer
    ) -> None:
        self._ledger, self._settings, self._timer = ledger, settings, timer

    def next_position(self, log: str, epoch: str) -> int:
        """The position after the last of which the journal has an event."""
        with self._ledger.lock:
            self._ledger.require_open()
            return self._ledger.links.known.end(log, epoch)

    def may_publish(self, principal: str | None, topic: str) -> bool:
        """Whether the access rules let somebody publish there."""
        return self._settings().access.allows(principal, Action.PUBLISH, topic=topic)

    def arrive(self, arrivals: Sequence[Arrival], principal: str | None) -> Arrived:
        """Publish what is not known, as one change; when this returns, it is kept.

        `BacklogFull` if a subscriber wants publishers to wait: then nothing of it is published.
        """
        with self._ledger.lock:
            done = taken(self._ledger, self._settings(), arrivals, principal)
            if self._ledger.next_deadline is not None:
                self._timer.look()
            return done
