"""Parquet: an event in each row, whatever the columns of a file are."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from purport.errors import UnusablePath
from purport.model.event_lines import EventLines
from purport.pipeline.formats.rows import told_rows
from purport.pipeline.stretches import Stretch, opened
from purport.pipeline.told import Told

_ROWS_AT_ONCE = 4096


def parquet_rows(stretch: Stretch) -> Iterator[Told]:
    """The events of a Parquet file, whatever its columns are."""
    reader = EventLines(stretch.source)
    with opened(stretch.path) as file:
        try:
            table = pq.ParquetFile(file)
            for batch in table.iter_batches(_ROWS_AT_ONCE):
                yield told_rows(batch, reader)
        except (pa.ArrowException, pa.ArrowNotImplementedError) as error:
            raise UnusablePath(
                stretch.path, f"not a Parquet file that can be read: {error}"
            ) from None
