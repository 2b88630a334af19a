"""What a journal keeps: records of what was done, each with what came of it.

A record carries results, not only requests: ids, times, who was told what under which number. So
applying it again needs no measure, no clock and no matcher, and gives the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Literal

from msgspec import Struct

from purport.covering.interest import Interest
from purport.model.event import Event
from purport.model.interval import time_of
from purport.sparql.graph_store import WHOLE, Dataset


class Answered(Struct, frozen=True, array_like=True, gc=False):
    """How an event answers a subscription: how surely, and by which mapping."""

    probability: float
    mapping: tuple[int, ...] = ()  # for each predicate, the number of the statement for it
    similarities: tuple[float, ...] = ()  # and how well that answers it


class Told(Struct, frozen=True, array_like=True, gc=False):
    """Who is told of an event, under which number, and how it answers."""

    subscription: str  # its id
    number: int  # counted for each subscription id, from 0 without gaps
    best: Answered
    others: tuple[Answered, ...] = ()  # the next best, where the subscriber asked for more than one


class Origin(Struct, frozen=True, array_like=True, gc=False):
    """Where an event was published first, which it is known by wherever it comes.

    An epoch of a broker begins whenever it starts, and has a name that no other has: after a power
    cut, or over an older copy of its journal, sequences may come again. What a connector brings has
    the log it keeps in the place of a broker (`mqtt:NAME`), the log's identity and a position.
    """

    broker: str  # its name
    epoch: str
    sequence: int


class Published(Struct, frozen=True, tag="published", omit_defaults=True):
    """An event, which stands beside the record, and who is told of it.

    A derived event has `causes`, the ids of the events it comes from, nearest first, the `rules` it
    went through, in the same order, and the probability that all of these matches are right. One
    that was published at another broker has its `origin`, and the `link` by which it came; `again`
    if it was rerouted.
    """

    told: tuple[Told, ...] = ()
    rearmed: tuple[str, ...] = ()  # subscriptions `on change` that will be told of the next match
    topic: str = ""
    publisher: str | None = None
    causes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    probability: float = 1.0
    origin: Origin | None = None
    link: str = ""
    again: Origin | None = None


class Delivery(StrEnum):
    """What a subscriber may count on when something breaks between it and the broker."""

    AT_LEAST_ONCE = "at least once"  # told again until acknowledged; ids say what came before
    AT_MOST_ONCE = "at most once"  # acknowledged before it is handed over


class Overflow(StrEnum):
    """What happens when more waits for a subscriber than may."""

    DROP_OLDEST = "drop oldest"  # the next notification says how many were missed
    PAUSE = "pause"  # the subscription hears nothing until it is resumed
    REFUSE = "refuse"  # whoever publishes is refused until something is acknowledged


MOST_WAITING = 100_000


class Witness(Struct, frozen=True, array_like=True):
    """An event that a pattern in time rests on, and the place of the pattern that it fills."""

    place: str
    event: str  # JSON
    probability: float


class Detected(Struct, frozen=True, tag="detected", omit_defaults=True):
    """A pattern in time has come true for an event, by this or that publication, or by time."""

    event: str  # JSON: what it is about
    found: tuple[str, ...]  # the ids of the subscriptions that it answers
    told: tuple[Told, ...] = ()  # those of them that are told
    witnesses: tuple[Witness, ...] = ()
    causes: tuple[str, ...] = ()  # as of a derived event
    rules: tuple[str, ...] = ()


class TimePassed(Struct, frozen=True, tag="time-passed"):
    """So late is it: what should have happened until then, and has not, is missing."""

    now: int  # microseconds since 1970


class Subscribed(Struct, frozen=True, tag="subscribed", omit_defaults=True):
    """A subscription or rule, new or in the place of an older version under the same id."""

    id: str
    text: str
    owner: str | None = None
    is_durable: bool = True  # it outlives the process that asked for it
    delivery: Delivery = Delivery.AT_LEAST_ONCE
    most_waiting: int = MOST_WAITING
    overflow: Overflow = Overflow.DROP_OLDEST
    dataset: Dataset = WHOLE  # of a query: which graphs it sees
    webhook: str = ""  # the address to which each notification is posted
    is_link: bool = False  # a neighbouring broker is told what answers one of its interests


class Linked(Struct, frozen=True, tag="linked", omit_defaults=True):
    """What a neighbour wants to hear of has changed, all of it at once."""

    id: str  # of the link
    wanted: tuple[Interest, ...] = ()  # new ones, or from elsewhere than before
    unwanted: tuple[str, ...] = ()  # the texts of those that are over


class Rerouted(Struct, frozen=True, tag="rerouted", omit_defaults=True):
    """An event is told to neighbours though it may have been before: there is another way now.

    It waits for one to which the old way leads no more, or has come from a neighbour that told it
    so; `again` is by what that is known, which each broker passes on once. The rest is what was
    said of the event when it was published, or when it came.
    """

    event: str  # JSON: as neighbours are told it
    told: tuple[Told, ...]
    origin: Origin
    again: Origin | None = None  # of another broker; else this very entry is what it is known by
    topic: str = ""
    publisher: str | None = None
    causes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    probability: float = 1.0


class Begun(Struct, frozen=True, tag="begun"):
    """A broker that has neighbours has started: an epoch of it begins."""

    name: str
    epoch: str


class Unsubscribed(Struct, frozen=True, tag="unsubscribed", omit_defaults=True):
    """A subscription has gone: it was asked to, its time was up, or its process ended."""

    id: str
    reason: Literal["asked", "expired", "ended"] = "asked"


PauseReason = Literal["asked", "overflow", "forbidden", "failing"]


class Paused(Struct, frozen=True, tag="paused", omit_defaults=True):
    """A subscription hears nothing until it is resumed.

    Somebody asked for it, too much waits, its owner may no longer know what a query asks for, or
    the service that it is posted to fails again and again.
    """

    id: str
    reason: PauseReason = "asked"


class Resumed(Struct, frozen=True, tag="resumed"):
    """A subscription hears again what is published."""

    id: str


class Acknowledged(Struct, frozen=True, tag="acknowledged", omit_defaults=True):
    """A subscriber has everything through this number, or will never get it."""

    id: str
    through: int
    is_missed: bool = False  # dropped, because too much was waiting


class Failed(Struct, frozen=True, tag="failed", omit_defaults=True):
    """A rule or a callback could not do its work for one event; everything else goes on."""

    id: str  # of the subscription or rule
    event: str  # its id
    reason: str
    rules: tuple[str, ...] = ()  # those that led there, if they went on from one another too long
    number: int | None = None  # of the notification that it is about


class Addressee(Struct, frozen=True, array_like=True, gc=False):
    """Who is told, and under which number."""

    subscription: str  # its id
    number: int  # counted for each subscription id, from 0 without gaps


class ToldChange(Struct, frozen=True, array_like=True):
    """How the answer to a query has changed, as multisets of bindings, and who is told of it.

    A binding has, for each variable that is bound, the term as N-Quads write it.
    """

    to: tuple[Addressee, ...]
    added: tuple[dict[str, str], ...] = ()
    removed: tuple[dict[str, str], ...] = ()
    is_whole: bool = False  # what is added is the whole answer: what was told before is over


class Updated(Struct, frozen=True, tag="updated", omit_defaults=True):
    """An update, with the quads that really came and went, and who is told of what.

    Applying it needs no SPARQL: quads are lines of N-Quads without their point, in which a blank
    node keeps its label; graphs are IRIs.
    """

    text: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    told: tuple[ToldChange, ...] = ()
    publisher: str | None = None
    delayed: int | None = None  # the number of a delayed update, which has run by this
    causes: tuple[str, ...] = ()  # of the update of a rule: as of a derived event
    rules: tuple[str, ...] = ()


class AnswerTold(Struct, frozen=True, tag="answered", omit_defaults=True):
    """The whole answer to a query, for whoever begins to hear of it, or does so again."""

    told: tuple[ToldChange, ...]


class Scheduled(Struct, frozen=True, tag="scheduled", omit_defaults=True):
    """An update that waits for its time; its number is the sequence of this entry."""

    text: str
    due: int  # microseconds since 1970
    publisher: str | None = None


class Cancelled(Struct, frozen=True, tag="cancelled", omit_defaults=True):
    """A delayed update will not run."""

    number: int


class UpdateFailed(Struct, frozen=True, tag="update-failed", omit_defaults=True):
    """A delayed update could not run when its time came; nothing of it has happened."""

    number: int
    reason: str


Record = (
    Published
    | Subscribed
    | Unsubscribed
    | Paused
    | Resumed
    | Acknowledged
    | Failed
    | Updated
    | AnswerTold
    | Scheduled
    | Cancelled
    | UpdateFailed
    | Detected
    | TimePassed
    | Linked
    | Rerouted
    | Begun
)


class Entry(Struct, frozen=True, gc=False):
    """A record in its place: sequences count up by one; times never go back."""

    sequence: int
    at: int  # microseconds since 1970
    record: Record
    event: Event | None = None  # what was published

    @property
    def time(self) -> datetime:
        """When it was done."""
        return time_of(self.at)


def addressees(record: Record) -> Iterable[Addressee | Told]:
    """Who is told of what a record says, and under which number."""
    if type(record) is Published or isinstance(record, Detected | Rerouted):  # of most, at once
        return record.told
    if isinstance(record, Updated | AnswerTold):
        return [one for change in record.told for one in change.to]
    return ()
