"""Events that were matched in a journal, found there again by their sequences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from purport.errors import InvalidInput
from purport.matching.batches import as_event
from purport.model.event import Event
from purport.pipeline.journal.stretch_rows import Span, stretches_in
from purport.pipeline.journal.told_entries import journal_events
from purport.pipeline.stored.matches import StoredMatch
from purport.pipeline.stored.source_events import EventGone, SourceEvents, by_source, found_again


@dataclass(frozen=True, slots=True)
class SourceJournal(SourceEvents):
    """The sealed stretches that a job read, as far as they are kept."""

    folder: Path

    def events(self, matches: Iterable[StoredMatch]) -> dict[StoredMatch, Event | EventGone]:
        """The events of matches, or why one is not there; no stretch is read twice."""
        found: dict[StoredMatch, Event | EventGone] = {}
        for name, some in by_source(matches).items():
            try:
                events = self._events(name, {match.offset for match in some})
            except InvalidInput as error:
                found |= {match: EventGone(f"the event is gone: {error}") for match in some}
            else:
                found |= {match: self._event(match, events) for match in some}
        return found

    def _events(self, name: str, sequences: set[int]) -> dict[int, Event]:
        """The events of a stretch at some sequences."""
        span = Span(min(sequences) - 1, max(sequences))
        found: dict[int, Event] = {}
        for entries in journal_events(stretches_in(self.folder) / name, span):
            for told in entries.parts():
                for place, sequence in enumerate(told.offsets):
                    if sequence in sequences:
                        found[sequence] = as_event(told.events[place]).with_id(told.ids[place])
        return found

    def _event(self, match: StoredMatch, found: dict[int, Event]) -> Event | EventGone:
        where = f"{self.folder}, entry {match.offset}"
        return found_again(match, found.get(match.offset), where)
