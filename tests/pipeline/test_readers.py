from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from purport import Matcher
from purport.errors import UnusablePath
from purport.pipeline.file_parts import FilePart
from purport.pipeline.journal.stretch_rows import Span
from purport.pipeline.readers import FileReader
from purport.pipeline.sources.journals import JournalReader


def test_a_file_that_is_gone_is_a_dead_letter(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text("{}")

    [told] = FileReader(tmp_path).told(FilePart(tmp_path / "gone.jsonl", "gone.jsonl"))

    assert [one.reason for one in told.match(Matcher()).dead_letters] == [
        "the file cannot be read: No such file or directory"
    ]


def test_a_folder_that_is_not_mounted_is_an_error(tmp_path: Path) -> None:
    empty, gone = tmp_path / "empty", tmp_path / "gone"
    empty.mkdir()
    row = {"name": "a.jsonl", "appeared": datetime(2026, 1, 1, tzinfo=UTC), "begin": 0, "end": None}
    files = pa.RecordBatch.from_pylist([row])

    for reader in (FileReader(empty), FileReader(gone), JournalReader(gone, Span())):
        with pytest.raises(UnusablePath, match=f"{reader.folder}: nothing is there on "):
            list(reader.read([files]))


def test_a_journal_may_have_dropped_all_of_its_stretches(tmp_path: Path) -> None:
    row = {"name": "a.parquet", "appeared": datetime.now(UTC), "begin": 0, "end": None}
    reader = JournalReader(tmp_path, Span())

    [told] = reader.read([pa.RecordBatch.from_pylist([row])])

    [letter] = told.match(Matcher()).dead_letters
    assert letter.reason.startswith("the file cannot be read: ")
