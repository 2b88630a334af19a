"""Notes of tasks: written as they come, once for each, where the driver finds them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_type_hints
from unittest.mock import Mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PythonException
from pyspark.sql import SparkSession

from purport import parse
from purport.errors import InvalidInput
from purport.model.event_lines import DeadLetter
from purport.pipeline.found_matches import found_matches
from purport.pipeline.job_folder import JobFolder, JobIdentity
from purport.pipeline.matcher_spec import MatcherSpec
from purport.pipeline.notes import Counts, Notes
from purport.pipeline.readers import Reader, RowReader
from purport.pipeline.spark_errors import reason_of
from purport.pipeline.told import Told

SPEC = MatcherSpec.of([parse("{a = 1}")])


def nothing() -> None:
    pass


@dataclass(frozen=True)
class Refusing:
    """Reads texts, each of which is no event; before the last one something else happens."""

    texts: Sequence[str]
    meanwhile: Callable[[], None] = nothing
    at_last: Callable[[], None] = nothing

    def read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Told]:
        for text in self.texts:
            if text is self.texts[-1]:
                self.meanwhile()
            told = Told("source")
            told.refuse(0, "no event", text.encode())
            yield told
        self.at_last()


def run_task(notes: Notes, reader: Reader) -> None:
    """What a worker does in a task."""
    table = Mock()
    found_matches(table, reader, SPEC, notes).table  # noqa: B018 - which makes the task
    matched, _ = table.mapInArrow.call_args.args
    assert list(matched(iter(()))) == []


def die() -> None:
    raise RuntimeError("the worker died")


@pytest.mark.parametrize("at_last", [nothing, die])
def test_of_two_attempts_at_a_task_at_once_the_notes_of_one_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_last: Callable[[], None]
) -> None:
    monkeypatch.setattr("purport.pipeline.notes._LETTERS_AT_ONCE", 1)
    notes = Notes(tmp_path)
    texts = ("long" * 100, "b")

    try:
        run_task(notes, Refusing(texts, lambda: run_task(notes, Refusing(texts[::-1])), at_last))
    except RuntimeError:
        assert at_last is die

    [letters] = notes.dead_letter_files()
    assert sorted(pq.read_table(letters).column("text").to_pylist()) == sorted(texts)
    assert notes.counts().dead_letters == 2


def test_a_worker_that_does_not_see_the_folders_of_the_job_says_so(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = spark.createDataFrame([("1",)], "a string")
    there, gone = tmp_path, tmp_path / "gone"

    for notes in (Notes(gone), Notes(there, (gone,))):
        with pytest.raises(PythonException) as raised:
            found_matches(events, RowReader(), SPEC, notes).table.collect()
        assert reason_of(raised.value).startswith(f"{gone}: nothing is there on ")
    assert not gone.exists()


def test_a_second_process_does_not_touch_the_notes_of_the_first(tmp_path: Path) -> None:
    first, second = JobFolder(tmp_path / "job"), JobFolder(tmp_path / "job")
    identity = JobIdentity("file:events", "parquet:matches")
    first.open(identity)

    with first.alone():
        notes = first.notes()
        second.open(identity)
        with pytest.raises(InvalidInput, match="another process"), second.alone():
            pass
        assert notes.folder.is_dir()

    with second.alone():
        assert not notes.folder.exists()


def test_notes_are_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    notes = JobFolder(Path("job")).notes([Path("matches")])

    assert notes.folder.is_absolute()
    assert notes.places == (tmp_path / "matches",)


def test_dead_letters_are_written_as_they_come(tmp_path: Path) -> None:
    notes = Notes(tmp_path / "notes")
    written_before_the_end: list[bool] = []

    def letters() -> Iterator[DeadLetter]:
        for number in range(25_000):
            yield DeadLetter("events.jsonl", number, "because", "text")
        written_before_the_end.append(any(notes.folder.glob(".*.parquet-*")))

    notes.refuse(letters(), "undelivered-00000")

    [path] = notes.dead_letter_files()
    assert pq.read_metadata(path).num_rows == notes.counts().dead_letters == 25_000
    assert written_before_the_end == [True]


def test_letters_of_an_earlier_attempt_at_a_task_go_with_it(tmp_path: Path) -> None:
    notes = Notes(tmp_path)

    for letters in ([DeadLetter("source", 1, "not delivered", "text")], []):
        notes.refuse(letters, "undelivered-00000")

    assert not notes.dead_letter_files()
    assert (notes.counts().dead_letters, notes.counts().undelivered) == (0, 0)


def test_what_tasks_did_is_added_up() -> None:
    """Whatever there is to be counted, also if it is new."""
    numbers = [name for name, kind in get_type_hints(Counts).items() if kind in (int, float)]
    first = Counts(matches={"a": 1}, appeared=3.0, problems=["one"])
    second = Counts(matches={"a": 2, "b": 1}, appeared=2.0, problems=["two", "one"])
    for name in numbers:
        setattr(first, name, 1)
        setattr(second, name, 2)

    total = Counts()
    for one in (first, Counts(), second):
        total.add(one)

    assert {name: getattr(total, name) for name in numbers} == dict.fromkeys(numbers, 3)
    assert total.matches == {"a": 3, "b": 1}
    assert total.appeared == 2.0
    assert total.problems == ["one", "two"]
