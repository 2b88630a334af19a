"""Where the events of a job's matches are to be found again."""

from __future__ import annotations

from pathlib import Path

from purport.pipeline.stored.archived import SourceArchive
from purport.pipeline.stored.events import SourceFiles

_ARCHIVE = "archive"


def source_events(place: str) -> SourceFiles | SourceArchive:
    """The files or the archive of a job's source; `InvalidInput` if it is of another kind."""
    scheme, _, path = place.partition(":")
    return SourceArchive(Path(path)) if scheme == _ARCHIVE else SourceFiles.at(place)
