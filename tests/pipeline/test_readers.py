from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from purport import Matcher
from purport.errors import UnusablePath
from purport.pipeline.readers import FileReader
from purport.pipeline.stretches import Stretch


def test_a_file_that_is_gone_is_a_dead_letter(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text("{}")

    [told] = FileReader(tmp_path).told(Stretch(tmp_path / "gone.jsonl", "gone.jsonl"))

    assert [one.reason for one in told.match(Matcher()).dead_letters] == [
        "the file cannot be read: No such file or directory"
    ]


def test_a_folder_that_is_not_mounted_is_an_error(tmp_path: Path) -> None:
    empty, gone = tmp_path / "empty", tmp_path / "gone"
    empty.mkdir()
    row = {"name": "a.jsonl", "appeared": datetime(2026, 1, 1, tzinfo=UTC), "begin": 0, "end": None}
    files = pa.RecordBatch.from_pylist([row])

    for folder in (empty, gone):
        with pytest.raises(UnusablePath, match=f"{folder}: nothing is there on "):
            list(FileReader(folder).read([files]))
