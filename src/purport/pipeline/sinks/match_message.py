"""A match as it is told to others: JSON, under an id that is the same after a replay."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import msgspec
import pyarrow as pa

from purport.pipeline.tables import MATCHES

_ID_BYTES = 12
_COLUMNS = MATCHES.fieldNames()
# Single precision says 0.1 in ten digits or more when it is widened as it is.
_AS_WRITTEN = {
    "probability": (pa.string(), pa.float64()),
    "similarities": (pa.list_(pa.string()), pa.list_(pa.float64())),
}


class MatchPart(msgspec.Struct, frozen=True):
    """An event that a match in time rests on, and the part of the pattern that it answers."""

    place: str
    event_id: str
    probability: float


class MatchMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row of the table MATCHES, with an id by which a receiver knows it again."""

    id: str
    event_id: str
    subscription: str
    version: int
    probability: float
    mapping: list[int]
    similarities: list[float]
    source: str
    offset: int
    parts: list[MatchPart] | None = None  # of a match in time


def match_id(event_id: str, subscription: str) -> str:
    """The id of a match: the same for the same event and subscription, whenever it is found.

    >>> match_id("e1", "hot")
    '6fc4550de0d42940a167c1fa'
    """
    return short_hash(event_id, subscription)


def short_hash(*texts: str) -> str:
    """24 letters that stand for some texts."""
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    digest = blake2b(digest_size=_ID_BYTES)
    for part in parts:
        digest.update(len(part).to_bytes(8) + part)
    return digest.hexdigest()


def match_messages(matches: pa.RecordBatch) -> Iterator[MatchMessage]:
    """The rows of the table MATCHES, as messages."""
    columns = []
    for name in _COLUMNS:
        column = matches.column(name)
        for kind in _AS_WRITTEN.get(name, ()):
            column = column.cast(kind)
        columns.append(column.to_pylist())
    if columns and any(columns[-1]):
        columns[-1] = [one and [MatchPart(**part) for part in one] for one in columns[-1]]
    for row in zip(*columns, strict=True):
        yield MatchMessage(match_id(row[0], row[1]), *row)
