"""Topics of a broker of MQTT as a source, through a spool."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import msgspec
from pyspark.sql import DataFrame, SparkSession

from purport.errors import InvalidInput
from purport.mqtt.address import BrokerAddress
from purport.mqtt.connection import Connection
from purport.mqtt.errors import BrokerUnreachable
from purport.pipeline.messages.options import MessageOptions
from purport.pipeline.messages.reader import MessageReader
from purport.pipeline.mqtt.data_source import NAME, MqttDataSource, Wanted
from purport.pipeline.sources.source import Since, Spread
from purport.spool.inlet import WhenFull
from purport.spool.spool import MOST_BYTES

BATCH_MESSAGES = 500_000
_PLACES = ("topic", "offset", "timestamp", "value", "content_type")
_EARLIEST, _LATEST = "earliest", "latest"


@dataclass(frozen=True, kw_only=True)
class MqttOptions(MessageOptions):
    """What can be said of a broker as a source, beside what MQTT has options for."""

    spool: Path | None = None
    messages_per_batch: Annotated[int, msgspec.Meta(ge=1)] = BATCH_MESSAGES
    spool_bytes: Annotated[int, msgspec.Meta(ge=1 << 16)] = MOST_BYTES
    when_full: WhenFull = WhenFull.WAIT
    keep_messages: Annotated[int, msgspec.Meta(ge=0)] = 0
    quiet_seconds: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 0.5


@dataclass(frozen=True, slots=True)
class Mqtt(Spread):
    """The messages of a broker, which are in a spool before they are acknowledged.

    `since` is a position in the spool, `earliest` or `latest`; a broker itself has no past but what
    a session has waiting. A stream that ends, ends when the broker has sent nothing for a moment.
    """

    address: str
    since: Since | None = None
    options: MqttOptions = field(default_factory=MqttOptions)

    @property
    def broker(self) -> BrokerAddress:
        """Where the broker is, and what is asked of it."""
        return BrokerAddress.read(self.address)

    @property
    def place(self) -> str:
        """The broker and the filters, and the client that we are, if it is always the same."""
        broker = self.broker
        more = [f"filter={one}" for one in broker.options.filter]
        more += [f"client_id={broker.options.client_id}"] if broker.options.client_id else []
        return f"{broker}?{'&'.join(more)}" if more else str(broker)

    @property
    def reader(self) -> MessageReader:
        """What makes events of messages, in the workers."""
        return MessageReader(self.options.meaning(), self.place)

    def with_spool(self, folder: Path) -> Mqtt:
        """The same, with a spool in a folder unless it has one."""
        if self.options.spool is not None:
            return self
        return replace(self, options=replace(self.options, spool=folder))

    def records(self, spark: SparkSession) -> DataFrame:
        """The stream of messages, as the table MESSAGES; errors say soon what is not there."""
        wanted = self._wanted(spark.sparkContext.defaultParallelism)
        self._require_broker()
        spark.dataSource.register(MqttDataSource)
        return spark.readStream.format(NAME).options(**wanted.options()).load()

    def _wanted(self, cores: int) -> Wanted:
        options = self.options
        if options.spool is None:
            raise InvalidInput(f"{self.place}: expected ?spool=FOLDER, where messages are kept")
        return Wanted(
            self.address,
            options.spool.resolve(),
            _begin(self.since),
            options.messages_per_batch,
            cores,
            options.spool_bytes,
            options.when_full,
            options.keep_messages,
            options.quiet_seconds,
            (*_PLACES, *(one for one in options.meaning().columns if one != "key")),
        )

    def _require_broker(self) -> None:
        """Raise what is wrong if the broker is not there or does not let us in."""
        broker = self.broker
        settings = msgspec.structs.replace(
            broker.session(is_receiver=False),
            client_id=f"purport-{secrets.token_hex(6)}",
            is_clean=True,
        )
        connection = Connection(broker.place, settings).start()
        try:
            connection.wait_until_ready(broker.options.connect_seconds)
        except BrokerUnreachable as error:
            raise BrokerUnreachable(f"{broker.place}: {error}") from None
        finally:
            connection.stop()


def _begin(since: Since | None) -> int | None:
    if since is None or since == _EARLIEST:
        return 0
    if since == _LATEST:
        return None
    if isinstance(since, str) and since.isdecimal():
        return int(since)
    raise InvalidInput(f"a spool is read from a position, earliest or latest on, got {since!r}")
