"""Why a stored match in time was one: the events that made it, as the job has kept them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from purport.errors import UnusablePath
from purport.model.event import Event
from purport.model.interval import time_of
from purport.model.language.write import write
from purport.model.subscription import Subscription
from purport.model.term import printable
from purport.pipeline.stored.matches import StoredMatch
from purport.pipeline.tables import TIMED_EVENTS, arrow_schema
from purport.pipeline.timed.kept import TimedFolder

_COLUMNS = ["event_id", "start", "end", "published", "said"]


class KeptEvent(msgspec.Struct, frozen=True):
    """What is kept of an event: when it happened, and what it says."""

    id: str
    start: datetime | None = None
    end: datetime | None = None
    statements: list[str] | None = None  # None if it is no longer kept

    def told(self) -> str:
        """In one line."""
        if self.statements is None:
            return f"{printable(self.id)}: no longer kept"
        bounds = [None if one is None else one.isoformat() for one in (self.start, self.end)]
        times = dict.fromkeys(one or "..." for one in bounds)
        return (
            f"{printable(self.id)}, {' to '.join(times)}: {printable(', '.join(self.statements))}"
        )


class RestsOn(msgspec.Struct, frozen=True):
    """An event that a match rests on: in which part of the pattern, how surely."""

    place: str
    event: KeptEvent
    probability: float


class TimedExplanation(msgspec.Struct, frozen=True):
    """Why a match in time is one."""

    subscription: str
    event: KeptEvent
    probability: float
    parts: list[RestsOn]

    def text(self) -> str:
        """In lines: the event that is told of, and those that it rests on."""
        lines = [f"  {self.event.told()}"]
        lines += [
            f"  {printable(one.place)}  <->  {one.event.told()}  ({one.probability:.2f})"
            for one in self.parts
        ]
        return "\n".join(lines)


def explain_in_time(
    match: StoredMatch, subscription: Subscription, kept: TimedFolder
) -> TimedExplanation:
    """The events that made a match, found again by their ids."""
    parts = match.parts or ()
    found = kept_events(kept, {match.event_id, *(one.event_id for one in parts)})
    return TimedExplanation(
        write(subscription),
        found[match.event_id],
        match.probability,
        [RestsOn(one.place, found[one.event_id], one.probability) for one in parts],
    )


def kept_events(kept: TimedFolder, ids: Iterable[str]) -> dict[str, KeptEvent]:
    """What a job has kept of events; the end of one adds to its beginning."""
    wanted = sorted(set(ids))
    found = {one: KeptEvent(one) for one in wanted}
    files = [str(path) for path in sorted(kept.folder.glob("batch=*/*.parquet"))]
    is_wanted = pc.field("event_id").isin(wanted)
    try:
        table = ds.dataset(files, arrow_schema(TIMED_EVENTS), format="parquet")
        rows = table.to_table(_COLUMNS, filter=is_wanted).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise UnusablePath(kept.folder, f"the events cannot be read: {error}") from None
    for row in rows:
        found[row["event_id"]] = _with(found[row["event_id"]], **row)
    return found


def _with(
    known: KeptEvent,
    event_id: str,
    start: int | None,
    end: int | None,
    published: int | None,
    said: bytes,
) -> KeptEvent:
    """An event with what one more row tells of it; what was told first counts."""
    begun = known.start or _time(start if start is not None or end is not None else published)
    ended = known.end or _time(end if start is not None or end is not None else published)
    statements = known.statements or []
    new = [str(one) for one in Event.from_json(said).statements]
    more = [one for one in new if one not in statements]
    return KeptEvent(event_id, begun, ended, [*statements, *more])


def _time(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else time_of(microseconds)
