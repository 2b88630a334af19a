"""An archive as a source keeps what every source promises."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from purport import Event, Matcher, parse
from purport.pipeline.archive.archived_events import archived_events
from purport.pipeline.contracts import SourceContract
from purport.pipeline.jobs.build_archive import BuildArchive
from purport.pipeline.sources.archives import Archived
from purport.pipeline.sources.files import Files
from purport.pipeline.sources.source import Source
from purport.relatedness.array_store import StoreError
from tests.pipeline.archive.archives import archive_of, codes_of

EVENT = Event.from_json({"device": "laptop", "value": 21.5})


class TestArchived(SourceContract):
    def source(self, folder: Path) -> Source:
        if not (folder / "archive").exists():
            (folder / "events").mkdir(exist_ok=True)
            _build(folder)
        return Archived(folder / "archive", files_per_batch=1)

    def add(self, folder: Path, events: Sequence[Mapping[str, str]]) -> None:
        (folder / "events").mkdir(exist_ok=True)
        name = f"{len(list((folder / 'events').iterdir()))}.jsonl"
        (folder / "events" / name).write_text("\n".join(map(json.dumps, events)))
        _build(folder)

    def spoil(self, folder: Path) -> int:
        files = folder / "archive" / "events" / "batch=000000"
        (files / "broken.parquet").write_bytes(b"PAR1")
        return 1


def _build(folder: Path) -> None:
    spark = SparkSession.getActiveSession()
    assert spark is not None
    BuildArchive(Files(folder / "events"), folder / "archive").run(spark)


def test_an_archive_that_took_the_place_of_another_is_not_mistaken_for_it(tmp_path: Path) -> None:
    reader = Archived(archive_of(tmp_path / "archive", [EVENT]).folder).reader
    name = "batch=000000/part-00000-0001.parquet"
    row = {"name": name, "appeared": datetime.now(UTC), "begin": 0, "end": None}
    files = pa.RecordBatch.from_pylist([row])
    assert len(list(reader.read([files]))) == 1

    other = replace(reader, archive="another")
    with pytest.raises(StoreError, match="another archive has taken the place"):
        list(other.read([files]))


def test_a_file_that_does_not_fit_the_table_of_statements_stops_the_stream(tmp_path: Path) -> None:
    archive = archive_of(tmp_path / "archive", [EVENT])
    [path] = archive.events.glob("*/*.parquet")
    whole = pq.ParquetFile(path).read()
    for column, items, complaint in (
        ("statements", [[0, 7]], "nothing says what statement 7 is"),
        ("statements", [[-1, 0]], "nothing says what statement -1 is"),
        ("numbers", [[]], "1 numbers expected, got 0"),
        ("numbers", [[1.0, 2.0]], "1 numbers expected, got 2"),
    ):
        place = whole.schema.get_field_index(column)
        kind = whole.schema.field(column)
        pq.write_table(whole.set_column(place, kind, pa.array(items, kind.type)), path)
        [events] = archived_events(path, codes_of(archive))

        with pytest.raises(StoreError, match=f"the archive is damaged: {complaint}"):
            events.match(Matcher([parse("{value > 1}")]))
