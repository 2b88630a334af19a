"""A state that tests can publish to: drafts are applied as soon as they are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from purport import Event, Matcher, parse, write
from purport.broker.drafting import Limits
from purport.broker.matching_engine import MatchingEngine
from purport.broker.publishing import published
from purport.broker.records import Entry, Published, Record, Subscribed, Told
from purport.broker.state import BrokerState
from purport.model.interval import microseconds_of

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)


def exact_engine() -> MatchingEngine:
    """An engine whose `~` stands for the same word only, so that nothing has to be loaded."""
    return MatchingEngine(lambda: Matcher(measure="exact"))


@dataclass
class Kept:
    """A state with the entries that led to it."""

    state: BrokerState = field(default_factory=lambda: BrokerState([exact_engine()]))
    entries: list[Entry] = field(default_factory=list)
    now: datetime = NOON
    limits: Limits = field(default_factory=Limits)

    def publish(self, *events: Mapping[str, object], after_seconds: float = 0.0) -> list[Entry]:
        """Publish events; the entries that were made."""
        self.now += timedelta(seconds=after_seconds)
        told = [Event.from_json(one) for one in events]
        return self.apply(published(self.state, told, self.now, limits=self.limits))

    def subscribe(self, text: str, **options: object) -> None:
        """Subscribe under the name in the text."""
        subscription = parse(text)
        self.record(Subscribed(subscription.name or "?", write(subscription), **options))  # type: ignore[arg-type]

    def record(self, record: Record) -> None:
        """Write a record."""
        at = microseconds_of(self.now)
        self.apply([Entry(self.state.sequence + 1, at, record)])

    def apply(self, entries: Sequence[Entry]) -> list[Entry]:
        """Take up entries."""
        for entry in entries:
            self.state.apply(entry)
        self.entries += entries
        return list(entries)


def told(entries: Sequence[Entry]) -> list[Told]:
    """Who is told, over some entries."""
    return [
        one for entry in entries if isinstance(entry.record, Published) for one in entry.record.told
    ]


def names(entries: Sequence[Entry]) -> list[str]:
    """The same by their names."""
    return [one.subscription for one in told(entries)]
