"""Journals with sealed stretches, for tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from purport import Event
from purport.broker.encoding import encoded
from purport.broker.records import Entry, Published, Resumed
from purport.storage.stretches import StretchFolder, name_of

FIRST_AT = 1_700_000_000_000_000  # microseconds since 1970; a second passes between entries


def seal(folder: Path, events: Sequence[Mapping[str, Any] | Event | None]) -> Path:
    """Seal one more stretch, of an entry for each event; None stands for an entry without one."""
    (folder / "stretches").mkdir(parents=True, exist_ok=True)
    stretches = StretchFolder(folder / "stretches")
    first = max((last for _, last in stretches.files()), default=0) + 1
    entries = [encoded(_entry(number, event)) for number, event in enumerate(events, first)]
    stretches.write(first, first + len(events) - 1, [entries])
    return folder / "stretches" / name_of(first, first + len(events) - 1)


def _entry(sequence: int, event: Mapping[str, Any] | Event | None) -> Entry:
    at = FIRST_AT + sequence * 1_000_000
    if event is None:
        return Entry(sequence, at, Resumed("nobody"))
    made = event if isinstance(event, Event) else Event.from_json(event)
    return Entry(sequence, at, Published(), made.with_id(made.id or f"event-{sequence}"))
