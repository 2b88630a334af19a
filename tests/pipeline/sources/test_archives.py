"""An archive as a source keeps what every source promises."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from purport.pipeline.contracts import SourceContract
from purport.pipeline.jobs.build_archive import BuildArchive
from purport.pipeline.sources.archives import Archived
from purport.pipeline.sources.files import Files
from purport.pipeline.sources.source import Source


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
