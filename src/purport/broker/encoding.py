"""Entries as a journal on disk keeps them: texts of JSON, a version, and a checksum."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from purport.broker.journal import JournalError
from purport.broker.records import Entry, Record
from purport.errors import EventError
from purport.model.event import Event

RECORD_VERSION = 6  # what is written; older ones are read
SAME_FORM = range(2, RECORD_VERSION + 1)  # later ones have more kinds of records and more fields


class EncodedEntry(NamedTuple):
    """An entry as texts and numbers, which is what tables and files hold."""

    sequence: int
    at: int  # microseconds since 1970
    version: int  # of the record's form
    event: bytes | None  # JSON: what was published
    record: bytes  # JSON, with the kind of the record under `type`
    checksum: int  # CRC-32 of all of the above


Row = tuple[int, int, int, bytes | None, bytes, int]  # the same without names, which is quicker


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Record)


def encoded(entry: Entry) -> EncodedEntry:
    """An entry as it is kept."""
    event = None if entry.event is None else entry.event.to_json()
    record = _ENCODER.encode(entry.record)
    checksum = checksum_of(entry.sequence, entry.at, RECORD_VERSION, event, record)
    return EncodedEntry(entry.sequence, entry.at, RECORD_VERSION, event, record, checksum)


def decoded(kept: EncodedEntry) -> Entry:
    """An entry as it was; `JournalError` if it is damaged, or of a version yet to come."""
    require_whole(kept)
    try:
        if kept.version in SAME_FORM:
            record = _DECODER.decode(kept.record)
        else:
            record = msgspec.convert(_upgraded(kept), Record)
        event = None if kept.event is None else Event.from_json(kept.event)
    except (msgspec.MsgspecError, EventError) as error:
        raise JournalError(
            f"entry {kept.sequence} of the journal cannot be read: {error}"
        ) from None
    return Entry(kept.sequence, kept.at, record, event)


def require_whole(kept: EncodedEntry) -> None:
    """Raise `JournalError` if an entry is not as it was written."""
    if not is_whole(kept):
        raise JournalError(f"entry {kept.sequence} of the journal is damaged: its checksum differs")


def is_whole(kept: Row) -> bool:
    """Whether an entry is as it was written."""
    sequence, at, version, event, record, checksum = kept
    try:
        return checksum_of(sequence, at, version, event, record) == checksum
    except TypeError:  # damage can turn bytes into a text, and a number into anything
        return False


def checksum_of(sequence: int, at: int, version: int, event: bytes | None, record: bytes) -> int:
    """The CRC-32 of an entry."""
    head = b"%d %d %d %d " % (sequence, at, version, -1 if event is None else len(event))
    return zlib.crc32(record, zlib.crc32(event or b"", zlib.crc32(head)))


def _upgraded(kept: EncodedEntry) -> Any:
    if kept.version > RECORD_VERSION or kept.version < 1:
        raise JournalError(
            f"entry {kept.sequence} of the journal is of version {kept.version}; this Purport "
            f"reads versions up to {RECORD_VERSION}"
        )
    record: dict[str, Any] = msgspec.json.decode(kept.record)
    for version in range(kept.version, SAME_FORM.start):
        record = _UPGRADES[version](record)
    return record


def _from_version_1(record: dict[str, Any]) -> dict[str, Any]:
    """Version 1 had no room for more than one mapping: probability and mapping stood apart."""
    if record["type"] != "published":
        return record
    told = [[name, number, best, []] for name, number, *best in record.get("told", ())]
    return {**record, "told": told}


_UPGRADES: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _from_version_1}
