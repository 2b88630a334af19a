"""Events that were matched, read again from where they stand: what every source of them gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from purport.errors import InvalidInput
from purport.model.event import Event
from purport.pipeline.stored.matches import StoredMatch

NOTHING = "there is nothing there any more"


class EventGone(InvalidInput):
    """An event that was matched is no longer to be found, or is another one now."""


class SourceEvents(ABC):
    """What a job read, as it is now."""

    __slots__ = ()

    def event(self, match: StoredMatch) -> Event:
        """The event of a match; `EventGone` says why it is not there."""
        found = self.events([match])[match]
        if isinstance(found, EventGone):
            raise found
        return found

    @abstractmethod
    def events(self, matches: Iterable[StoredMatch]) -> dict[StoredMatch, Event | EventGone]:
        """The events of matches, or why one is not there; nothing is read twice."""


def by_source(matches: Iterable[StoredMatch]) -> dict[str, list[StoredMatch]]:
    """Matches by what their events were read from."""
    found: dict[str, list[StoredMatch]] = {}
    for match in matches:
        found.setdefault(match.source, []).append(match)
    return found


def found_again(
    match: StoredMatch, event: Event | None, where: str, instead: str = NOTHING
) -> Event | EventGone:
    """The event that stands where that of a match stood, or why it is not the same."""
    if event is None:
        return EventGone(f"{where}: the event is gone, {instead}")
    if event.id == match.event_id:
        return event
    return EventGone(
        f"{where}: the event has changed, it is {event.id!r} now and was {match.event_id!r}"
    )
