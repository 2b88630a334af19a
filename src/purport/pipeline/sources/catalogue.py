"""The sources that come with Purport, by their schemes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from purport.errors import InvalidInput
from purport.pipeline.addresses import Address
from purport.pipeline.formats.catalogue import FORMATS
from purport.pipeline.kafka.address import KafkaTopics
from purport.pipeline.mqtt.address import broker_text, other_options
from purport.pipeline.sources.archives import Archived
from purport.pipeline.sources.files import BATCH_BYTES, Files
from purport.pipeline.sources.journals import Journaled
from purport.pipeline.sources.kafka import Kafka, KafkaOptions
from purport.pipeline.sources.mqtt import Mqtt, MqttOptions
from purport.pipeline.sources.source import SOURCES, Since, Source
from purport.settings import read_options


class FileOptions(msgspec.Struct, forbid_unknown_fields=True):
    """What can be said of a folder of files."""

    files_per_batch: Annotated[int, msgspec.Meta(ge=1)] | None = None
    bytes_per_batch: Annotated[int, msgspec.Meta(ge=1)] = BATCH_BYTES


def source_at(
    address: str, since: Since | None = None, options: Mapping[str, Any] | None = None
) -> Source:
    """The source that an address leads to; `InvalidInput` if it leads to none."""
    read = Address.read(address).with_options(options or {})
    return SOURCES.find(read.scheme)(read, since)


@dataclass(frozen=True, slots=True)
class _MakeFiles:
    """Makes sources of files, of one format or of whatever their names say."""

    format: str | None = None

    def __call__(self, address: Address, since: Since | None) -> Source:
        options = read_options(FileOptions, address.options, str(address))
        return Files(
            address.path(), self.format, since, options.files_per_batch, options.bytes_per_batch
        )


@SOURCES.register("archive")
def _archived(address: Address, since: Since | None) -> Source:
    options = read_options(FileOptions, address.options, str(address))
    return Archived(address.path(), since, options.files_per_batch, options.bytes_per_batch)


@SOURCES.register("journal")
def _journaled(address: Address, since: Since | None) -> Source:
    options = read_options(FileOptions, address.options, str(address))
    return Journaled(address.path(), since, options.files_per_batch, options.bytes_per_batch)


@SOURCES.register("kafka")
def _kafka(address: Address, since: Since | None) -> Source:
    options = read_options(KafkaOptions, address.options, f"{address.scheme}:")
    source = Kafka(KafkaTopics.at(address, options), since, options)
    source.reader  # noqa: B018 - what is wrong with the options is told before Spark is started
    return source


@SOURCES.register("mqtt", "mqtts")
def _mqtt(address: Address, since: Since | None) -> Source:
    options = read_options(MqttOptions, other_options(address), f"{address.scheme}:")
    source = Mqtt(broker_text(address), since, options)
    if not source.broker.filters:
        raise InvalidInput(f"{source.place}: expected a filter, such as {address.scheme}://HOST/#")
    source.reader  # noqa: B018 - what is wrong with the options is told before Spark is started
    return source


SOURCES.register("file")(_MakeFiles())
for _format in FORMATS:
    SOURCES.register(_format)(_MakeFiles(_format))
