"""Where the events of a job's matches are to be found again."""

from __future__ import annotations

from pathlib import Path

from purport.pipeline.stored.archived import SourceArchive
from purport.pipeline.stored.events import SourceFiles
from purport.pipeline.stored.journaled import SourceJournal

_ARCHIVE, _JOURNAL = "archive", "journal"


def source_events(place: str) -> SourceFiles | SourceArchive | SourceJournal:
    """The files, archive or journal of a job's source; `InvalidInput` if it is of another kind."""
    scheme, _, path = place.partition(":")
    if scheme == _JOURNAL:
        return SourceJournal(Path(path))
    return SourceArchive(Path(path)) if scheme == _ARCHIVE else SourceFiles.at(place)
