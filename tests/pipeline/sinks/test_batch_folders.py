"""Folders of matches keep what every sink promises."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pyarrow.parquet as pq

from purport.pipeline.contracts import SinkContract
from purport.pipeline.sinks.batch_folders import BatchFolders, FileKind
from purport.pipeline.sinks.match_message import match_id


class TestParquetFolders(SinkContract):
    kind = FileKind.PARQUET

    def sink(self, folder: Path) -> BatchFolders:
        return BatchFolders(folder / "matches", self.kind)

    def unusable(self, folder: Path) -> BatchFolders:
        (folder / "matches").mkdir()
        (folder / "matches" / "letters").mkdir()
        return self.sink(folder)

    def arrived(self, folder: Path) -> Sequence[str]:
        files = sorted((folder / "matches").glob("batch=*/*.parquet"))
        rows = [row for path in files for row in pq.ParquetFile(path).read().to_pylist()]
        return [match_id(row["event_id"], row["subscription"]) for row in rows]


class TestJsonLinesFolders(TestParquetFolders):
    kind = FileKind.JSON_LINES

    def arrived(self, folder: Path) -> Sequence[str]:
        files = sorted((folder / "matches").glob("batch=*/*.json"))
        lines = [line for path in files for line in path.read_bytes().splitlines()]
        rows = [msgspec.json.decode(line) for line in lines]
        return [match_id(row["event_id"], row["subscription"]) for row in rows]
