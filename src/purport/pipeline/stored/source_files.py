"""Events that were matched in files, found there again by their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from purport.errors import EventError
from purport.matching.batches import as_event
from purport.model.event import Event
from purport.pipeline.file_parts import FilePart
from purport.pipeline.formats.catalogue import FORMATS, format_of
from purport.pipeline.readers import FileReader
from purport.pipeline.stored.matches import StoredMatch
from purport.pipeline.stored.source_events import EventGone, SourceEvents, by_source, found_again
from purport.pipeline.told import Told


@dataclass(frozen=True, slots=True)
class SourceFiles(SourceEvents):
    """The files that a job read, as they are now."""

    path: Path
    format: str | None = None

    def events(self, matches: Iterable[StoredMatch]) -> dict[StoredMatch, Event | EventGone]:
        """The events of matches, or why one is not there; no file is read twice."""
        found: dict[StoredMatch, Event | EventGone] = {}
        for source, some in by_source(matches).items():
            told = self._told(source, {match.offset for match in some})
            found |= {match: self._event(match, told) for match in some}
        return found

    def _told(self, source: str, offsets: set[int]) -> list[Told]:
        """What a source tells, read until what stands at all of the offsets is known."""
        read, missing = [], set(offsets)
        for told in self._parts(self._part(source)):
            places = [place for place, offset in enumerate(told.offsets) if offset in missing]
            letters = [one for one in told.dead_letters if one.line in {0, *missing}]
            kept = told.only(places)
            kept.dead_letters = letters
            read.append(kept)
            missing.difference_update(kept.offsets)
            if not missing:
                break
        return read

    def _parts(self, part: FilePart) -> Iterator[Told]:
        for said in FileReader(self.path, self.format).told(part):
            yield from said.parts()

    def _event(self, match: StoredMatch, read: Sequence[Told]) -> Event | EventGone:
        where = self._where(match)
        for told in read:
            if match.offset in told.offsets:
                place = told.offsets.index(match.offset)
                try:
                    event = as_event(told.events[place]).with_id(told.ids[place])
                except EventError as error:
                    return EventGone(f"{where}: the event has changed, it is none: {error}")
                return found_again(match, event, where)
        for letter in (one for told in read for one in told.dead_letters):
            if letter.line == 0:
                path = self._part(match.source).path
                return EventGone(f"the event is gone: {path}: {letter.reason}")
            if letter.line == match.offset:
                return EventGone(f"{where}: the event has changed, it is none: {letter.reason}")
        return found_again(match, None, where)

    def _part(self, source: str) -> FilePart:
        is_one_file = self.path.is_file() or self.path.name == source  # which may be gone
        return FilePart.of(self.path.parent if is_one_file else self.path, source)

    def _where(self, match: StoredMatch) -> str:
        name = self.format or format_of(match.source.partition("@")[0])
        return f"{match.source}, {FORMATS[name].counted} {match.offset}"
