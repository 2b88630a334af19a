"""What whoever publishes or updates gets back, and what could not be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from purport.broker.links import count_here
from purport.broker.records import Entry, Failed, Published, Updated, UpdateFailed


@dataclass(frozen=True, slots=True)
class Receipt:
    """That an event is in the journal: a crash no longer loses it."""

    sequence: int
    event_id: str
    notified: int  # how many subscribers and rules are told of it
    late_by: timedelta | None = None  # it is kept, but came too late by so much to count in time


@dataclass(frozen=True, slots=True)
class UpdateReceipt:
    """That an update is in the journal: it has run, or it waits for its time and has a number."""

    sequence: int
    added: int = 0  # quads that were not there before
    removed: int = 0  # and quads that were
    notified: int = 0  # how many subscribers are told that their answers have changed
    number: int | None = None  # of a delayed update, which `cancel_update` takes
    due: datetime | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """What a rule, a callback or a delayed update could not do, and where the journal says so."""

    sequence: int
    at: datetime
    subscription_id: str  # of a delayed update, empty
    event_id: str
    reason: str
    update: int | None = None  # the number of a delayed update
    number: int | None = None  # of the notification that it is about


def failure_in(entry: Entry) -> Failure | None:
    """The failure that an entry records, if it does."""
    match entry.record:
        case Failed(identifier, event, reason, number=number):
            return Failure(entry.sequence, entry.time, identifier, event, reason, number=number)
        case UpdateFailed(number, reason):
            return Failure(entry.sequence, entry.time, "", "", reason, number)
    return None


def update_receipt(entry: Entry) -> UpdateReceipt:
    """The receipt of an update that has run."""
    record = entry.record
    assert isinstance(record, Updated)
    notified = sum(len(one.to) for one in record.told)
    added, removed, number = len(record.added), len(record.removed), record.delayed
    return UpdateReceipt(entry.sequence, added, removed, notified, number)


def receipts_of(
    entries: Sequence[Entry], count: int, late: Mapping[int, timedelta]
) -> list[Receipt]:
    """The receipts of the first so many publications, which come before those of rules.

    `late` says which came too late to count in time, by their sequences.
    """
    return [
        Receipt(
            entry.sequence,
            entry.event.id or "",
            count_here(entry.record.told),
            late.get(entry.sequence),
        )
        for entry in entries
        if entry.event is not None and type(entry.record) is Published
    ][:count]
