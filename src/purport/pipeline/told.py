"""What was read of a source: events with their ids and places, and records that are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from purport.errors import EventError
from purport.matching.batches import JsonObject, as_event
from purport.model.event import Event
from purport.model.event_lines import DeadLetter, ToldObject, kept_text

_ABOUT = ("@id", "@start", "@end")


@dataclass(slots=True)
class Told:
    """Events of one source, by columns: `events[i]` has the id `ids[i]` and stands at `offsets[i]`.

    An offset is the number of a line, of a row, or of a description in its file. `records` are the
    events as they were read, for dead letters; `appeared` is when the source last changed, in
    seconds since 1970.
    """

    source: str
    events: list[Event | JsonObject] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    records: list[object] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)
    appeared: float | None = None

    def __len__(self) -> int:
        return len(self.events)

    def add(self, said: ToldObject, offset: int, record: object) -> None:
        """Take an event, as the object that it was told in; what is about it is known by now."""
        data = said.data
        if isinstance(data, dict):
            for key in _ABOUT:
                data.pop(key, None)
        self.add_event(data, said.id, offset, record)

    def add_event(
        self, event: Event | JsonObject, identifier: str, offset: int, record: object
    ) -> None:
        """Take an event, or a flat object that is one."""
        self.events.append(event)
        self.ids.append(identifier)
        self.offsets.append(offset)
        self.records.append(record)

    def refuse(self, offset: int, reason: str, record: object) -> None:
        """Set a record aside."""
        self.dead_letters.append(DeadLetter(self.source, offset, reason, _text(record)))

    def checked(self) -> Told:
        """The same with every object made an event, or a dead letter where that cannot be done."""
        told = Told(self.source, dead_letters=list(self.dead_letters))
        for place, one in enumerate(self.events):
            try:
                event = as_event(one)
            except EventError as error:
                told.refuse(self.offsets[place], str(error), self.records[place])
            else:
                told.add_event(event, self.ids[place], self.offsets[place], self.records[place])
        return told

    def only(self, places: Sequence[int]) -> Told:
        """Some of the events, without the records that are none."""
        return Told(
            self.source,
            [self.events[place] for place in places],
            [self.ids[place] for place in places],
            [self.offsets[place] for place in places],
            [self.records[place] for place in places],
        )


def _text(record: object) -> str:
    """A record as a dead letter keeps it."""
    if isinstance(record, Event):
        record = "\n".join(map(str, record.statements)).encode("utf-8", "replace")
    elif not isinstance(record, bytes):
        record = msgspec.json.encode(record, enc_hook=str)
    return kept_text(record)
