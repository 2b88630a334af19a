"""Files of every format keep what every source promises."""

import csv
import io
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from purport import parse
from purport.pipeline.contracts import SourceContract
from purport.pipeline.formats.catalogue import FORMATS
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.watched import Fixed

Objects = Sequence[Mapping[str, str]]


class FilesContract(SourceContract):
    """What files of one format promise; `bad` is a file that makes so many dead letters."""

    format: ClassVar[str]
    bad: ClassVar[tuple[bytes, int]]

    @abstractmethod
    def written(self, events: Objects) -> bytes:
        """Events in the format."""

    def source(self, folder: Path) -> Files:
        return Files(folder, files_per_batch=2)

    def add(self, folder: Path, events: Objects) -> None:
        self._put(folder, self.written(events))

    def spoil(self, folder: Path) -> int:
        content, letters = self.bad
        self._put(folder, content)
        return letters

    def _put(self, folder: Path, content: bytes) -> None:
        name = f"{len(list(folder.iterdir()))}{FORMATS[self.format].endings[0]}"
        (folder / f".{name}").write_bytes(content)
        (folder / f".{name}").rename(folder / name)


class TestJsonLines(FilesContract):
    format, bad = "jsonl", (b'{broken\n\n[]\n{"a": "\xff"}\n', 3)

    def written(self, events: Objects) -> bytes:
        return b"\n".join(map(msgspec.json.encode, events))


class TestCsv(FilesContract):
    format, bad = "csv", (b"kind,note\na\nb,c,d\n\xff,\xff\n", 3)

    def written(self, events: Objects) -> bytes:
        text = io.StringIO()
        rows = csv.DictWriter(text, list(events[0]))
        rows.writeheader()
        rows.writerows(events)
        return text.getvalue().encode()


class TestParquet(FilesContract):
    format, bad = "parquet", (b"no Parquet", 1)

    def written(self, events: Objects) -> bytes:
        file = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(list(map(dict, events))), file)
        return file.getvalue()


class TestNTriples(FilesContract):
    format, bad = "ntriples", (b"no triple\n<urn:a> <urn:b>\n", 2)

    def written(self, events: Objects) -> bytes:
        return "".join(
            f'<{event["@id"]}> <urn:{name}> "{value}" .\n'
            for event in events
            for name, value in event.items()
            if name != "@id"
        ).encode()


class TestTurtle(TestNTriples):
    format, bad = "turtle", (b"@prefix ex: <urn:ex:> .\nex:a ex:b", 1)


def test_a_link_to_a_file_is_read_as_the_file(spark: SparkSession, tmp_path: Path) -> None:
    there = tmp_path / "somewhere else"
    there.mkdir()
    (there / "events.jsonl").write_text('{"@id": "e1", "a": 1}')
    (tmp_path / "link.jsonl").symlink_to(there / "events.jsonl")
    sink = BatchFolders(tmp_path / "matches")
    reports: list[BatchReport] = []

    source = Files(tmp_path / "link.jsonl")
    job = MatchStream(source, sink, Fixed([parse("{a = 1} as one")]), JobFolder(sink.home))
    job.run(spark, Watchers(reports.append))

    [report] = reports
    assert (report.counts.matches, report.counts.dead_letters) == ({"one": 1}, 0)
