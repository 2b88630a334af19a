"""What every source and every sink promises, as tests for pytest.

A test class inherits a contract and fills in what is abstract. The tests need a fixture `spark`, a
Spark session. For asserts that show what they compared, a `conftest.py` says
`pytest.register_assert_rewrite("purport.pipeline.contracts")` before anything else.
"""

from __future__ import annotations

import pickle
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

from purport.errors import InvalidInput
from purport.model.language.parse import parse
from purport.model.subscription import Subscription
from purport.pipeline.found_matches import found_matches
from purport.pipeline.job_folder import JobFolder
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.matcher_spec import MatcherSpec
from purport.pipeline.matches import outcomes
from purport.pipeline.notes import Counts, Notes, task_name
from purport.pipeline.readers import RowReader
from purport.pipeline.session import spark_address
from purport.pipeline.sinks.match_message import match_id
from purport.pipeline.sinks.sink import Sink
from purport.pipeline.sources.files import Files
from purport.pipeline.sources.source import Source
from purport.pipeline.watched import Fixed

_PARTS = 3
_EVENTS = 12
_SUBSCRIPTIONS = (parse("{a = 1} as one"), parse("{b = even} as even"))


class SourceContract(ABC):
    """What a source promises; a folder is the test's own, and a source's place is in it."""

    @abstractmethod
    def source(self, folder: Path) -> Source:
        """The source of a folder, which is empty at first; a new object each time."""

    @abstractmethod
    def add(self, folder: Path, events: Sequence[Mapping[str, str]]) -> None:
        """Give the source more events, all at once: flat objects whose `@id` is a URN.

        In RDF an attribute becomes a URN too, such as `<urn:note>`.
        """

    @abstractmethod
    def spoil(self, folder: Path) -> int:
        """Give the source records that are no events; gives how many dead letters that makes."""

    def test_everything_that_is_there_is_read_until_the_end(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """Whatever the size of its batches."""
        run = _Streamed(spark, self.source(_folder(tmp_path)), tmp_path)
        for start in (0, 4, 8):
            self.add(_folder(tmp_path), _events(start, 4))

        run.to_the_end()

        assert run.ids() == _ids(0, _EVENTS)
        assert all(int(row.subscription[1:]) == int(row.event_id[-3:]) for row in run.rows)

    def test_a_stream_goes_on_where_it_stopped(self, spark: SparkSession, tmp_path: Path) -> None:
        """Nothing is lost and nothing comes twice, also if there was nothing new."""
        seen: list[str] = []
        for start, count in ((0, 0), (0, 3), (3, 0), (3, 2)):
            if count:
                self.add(_folder(tmp_path), _events(start, count))
            run = _Streamed(spark, self.source(_folder(tmp_path)), tmp_path)
            run.to_the_end()
            seen += run.ids()

        assert seen == _ids(0, 5)

    def test_a_batch_that_is_repeated_holds_the_same_events(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """After a crash, whatever has come since."""
        self.add(_folder(tmp_path), _events(0, 5))
        first = _Streamed(spark, self.source(_folder(tmp_path)), tmp_path)
        first.until_it_crashes()
        self.add(_folder(tmp_path), _events(5, 5))
        second = _Streamed(spark, self.source(_folder(tmp_path)), tmp_path)

        second.to_the_end()

        assert first.batches
        assert {batch: second.batches[batch] for batch in first.batches} == first.batches
        assert second.ids() == _ids(0, 10)

    def test_what_is_no_event_is_a_dead_letter_and_the_rest_is_read(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """Each with a reason and a place."""
        self.add(_folder(tmp_path), _events(0, 3))
        refused = self.spoil(_folder(tmp_path))
        self.add(_folder(tmp_path), _events(3, 3))
        run = _Streamed(spark, self.source(_folder(tmp_path)), tmp_path)

        run.to_the_end()

        letters = [row for row in run.rows if row.reason is not None]
        assert len(letters) == refused
        assert all(row.reason and row.source and row.offset is not None for row in letters)
        assert run.ids() == _ids(0, 6)

    def test_a_copy_in_another_process_reads_the_same_at_the_same_places(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """Source and reader can be pickled; an event has one place, and no other has it."""
        self.add(_folder(tmp_path), _events(0, 6))
        source = self.source(_folder(tmp_path))
        run = _Streamed(spark, source, tmp_path)
        copied = _Streamed(spark, pickle.loads(pickle.dumps(source)), tmp_path / "copy")

        run.to_the_end()
        copied.to_the_end()

        assert sorted(run.rows) == sorted(copied.rows)
        assert len({(row.source, row.offset) for row in run.rows}) == 6

    def test_a_source_is_known_again_by_its_place(self, tmp_path: Path) -> None:
        """And told from another by it."""
        other = tmp_path / "other"
        other.mkdir()

        assert self.source(_folder(tmp_path)).place == self.source(_folder(tmp_path)).place
        assert self.source(_folder(tmp_path)).place != self.source(other).place


class SinkContract(ABC):
    """What a sink promises; a folder is the test's own, and a sink's place is in it."""

    keeps_once = True  # False: what is written twice arrives twice, under the same ids

    @abstractmethod
    def sink(self, folder: Path) -> Sink:
        """The sink of a folder, which is empty at first; a new object each time."""

    @abstractmethod
    def arrived(self, folder: Path) -> Sequence[str]:
        """The id (`match_id`) of every match that arrived, as often as it did."""

    @abstractmethod
    def unusable(self, folder: Path) -> Sink:
        """A sink that no match can go to, as can be seen before there is one."""

    def test_every_match_arrives_and_is_counted(self, spark: SparkSession, tmp_path: Path) -> None:
        """Every part of a batch is run to its end, and once."""
        batch = _Batch(spark, tmp_path, 0, 40)

        batch.write(self.sink(_folder(tmp_path)), 0)

        assert sorted(self.arrived(_folder(tmp_path))) == batch.ids()
        assert batch.runs() == [f"part-{part:05}" for part in range(_PARTS)]
        counts = batch.counts()
        assert (counts.events, counts.dead_letters) == (40, 1)
        assert counts.matches == {"one": 40, "even": 20}

    def test_a_batch_that_comes_twice_doubles_nothing(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """It is there once, or comes under the same ids."""
        batch = _Batch(spark, tmp_path, 0, 10)

        for _ in range(2):
            batch.write(self.sink(_folder(tmp_path)), 0)

        arrived = self.arrived(_folder(tmp_path))
        assert sorted(arrived if self.keeps_once else set(arrived)) == batch.ids()

    def test_a_batch_leaves_those_before_it_alone(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """An empty one too."""
        sizes = ((0, 6), (6, 0), (6, 5))
        batches = [_Batch(spark, tmp_path, start, count) for start, count in sizes]

        for number, batch in enumerate(batches):
            batch.write(self.sink(_folder(tmp_path)), number)

        expected = [one for batch in batches for one in batch.ids()]
        assert sorted(self.arrived(_folder(tmp_path))) == sorted(expected)
        assert [batch.counts().events for batch in batches] == [6, 0, 5]

    def test_a_job_writes_to_it_and_goes_on(self, spark: SparkSession, tmp_path: Path) -> None:
        """As often as it is run."""
        events = tmp_path / "events"
        events.mkdir()
        for number in range(3):
            (events / f"{number}.jsonl").write_bytes(b"\n".join(_lines(4 * number, 4)))
            sink = self.sink(_folder(tmp_path))
            folder = JobFolder(tmp_path / "job")
            MatchStream(Files(events), sink, Fixed(_SUBSCRIPTIONS), folder).run(spark)

        assert sorted(self.arrived(_folder(tmp_path))) == _match_ids(0, 12)

    def test_what_cannot_be_used_is_refused_by_the_claim(self, tmp_path: Path) -> None:
        """Before anything is started."""
        sink = self.unusable(_folder(tmp_path))
        try:
            sink.claim("a job")
        except InvalidInput as error:
            assert str(error)
        else:
            raise AssertionError("expected InvalidInput")

    def test_the_job_that_has_it_may_claim_it_again(self, tmp_path: Path) -> None:
        """After a restart."""
        for _ in range(2):
            self.sink(_folder(tmp_path)).claim("a job")

    def test_a_sink_is_known_again_by_its_place(self, tmp_path: Path) -> None:
        """Whatever object stands for it."""
        assert self.sink(_folder(tmp_path)).place == self.sink(_folder(tmp_path)).place


class _Crash(Exception):
    """The power went out."""


class _Streamed:
    """What a stream gives, batch by batch, with a checkpoint below a folder."""

    def __init__(self, spark: SparkSession, source: Source, folder: Path) -> None:
        self._spark, self._source = spark, source
        self._checkpoint = folder / "checkpoint"
        self.batches: dict[int, list[Row]] = {}

    @property
    def rows(self) -> list[Row]:
        return [row for _, rows in sorted(self.batches.items()) for row in rows]

    def ids(self) -> list[str]:
        return sorted(row.event_id for row in self.rows if row.event_id is not None)

    def to_the_end(self) -> None:
        self._run(self._take)

    def until_it_crashes(self) -> None:
        def take(records: DataFrame, batch: int) -> None:
            self._take(records, batch)
            raise _Crash

        with suppress(PySparkException):
            self._run(take)

    def _take(self, records: DataFrame, batch: int) -> None:
        found = outcomes(records, self._source.reader, MatcherSpec.of(_noted()))
        self.batches[batch] = sorted(found.collect(), key=str)

    def _run(self, take: Callable[[DataFrame, int], None]) -> None:
        writer = self._source.records(self._spark).writeStream.foreachBatch(take)
        writer = writer.option("checkpointLocation", spark_address(self._checkpoint))
        query = writer.trigger(availableNow=True).start()
        try:
            query.awaitTermination()
        finally:
            query.stop()


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch of matches, in several parts, with a record among them that is no event."""

    spark: SparkSession
    folder: Path
    start: int
    count: int

    def write(self, sink: Sink, batch: int) -> None:
        sink.claim("a job")
        self._seen.mkdir(parents=True, exist_ok=True)
        lines = [*_lines(self.start, self.count), *([b"{"] if self.count else [])]
        records = self.spark.createDataFrame([(line,) for line in lines], "value binary")
        passing = records.repartition(_PARTS).mapInArrow(_left_behind(self._seen), "value binary")
        spec = MatcherSpec.of(_SUBSCRIPTIONS)
        notes = self._notes
        sink.write(found_matches(passing, RowReader("value"), spec, notes), batch, notes)

    def ids(self) -> list[str]:
        return _match_ids(self.start, self.count)

    def counts(self) -> Counts:
        return self._notes.counts()

    def runs(self) -> list[str]:
        """The parts that were run to their end, as often as they were."""
        return sorted(path.read_text() for path in self._seen.iterdir())

    @property
    def _notes(self) -> Notes:
        folder = self.folder / f"notes {self.start} {self.count}"
        folder.mkdir(exist_ok=True)
        return Notes(folder)

    @property
    def _seen(self) -> Path:
        return self.folder / f"seen {self.start} {self.count}"


def _left_behind(folder: Path) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Rows as they are; each part leaves a file behind when it has come to its end."""

    def passing(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches
        (folder / uuid.uuid4().hex).write_text(task_name("part"))

    return passing


def _folder(tmp_path: Path) -> Path:
    """What a contract gives to whom it tests."""
    folder = tmp_path / "given"
    folder.mkdir(exist_ok=True)
    return folder


def _events(start: int, count: int) -> list[dict[str, str]]:
    return [
        {"@id": f"urn:event:{number:03}", "kind": "Ünïcode", "note": f"a b {number}"}
        for number in range(start, start + count)
    ]


def _ids(start: int, count: int) -> list[str]:
    return [event["@id"] for event in _events(start, count)]


def _noted() -> list[Subscription]:
    """A subscription for each of the events, in plain words (`w0`) and in RDF (`r0`)."""
    forms = (
        "{{kind = Ünïcode, note = a b {0}}} as w{0}",
        "{{<urn:kind> = Ünïcode, <urn:note> = a b {0}}} as r{0}",
    )
    return [parse(form.format(number)) for form in forms for number in range(_EVENTS)]


def _lines(start: int, count: int) -> list[bytes]:
    """Events that match `one`, and every other `even` too."""
    kinds = ("even", "odd")
    return [
        b'{"@id": "e %d", "a": 1, "b": "%s"}' % (number, kinds[number % 2].encode())
        for number in range(start, start + count)
    ]


def _match_ids(start: int, count: int) -> list[str]:
    numbers = range(start, start + count)
    pairs = [(number, "one") for number in numbers]
    pairs += [(number, "even") for number in numbers if number % 2 == 0]
    return sorted(match_id(f"e {number}", name) for number, name in pairs)
