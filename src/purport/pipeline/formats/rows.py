"""Rows of any columns: an event in each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from purport.errors import EventError
from purport.model.event import Event, Statement
from purport.model.event_lines import EventLines, ToldObject
from purport.model.plain_values import plain_value
from purport.model.term import Text
from purport.pipeline.told import Told


def told_rows(batch: pa.RecordBatch, reader: EventLines) -> Told:
    """What rows tell: columns are attributes, nested ones like nested JSON.

    A null says nothing, nor does a double that is no number; a time without a zone is in UTC. The
    columns `event_id` and `statements` make an event as they do in `Matcher.match_table`.
    """
    told = Told(reader.source)
    has_statements = {"event_id", "statements"} <= set(batch.schema.names)
    for row in batch.to_pylist():
        reader.line += 1
        try:
            said = _event(row, reader) if has_statements else reader.admit(_object(row))
        except EventError as error:
            told.refuse(reader.line, str(error), row)
        else:
            told.add(said, reader.line, row)
    return told


def _event(row: Mapping[str, Any], reader: EventLines) -> ToldObject:
    """A row of statements, as an event."""
    said = []
    for one in row["statements"] or ():
        name, value = one if isinstance(one, tuple) else (one["attribute"], one["value"])
        if name and name.strip() and value is not None:
            said.append(Statement(Text(name), Text(str(value))))
    admitted = reader.admit({"@id": row["event_id"]})
    return ToldObject(admitted.id, Event(tuple(said)))


def _object(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain_value(value) for name, value in row.items()}
