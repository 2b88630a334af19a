"""Links to neighbouring brokers: what they want to hear of, and which events of theirs are here.

A link is registered like a subscription, with a cursor and a backlog of its own. It is answered by
whatever answers one of the interests of the neighbour, and so each event is told to it once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from purport.broker.engine import Answer
from purport.broker.known_events import KeptBlocks, KnownEvents
from purport.broker.records import (
    Answered,
    Begun,
    Entry,
    Linked,
    Origin,
    Published,
    Rerouted,
    Told,
)
from purport.covering.interest import EVERYTHING, PARTS, Interest
from purport.errors import EventError
from purport.model.comparison import Operator
from purport.model.event import Event
from purport.model.language.write import write
from purport.model.subscription import (
    AskedAttribute,
    AskedValue,
    Comparison,
    Conjunction,
    Subscription,
)
from purport.model.term import Text
from purport.temporal.occurrence import ReportPart, report_of

PREFIX = "overlay:"  # of the ids of links
_INTEREST = "\x01"  # after the id of a link: one of the neighbour's interests
_MOST_EPOCHS = 1_000
_GIVEN = re.compile(r"(event-\d+|changes:[^@]*)(>[^@]*)?")  # by a broker, or what goes with one
_CHANGE = re.compile("changes:")
_ANY = re.compile(r"[^@]*")
_WANTED = Answered(1.0)
_NONE: Mapping[str, Interest] = MappingProxyType({})


class Arrival(NamedTuple):
    """An event that was published at another broker, as a neighbour tells it."""

    event: Event
    origin: Origin
    topic: str = ""
    publisher: str | None = None
    causes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    probability: float = 1.0
    again: Origin | None = None  # by what it is known that it was rerouted, if it was


class Epoch(msgspec.Struct, frozen=True, array_like=True):
    """What a broker was called, and which epoch of it began, at an entry of its journal."""

    sequence: int
    broker: str
    name: str


class KeptLinks(msgspec.Struct, frozen=True):
    """What a snapshot has of links."""

    interests: dict[str, tuple[Interest, ...]]  # by the ids of links
    epochs: tuple[Epoch, ...]
    known: tuple[KeptBlocks, ...]


class Links:
    """What follows from the journal about neighbours."""

    def __init__(self) -> None:
        self._interests: dict[str, dict[str, Interest]] = {}
        self._unjudged: dict[str, set[str]] = {}  # interests that no engine here runs
        self._for_all: list[str] = []  # links that are told every event
        self._for_parts: list[str] = []  # and those that are told what is told in parts
        self._epochs: list[Epoch] = []
        self._own: set[tuple[str, str]] = set()  # the names of this broker, with its epochs
        self.known = KnownEvents()

    def __bool__(self) -> bool:
        return bool(self._interests)

    def interests(self, link: str) -> Mapping[str, Interest]:
        """What a neighbour wants, by its text."""
        return MappingProxyType(self._interests.get(link, {})) if self._interests else _NONE

    def open(self, link: str) -> None:
        """A link is registered."""
        self._interests.setdefault(link, {})

    def close(self, link: str) -> list[str]:
        """A link has ended; gives the texts of what was wanted by it."""
        gone = list(self._interests.pop(link, ()))
        self._unjudged.pop(link, None)
        self._sort()
        return gone

    def take(self, linked: Linked) -> None:
        """What a neighbour wants has changed."""
        wanted = self._interests.get(linked.id)
        if wanted is None:
            return
        for text in linked.unwanted:
            wanted.pop(text, None)
            self._unjudged.get(linked.id, set()).discard(text)
        for one in linked.wanted:
            wanted[one.text] = one
        self._sort()

    def cannot_judge(self, link: str, text: str) -> None:
        """No engine here says which events answer an interest: so all of them are told."""
        self._unjudged.setdefault(link, set()).add(text)
        self._sort()

    def unjudged(self, link: str) -> frozenset[str]:
        """The interests of a neighbour that no engine here runs."""
        return frozenset(self._unjudged.get(link, ()))

    def begin(self, sequence: int, begun: Begun) -> None:
        """An epoch of this broker begins."""
        self._follow([*self._epochs[1 - _MOST_EPOCHS :], Epoch(sequence, begun.name, begun.epoch)])

    @property
    def epoch(self) -> Epoch | None:
        """The epoch that it is now; None of a broker that never had a neighbour."""
        return self._epochs[-1] if self._epochs else None

    def origin_of(self, entry: Entry) -> Origin:
        """By what something that was done here is known everywhere."""
        place = bisect_right(self._epochs, entry.sequence, key=lambda one: one.sequence)
        epoch = self._epochs[max(place - 1, 0)]
        return Origin(epoch.broker, epoch.name, entry.sequence)

    def as_told(self, entry: Entry) -> Arrival:
        """What a neighbour is told by an entry: a publication, or that one was rerouted.

        Ids that this broker has given say so: elsewhere, others have the same.
        """
        record = entry.record
        if isinstance(record, Rerouted):
            again = record.again or self.origin_of(entry)
            return _arrival(Event.from_json(record.event), record.origin, record, again)
        event = entry.event
        assert isinstance(record, Published) and event is not None
        if record.origin is not None:
            return _arrival(event, record.origin, record, record.again)
        origin, rules = self.origin_of(entry), record.rules
        if rules or event.id == f"event-{entry.sequence}" or _CHANGE.match(event.id or ""):
            event = event.with_id(f"{event.id}@{origin.broker}")
        told = _arrival(event, origin, record, None)
        return told._replace(
            causes=tuple(_abroad(one, origin.broker, _GIVEN) for one in told.causes),
            rules=tuple(_abroad(one, origin.broker, _ANY) for one in rules),
        )

    def note(self, record: Published | Rerouted) -> None:
        """What came from another broker is in the journal."""
        for one in (record.origin, record.again):
            if one is not None:
                self.known.add(one)

    def is_known(self, origin: Origin) -> bool:
        """Whether something is in the journal: another broker's, or an own one that comes back."""
        return (origin.broker, origin.epoch) in self._own or origin in self.known

    def told(self, event: Event, answers: Sequence[Answer]) -> list[Answer]:
        """Answers, of which each link has one at the most, whatever interests are answered."""
        found, links = [], dict.fromkeys(self._for_all)
        for one in answers:
            link, mark, _ = one.subscription.partition(_INTEREST)
            if mark:
                links[link] = None
            else:
                found.append(one)
        if self._for_parts and _is_part(event):
            links.update(dict.fromkeys(self._for_parts))
        found.extend(Answer(link, _WANTED) for link in links)
        return found

    def interested(self, event: Event, answers: Sequence[Answer]) -> dict[str, frozenset[str]]:
        """The links that are told an event, each with the interests for which it is."""
        found: dict[str, set[str]] = {}
        for one in answers:
            link, mark, text = one.subscription.partition(_INTEREST)
            if mark:
                found.setdefault(link, set()).add(text)
        for link in self._for_all:
            everything = {EVERYTHING} & self._interests[link].keys()
            found.setdefault(link, set()).update(everything, self._unjudged.get(link, ()))
        for link in self._for_parts if _is_part(event) else ():
            found.setdefault(link, set()).add(PARTS)
        return {link: frozenset(texts) for link, texts in found.items()}

    def kept(self) -> KeptLinks | None:
        """What `restore` takes up; None if there is nothing to be kept."""
        known = tuple(self.known.kept())
        if not self._interests and not self._epochs and not known:
            return None
        interests = {link: tuple(wanted.values()) for link, wanted in self._interests.items()}
        return KeptLinks(interests, tuple(self._epochs), known)

    def restore(self, kept: KeptLinks) -> Iterator[Linked]:
        """Become what a snapshot says, but for the interests, which are to be taken up yet."""
        self._follow(list(kept.epochs))
        for blocks in kept.known:
            self.known.restore(blocks)
        for link, wanted in kept.interests.items():
            self.open(link)
            yield Linked(link, wanted)

    def _follow(self, epochs: list[Epoch]) -> None:
        self._epochs = epochs
        self._own = {(one.broker, one.name) for one in epochs}

    def _sort(self) -> None:
        self._for_all = [
            link
            for link, wanted in self._interests.items()
            if EVERYTHING in wanted or self._unjudged.get(link)
        ]
        self._for_parts = [link for link, wanted in self._interests.items() if PARTS in wanted]


def link_id(neighbour: str) -> str:
    """The id of the link to a neighbour."""
    return f"{PREFIX}{neighbour}"


def count_here(told: Sequence[Told]) -> int:
    """How many of those who are told are subscribers and rules, and no neighbours."""
    return sum(not one.subscription.startswith(PREFIX) for one in told)


def interest_id(link: str, text: str) -> str:
    """What an engine knows an interest by."""
    return f"{link}{_INTEREST}{text}"


def link_text(neighbour: str) -> str:
    """What stands in the registry in the place of a link's subscription; nobody runs it."""
    name = AskedValue(Text(neighbour))
    is_that = Comparison(AskedAttribute(Text("neighbour")), Operator.EQUAL, name)
    return write(Subscription(Conjunction((is_that,))))


def _arrival(
    event: Event, origin: Origin, record: Published | Rerouted, again: Origin | None
) -> Arrival:
    return Arrival(
        event, origin, record.topic, record.publisher, record.causes, record.rules,
        record.probability, again,
    )  # fmt: skip


def _abroad(name: str, broker: str, given: re.Pattern[str]) -> str:
    """A name that a broker has given, as others know it; one from farther away stays as it is."""
    return f"{name}@{broker}" if given.fullmatch(name) else name


def _is_part(event: Event) -> bool:
    """Whether only the start, or only the end, of something is told."""
    try:
        return report_of(event, 0).part is not ReportPart.WHOLE
    except EventError:
        return True
