"""Parquet: an event in each row, whatever the columns of a file are."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from purport.errors import UnusablePath
from purport.model.event_lines import EventLines
from purport.pipeline.file_parts import FilePart, opened
from purport.pipeline.formats.rows import told_rows
from purport.pipeline.told import Told

_ROWS_AT_ONCE = 4096


def parquet_rows(part: FilePart) -> Iterator[Told]:
    """The events of a Parquet file, whatever its columns are."""
    reader = EventLines(part.source)
    with opened(part.path) as file:
        try:
            table = pq.ParquetFile(file)
            for batch in table.iter_batches(_ROWS_AT_ONCE):
                yield told_rows(batch, reader)
        except (pa.ArrowException, pa.ArrowNotImplementedError) as error:
            raise UnusablePath(part.path, f"not a Parquet file that can be read: {error}") from None
