"""Where the events of a job's matches are to be found again, by the scheme of its source."""

from __future__ import annotations

from pathlib import Path

from purport.errors import InvalidInput
from purport.pipeline.formats.catalogue import FORMATS
from purport.pipeline.stored.source_archive import SourceArchive
from purport.pipeline.stored.source_events import SourceEvents
from purport.pipeline.stored.source_files import SourceFiles
from purport.pipeline.stored.source_journal import SourceJournal


def source_events(place: str) -> SourceEvents:
    """The files, archive or journal of a job's source; `InvalidInput` if it is of another kind."""
    scheme, _, rest = place.partition(":")
    path = Path(rest)
    match scheme:
        case "journal":
            return SourceJournal(path)
        case "archive":
            return SourceArchive(path)
        case "file":
            return SourceFiles(path)
        case _ if scheme in FORMATS:
            return SourceFiles(path, scheme)
    raise InvalidInput(f"events from {place} cannot be read again, only those in files")
