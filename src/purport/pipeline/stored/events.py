"""Events that were matched, read again from where they stand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from purport.errors import EventError, InvalidInput
from purport.matching.batches import as_event
from purport.model.event import Event
from purport.pipeline.formats.catalogue import FORMATS, format_of
from purport.pipeline.readers import FileReader
from purport.pipeline.stored.matches import StoredMatch
from purport.pipeline.stretches import Stretch
from purport.pipeline.told import Told

_ANY_FORMAT = "file"
_NOTHING = "there is nothing there any more"
_COUNTED = {"jsonl": "line", "csv": "line", "parquet": "row"}  # and else descriptions


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


@dataclass(frozen=True, slots=True)
class SourceFiles(SourceEvents):
    """The files that a job read, as they are now."""

    path: Path
    format: str | None = None

    @classmethod
    def at(cls, place: str) -> SourceFiles:
        """The files of a job's source; `InvalidInput` if it is of another kind."""
        scheme, _, path = place.partition(":")
        if scheme != _ANY_FORMAT and scheme not in FORMATS:
            raise InvalidInput(f"events from {place} cannot be read again, only those in files")
        return cls(Path(path), None if scheme == _ANY_FORMAT else scheme)

    def events(self, matches: Iterable[StoredMatch]) -> dict[StoredMatch, Event | EventGone]:
        """The events of matches, or why one is not there; no file is read twice."""
        found: dict[StoredMatch, Event | EventGone] = {}
        for source, some in by_source(matches).items():
            told = self._told(source, {match.offset for match in some})
            for match in some:
                try:
                    found[match] = self._event(match, told)
                except EventGone as error:
                    found[match] = error
        return found

    def _told(self, source: str, offsets: set[int]) -> list[Told]:
        """What a source tells, read until what stands at all of the offsets is known."""
        stretch = self._stretch(source)
        read, missing = [], set(offsets)
        for told in self._parts(stretch):
            places = [place for place, offset in enumerate(told.offsets) if offset in missing]
            letters = [one for one in told.dead_letters if one.line in {0, *missing}]
            part = told.only(places)
            part.dead_letters = letters
            read.append(part)
            missing.difference_update(part.offsets)
            if not missing:
                break
        return read

    def _parts(self, stretch: Stretch) -> Iterator[Told]:
        for said in FileReader(self.path, self.format).told(stretch):
            yield from said.parts()

    def _event(self, match: StoredMatch, read: Sequence[Told]) -> Event:
        where = self._where(match)
        for told in read:
            if match.offset not in told.offsets:
                continue
            place = told.offsets.index(match.offset)
            if told.ids[place] != match.event_id:
                raise _another(told.ids[place], match, where)
            try:
                return as_event(told.events[place]).with_id(match.event_id)
            except EventError as error:
                raise EventGone(f"{where}: the event has changed, it is none: {error}") from None
        for letter in (one for told in read for one in told.dead_letters):
            if letter.line == 0:
                path = self._stretch(match.source).path
                raise EventGone(f"the event is gone: {path}: {letter.reason}")
            if letter.line == match.offset:
                raise EventGone(f"{where}: the event has changed, it is none: {letter.reason}")
        raise EventGone(f"{where}: the event is gone, {_NOTHING}")

    def _stretch(self, source: str) -> Stretch:
        is_one_file = self.path.is_file() or self.path.name == source  # which may be gone
        return Stretch.of(self.path.parent if is_one_file else self.path, source)

    def _where(self, match: StoredMatch) -> str:
        name = self.format or format_of(match.source.partition("@")[0])
        return f"{match.source}, {_COUNTED.get(name, 'description')} {match.offset}"


def by_source(matches: Iterable[StoredMatch]) -> dict[str, list[StoredMatch]]:
    """Matches by what their events were read from."""
    found: dict[str, list[StoredMatch]] = {}
    for match in matches:
        found.setdefault(match.source, []).append(match)
    return found


def found_again(
    match: StoredMatch, event: Event | None, where: str, instead: str = _NOTHING
) -> Event | EventGone:
    """The event that stands where that of a match stood, or why it is not the same."""
    if event is None:
        return EventGone(f"{where}: the event is gone, {instead}")
    return event if event.id == match.event_id else _another(event.id, match, where)


def _another(now: str | None, match: StoredMatch, where: str) -> EventGone:
    return EventGone(
        f"{where}: the event has changed, it is {now!r} now and was {match.event_id!r}"
    )
