"""MQTT as a Python data source of Spark: offsets are positions in a spool.

The receiver runs where Spark plans the stream, in a process of the driver; tasks read the files of
the spool, which has to be on storage that every node mounts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from purport.mqtt.address import BrokerAddress
from purport.mqtt.message import Message
from purport.pipeline.mqtt.receiver import Receiver
from purport.pipeline.readers import require_shared
from purport.pipeline.tables import MESSAGES, arrow_schema
from purport.spool.inlet import WhenFull
from purport.spool.reader import SpoolReader

NAME = "mqtt"
_FEWEST = 2_000  # messages that are worth a task of their own
_POSITION = "position"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of the data source, which Spark hands on as texts."""

    address: str  # of a broker, with the filters; the password stands in the environment
    spool: Path
    begin: int | None  # the first position of a new stream; None: the end of the spool
    messages_per_batch: int
    parts: int  # tasks for a batch
    most_bytes: int
    when_full: WhenFull
    keep_messages: int  # that stay in the spool although they are done with
    quiet_seconds: float
    columns: tuple[str, ...]

    def options(self) -> dict[str, str]:
        """As texts."""
        return {
            "address": self.address,
            "spool": str(self.spool),
            "begin": "end" if self.begin is None else str(self.begin),
            "messages_per_batch": str(self.messages_per_batch),
            "parts": str(self.parts),
            "most_bytes": str(self.most_bytes),
            "when_full": self.when_full.value,
            "keep_messages": str(self.keep_messages),
            "quiet_seconds": str(self.quiet_seconds),
            "columns": ",".join(self.columns),
        }

    @classmethod
    def of(cls, options: Any) -> Wanted:
        """Out of texts."""
        return cls(
            options["address"],
            Path(options["spool"]),
            None if options["begin"] == "end" else int(options["begin"]),
            int(options["messages_per_batch"]),
            int(options["parts"]),
            int(options["most_bytes"]),
            WhenFull(options["when_full"]),
            int(options["keep_messages"]),
            float(options["quiet_seconds"]),
            tuple(options["columns"].split(",")),
        )

    @property
    def table(self) -> StructType:
        """The columns that are wanted, of the table MESSAGES."""
        return StructType([one for one in MESSAGES.fields if one.name in self.columns])


class MqttDataSource(DataSource):
    """Messages of a broker as a stream of rows of the table MESSAGES."""

    @classmethod
    def name(cls) -> str:
        """What it is called in Spark."""
        return NAME

    def schema(self) -> StructType:
        """The columns that were asked for."""
        return Wanted.of(self.options).table

    def streamReader(self, schema: StructType) -> MqttStream:  # noqa: N802 - Spark's name
        """What reads the stream."""
        return MqttStream(Wanted.of(self.options))


@dataclass(frozen=True, slots=True)
class Stretch(InputPartition):
    """The messages that one task reads."""

    begin: int
    end: int


class MqttStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A stream that Spark plans; it receives from its first question on."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._receiver: Receiver | None = None
        self._target: int | None = None  # of a stream that ends at what is there now

    def initialOffset(self) -> dict[str, int]:  # noqa: N802 - Spark's name
        """Where a new stream begins."""
        receiver, begin = self._receiving(), self._wanted.begin
        if begin is None:
            return {_POSITION: receiver.end}
        return {_POSITION: max(begin, self._spool.first)}

    def latestOffset(  # noqa: N802 - Spark's name
        self, start: dict[str, int], limit: ReadLimit
    ) -> dict[str, int]:
        """How far a batch goes that begins here."""
        end = self._receiving().end
        if self._target is not None:
            end = min(end, self._target)
        if isinstance(limit, ReadMaxRows):
            end = min(end, start[_POSITION] + limit.max_rows)
        return {_POSITION: max(end, start[_POSITION])}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's name
        """How much there may be in a batch."""
        most = self._wanted.messages_per_batch
        return ReadMaxRows(most) if most else ReadAllAvailable()

    def reportLatestOffset(self) -> dict[str, int] | None:  # noqa: N802 - Spark's name
        """How far the spool goes, for those who watch."""
        return None if self._receiver is None else {_POSITION: self._receiver.end}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        """End at what the broker has for us now."""
        receiver = self._receiving()
        receiver.wait_until_quiet(self._wanted.quiet_seconds)
        self._target = receiver.end

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        """A batch, shared out in the order of the spool."""
        begin, stop = start[_POSITION], end[_POSITION]
        count = max(1, min(self._wanted.parts, (stop - begin) // _FEWEST))
        cuts = [begin + (stop - begin) * place // count for place in range(count + 1)]
        return [Stretch(*pair) for pair in pairwise(cuts) if pair[0] < pair[1]]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a stretch, in a task."""
        assert isinstance(partition, Stretch)
        require_shared(self._wanted.spool, filled=True)
        position = partition.begin
        for messages in self._spool.read(partition.begin, partition.end):
            yield message_rows(messages, position, self._wanted.table)
            position += len(messages)

    def commit(self, end: dict[str, int]) -> None:
        """Drop what is done with, as far as whole files go."""
        self._spool.drop(end[_POSITION] - 1 - self._wanted.keep_messages)

    def stop(self) -> None:
        """End receiving."""
        if self._receiver is not None:
            self._receiver.stop()
            self._receiver = None

    @property
    def _spool(self) -> SpoolReader:
        return SpoolReader(self._wanted.spool)

    def _receiving(self) -> Receiver:
        if self._receiver is None:
            wanted = self._wanted
            receiver = Receiver(
                BrokerAddress.read(wanted.address),
                wanted.spool,
                most_bytes=wanted.most_bytes,
                when_full=wanted.when_full,
            )
            try:
                receiver.wait_until_ready()
            except BaseException:
                receiver.stop()
                raise
            self._receiver = receiver
        return self._receiver


def message_rows(messages: Sequence[Message], first: int, table: StructType) -> pa.RecordBatch:
    """Messages of a spool as rows of the table MESSAGES, of those columns that are wanted."""
    schema = arrow_schema(table)
    columns = [_column(name, messages, first, schema.field(name).type) for name in schema.names]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(name: str, messages: Sequence[Message], first: int, kind: pa.DataType) -> pa.Array:
    match name:
        case "topic":
            return pa.array([one.topic for one in messages], kind)
        case "offset":
            return pa.array(range(first, first + len(messages)), kind)
        case "timestamp":
            return pa.array([one.received_us for one in messages], pa.int64()).cast(kind)
        case "value":
            return pa.array([one.payload for one in messages], kind)
        case "headers":
            told = [
                [{"key": key, "value": value.encode()} for key, value in one.user_properties]
                for one in messages
            ]
            return pa.array(told, kind)
        case "content_type":
            return pa.array([one.content_type or None for one in messages], kind)
        case "is_retained":
            return pa.array([one.is_retained for one in messages], kind)
    return pa.nulls(len(messages), kind)
