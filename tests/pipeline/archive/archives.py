"""Archives made without Spark, for tests."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from purport.model.event import Event
from purport.pipeline.archive.archived_events import ArchivedEvents, archived_events
from purport.pipeline.archive.event_files import LocalFiles, final_name, write_with_ids
from purport.pipeline.archive.folder import STATEMENTS_FILE, Archive, ArchivedBatch
from purport.pipeline.archive.statement_codes import StatementCodes
from purport.pipeline.archive.statement_rows import StatementRow
from purport.pipeline.archive.statement_table import STATEMENTS_SCHEMA, StatementTable
from purport.pipeline.told import Told


def archive_of(folder: Path, events: Sequence[Event], source: str = "events") -> Archive:
    """An archive of one batch, its statements numbered as the events bring them."""
    folder.mkdir(parents=True, exist_ok=True)
    scratch, staged = folder / "scratch", folder / "staged"
    scratch.mkdir()
    (staged / "events").mkdir(parents=True)
    (staged / "statements").mkdir()
    told = Told(source)
    for number, event in enumerate(events, 1):
        told.add_event(event, f"{source}:{number}", number, event, event.interval)
    files = LocalFiles(scratch, "part-00000")
    archive = Archive.claim(folder, "job", source)
    rows: dict[StatementRow, int] = {}
    for local in (*files.fill(told), *files.finish()):
        columns = (local.column(name).to_pylist() for name in StatementRow._fields)
        here = list(map(StatementRow, *columns))
        ids = np.array([-1, *(rows.setdefault(row, len(rows)) for row in here[1:])], np.int32)
        name = local.column("file")[0].as_py()
        final = staged / "events" / final_name(name)
        write_with_ids(scratch / f"{name}.parquet", ids, final)
    assert not told.dead_letters
    described = [[row[place] for row in rows] for place in range(len(StatementRow._fields))]
    arrays = [pa.array(column) for column in (range(len(rows)), *described)]
    table = pa.table(
        [one.cast(kind) for one, kind in zip(arrays, STATEMENTS_SCHEMA.types, strict=True)],
        schema=STATEMENTS_SCHEMA,
    )
    pq.write_table(table, staged / "statements" / STATEMENTS_FILE)
    archive.take(staged, ArchivedBatch(0, 0, len(rows), len(events), 1, 0, 0.0))
    return archive


def codes_of(archive: Archive) -> StatementCodes:
    """What codes an archive's statements."""
    return StatementCodes(StatementTable(archive))


def events_of(archive: Archive, codes: StatementCodes | None = None) -> list[ArchivedEvents]:
    """All events of an archive."""
    codes = codes or codes_of(archive)
    files = sorted(archive.events.glob("*/*.parquet"))
    return [events for path in files for events in archived_events(path, codes)]
