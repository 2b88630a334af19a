"""Events that were matched in an archive, found there again by the places where they once stood."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from purport.errors import UnusablePath
from purport.model.event import Event
from purport.pipeline.archive.archived_events import ArchivedEvents, archived_events
from purport.pipeline.archive.folder import Archive
from purport.pipeline.archive.statement_codes import StatementCodes
from purport.pipeline.archive.statement_table import StatementTable
from purport.pipeline.stored.matches import StoredMatch
from purport.pipeline.stored.source_events import EventGone, SourceEvents, found_again

_Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class SourceArchive(SourceEvents):
    """The archive that a job read, as it is now."""

    folder: Path

    def events(self, matches: Iterable[StoredMatch]) -> dict[StoredMatch, Event | EventGone]:
        """The events of matches, or why one is not there; the archive is read once."""
        wanted = list(matches)
        missing = {(match.source, match.offset) for match in wanted}
        archive = Archive.open(self.folder)
        codes = StatementCodes(StatementTable(archive))
        found: dict[_Place, Event] = {}
        for path in sorted(archive.events.glob("*/*.parquet")):
            try:
                for events in archived_events(path, codes):
                    found |= _events_at(events, missing)
                    missing.difference_update(found)
            except UnusablePath:  # it was a dead letter then, and is one now
                continue
            if not missing:
                break
        return {match: self._event(match, found) for match in wanted}

    def _event(self, match: StoredMatch, found: dict[_Place, Event]) -> Event | EventGone:
        event = found.get((match.source, match.offset))
        instead = f"nothing of {match.source}, {match.offset} is there"
        return found_again(match, event, str(self.folder), instead)


def _events_at(events: ArchivedEvents, places: set[_Place]) -> dict[_Place, Event]:
    """Those of some events that stood at places."""
    offsets = sorted({offset for _, offset in places})
    is_there = np.isin(events.offsets.to_numpy(), offsets)
    found = {}
    for number in np.flatnonzero(is_there).tolist():
        place = events.sources[number].as_py(), events.offsets[number].as_py()
        if place in places:
            found[place] = events.event(number).with_id(events.ids[number].as_py())
    return found
