"""The contracts see what they are there to see: whoever breaks a promise fails a test."""

import json
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from purport import InvalidInput
from purport.model.event_lines import ToldObject
from purport.pipeline.contracts import SinkContract, SourceContract
from purport.pipeline.found_matches import Matches
from purport.pipeline.notes import Notes
from purport.pipeline.session import spark_address
from purport.pipeline.sinks.match_message import match_id
from purport.pipeline.told import Told


@dataclass
class IdFile:
    """A sink that keeps the ids of matches, a line for each."""

    path: Path
    home: None = None

    @property
    def place(self) -> str:
        return f"ids:{self.path}"

    def claim(self, job: str) -> None:
        if self.path.is_dir():
            raise InvalidInput(f"{self.path} is a folder")

    def known(self) -> list[str]:
        return self.path.read_text().split() if self.path.exists() else []

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        self.keep(matches.table)

    def keep(self, matches: DataFrame) -> None:
        found = {match_id(row.event_id, row.subscription) for row in matches.collect()}
        self.path.write_text("\n".join(sorted({*self.known(), *found})))


class Doubles(IdFile):
    """Forgets that a batch may come twice."""

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        found = [match_id(row.event_id, row.subscription) for row in matches.table.collect()]
        self.path.write_text("\n".join([*self.known(), *found]))


class Renames(IdFile):
    """Has other ids each time."""

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        found = [uuid.uuid4().hex for _ in matches.table.collect()]
        self.path.write_text("\n".join([*self.known(), *found]))


class Loses(IdFile):
    """Loses a match."""

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        self.keep(matches.table.where("event_id != 'e 3'"))


class LooksTwice(IdFile):
    """Has every match found twice."""

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        if matches.table.count():
            super().write(matches, batch, notes)


class LooksAway(IdFile):
    """Does not run through a batch."""

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        self.keep(matches.table.limit(1))


class Forgets(IdFile):
    """Keeps the last batch only."""

    def known(self) -> list[str]:
        return []


class TakesAnything(IdFile):
    """Claims what cannot be written to."""

    def claim(self, job: str) -> None:
        return


class Wanders(IdFile):
    """Is somewhere else each time."""

    @property
    def place(self) -> str:
        return uuid.uuid4().hex


class Ids(SinkContract):
    """The contract, of one of the above."""

    def __init__(self, kind: type[IdFile] = IdFile) -> None:
        self.kind = kind

    def sink(self, folder: Path) -> IdFile:
        return self.kind(folder / "ids")

    def arrived(self, folder: Path) -> Sequence[str]:
        return IdFile(folder / "ids").known()

    def unusable(self, folder: Path) -> IdFile:
        return self.kind(folder)


class TestAPlainSink(Ids):
    __init__ = object.__init__  # pytest makes no object of a class that asks for something
    kind = IdFile


@pytest.mark.parametrize(
    ("kind", "promise"),
    [
        (Doubles, Ids.test_a_batch_that_comes_twice_doubles_nothing),
        (Renames, Ids.test_every_match_arrives_and_is_counted),
        (Loses, Ids.test_every_match_arrives_and_is_counted),
        (LooksTwice, Ids.test_every_match_arrives_and_is_counted),
        (LooksAway, Ids.test_every_match_arrives_and_is_counted),
        (Forgets, Ids.test_a_batch_leaves_those_before_it_alone),
        (Forgets, Ids.test_a_job_writes_to_it_and_goes_on),
    ],
)
def test_a_sink_that_breaks_a_promise_fails(
    spark: SparkSession, tmp_path: Path, kind: type[IdFile], promise: object
) -> None:
    assert callable(promise)
    with pytest.raises(AssertionError):
        promise(Ids(kind), spark, tmp_path)


def test_a_sink_that_takes_anything_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="expected InvalidInput"):
        Ids(TakesAnything).test_what_cannot_be_used_is_refused_by_the_claim(tmp_path)


def test_a_sink_that_is_not_known_again_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        Ids(Wanders).test_a_sink_is_known_again_by_its_place(tmp_path)


@dataclass(frozen=True)
class JsonReader:
    """Reads JSON in rows, by the plainest means."""

    def read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Told]:
        for batch in batches:
            told = Told(self.name())
            for line in batch.column("value").to_pylist():
                self.tell(told, line)
            yield told

    def name(self) -> str:
        return "lines"

    def tell(self, told: Told, line: str) -> None:
        try:
            event = json.loads(line)
        except ValueError as error:
            self.refuse(told, line, error)
        else:
            told.add(ToldObject(event["@id"], event), int(event["@id"][-3:]), line)

    def refuse(self, told: Told, line: str, error: ValueError) -> None:
        told.refuse(0, str(error), line)


class Rushed(JsonReader):
    """Reads what can be read, and drops the rest."""

    def refuse(self, told: Told, line: str, error: ValueError) -> None:
        return


class Strict(JsonReader):
    """Stops at what cannot be read."""

    def refuse(self, told: Told, line: str, error: ValueError) -> None:
        raise error


class Nameless(JsonReader):
    """Has other places each time."""

    def name(self) -> str:
        return uuid.uuid4().hex


class Deaf(JsonReader):
    """Hears half of what is said."""

    def tell(self, told: Told, line: str) -> None:
        super().tell(told, line.replace("kind", "other"))


@dataclass(frozen=True)
class Lines:
    """Files of lines, read by Spark itself."""

    folder: Path
    reader: JsonReader

    @property
    def place(self) -> str:
        return f"lines:{self.folder}"

    def records(self, spark: SparkSession) -> DataFrame:
        return spark.readStream.text(spark_address(self.folder))


class JsonFiles(SourceContract):
    """The contract, with one of the above."""

    def __init__(self, kind: type[JsonReader] = JsonReader) -> None:
        self.kind = kind

    def source(self, folder: Path) -> Lines:
        return Lines(folder, self.kind())

    def add(self, folder: Path, events: Sequence[Mapping[str, str]]) -> None:
        text = "\n".join(json.dumps(event) for event in events)
        (folder / f"{uuid.uuid4().hex}.jsonl").write_text(text)

    def spoil(self, folder: Path) -> int:
        (folder / "bad.jsonl").write_text("{")
        return 1


class TestAPlainSource(JsonFiles):
    __init__ = object.__init__
    kind = JsonReader


@pytest.mark.parametrize(
    ("kind", "promise"),
    [
        (Deaf, JsonFiles.test_everything_that_is_there_is_read_until_the_end),
        (Rushed, JsonFiles.test_what_is_no_event_is_a_dead_letter_and_the_rest_is_read),
        (Nameless, JsonFiles.test_a_batch_that_is_repeated_holds_the_same_events),
        (Nameless, JsonFiles.test_a_copy_in_another_process_reads_the_same_at_the_same_places),
    ],
)
def test_a_source_that_breaks_a_promise_fails(
    spark: SparkSession, tmp_path: Path, kind: type[JsonReader], promise: object
) -> None:
    assert callable(promise)
    with pytest.raises(AssertionError):
        promise(JsonFiles(kind), spark, tmp_path)


def test_a_source_that_stops_at_a_record_fails(spark: SparkSession, tmp_path: Path) -> None:
    contract = JsonFiles(Strict)

    with pytest.raises(PySparkException, match="JSONDecodeError"):
        contract.test_what_is_no_event_is_a_dead_letter_and_the_rest_is_read(spark, tmp_path)


class Echo(JsonFiles):
    """Tells everything once more after a restart."""

    def source(self, folder: Path) -> Lines:
        for path in list(folder.iterdir()):
            shutil.copyfile(path, folder / f"{uuid.uuid4().hex}.jsonl")
        return super().source(folder)


def test_a_source_that_begins_anew_fails(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        Echo().test_a_stream_goes_on_where_it_stopped(spark, tmp_path)


class Everywhere(JsonFiles):
    """Reads from anywhere, whatever it is asked for."""

    def source(self, folder: Path) -> Lines:
        return super().source(folder.parent)


class Elsewhere(JsonFiles):
    """Is somewhere else each time."""

    def source(self, folder: Path) -> Lines:
        return super().source(folder / uuid.uuid4().hex)


@pytest.mark.parametrize("kind", [Everywhere, Elsewhere])
def test_a_source_that_is_not_known_again_fails(tmp_path: Path, kind: type[JsonFiles]) -> None:
    with pytest.raises(AssertionError):
        kind().test_a_source_is_known_again_by_its_place(tmp_path)
