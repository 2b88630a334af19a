"""Notes of tasks."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

from purport.model.event_lines import DeadLetter
from purport.pipeline.notes import Notes


def test_dead_letters_are_written_as_they_come(tmp_path: Path) -> None:
    notes = Notes(tmp_path / "notes")
    written_before_the_end: list[bool] = []

    def letters() -> Iterator[DeadLetter]:
        for number in range(25_000):
            yield DeadLetter("events.jsonl", number, "because", "text")
        written_before_the_end.append(bool(notes.dead_letter_files()))

    notes.refuse(letters(), "undelivered-00000")

    [path] = notes.dead_letter_files()
    assert pq.read_metadata(path).num_rows == notes.counts().dead_letters == 25_000
    assert written_before_the_end == [True]
