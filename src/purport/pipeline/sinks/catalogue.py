"""The sinks that come with Purport, by their schemes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from purport.errors import InvalidInput
from purport.pipeline.addresses import Address
from purport.pipeline.kafka.address import KafkaTopics
from purport.pipeline.mqtt.address import broker_text, other_options
from purport.pipeline.sinks.batch_folders import BatchFolders, FileKind
from purport.pipeline.sinks.console import ConsoleOptions, ConsoleTables
from purport.pipeline.sinks.kafka import KafkaSinkOptions, KafkaTopic
from purport.pipeline.sinks.mqtt import MqttSinkOptions, MqttTopics
from purport.pipeline.sinks.sink import SINKS, Sink
from purport.pipeline.sinks.webhook import Webhook, WebhookOptions
from purport.posting import shown
from purport.settings import read_options


class NoOptions(msgspec.Struct, forbid_unknown_fields=True):
    """Nothing can be said."""


def sink_at(address: str, options: Mapping[str, Any] | None = None) -> Sink:
    """The sink that an address leads to; `InvalidInput` if it leads to none."""
    read = Address.read(address).with_options(options or {})
    return SINKS.find(read.scheme)(read)


@dataclass(frozen=True, slots=True)
class _MakeFolders:
    """Makes sinks of files."""

    kind: FileKind

    def __call__(self, address: Address) -> Sink:
        read_options(NoOptions, address.options, str(address))
        return BatchFolders(address.path(), self.kind)


@SINKS.register("http", "https")
def _make_webhook(address: Address) -> Sink:
    options = read_options(WebhookOptions, address.options, shown(address.rest))
    webhook = Webhook(address.rest, options)
    webhook.require_usable()  # before there is a job that remembers a wrong address
    return webhook


@SINKS.register("console")
def _make_console(address: Address) -> Sink:
    if address.rest:
        raise InvalidInput(f"expected console: and nothing else, got {str(address)!r}")
    return ConsoleTables(read_options(ConsoleOptions, address.options, str(address)).rows)


@SINKS.register("kafka")
def _make_kafka(address: Address) -> Sink:
    options = read_options(KafkaSinkOptions, address.options, f"{address.scheme}:")
    return KafkaTopic(KafkaTopics.at(address, options), options)


@SINKS.register("mqtt", "mqtts")
def _make_mqtt(address: Address) -> Sink:
    options = read_options(MqttSinkOptions, other_options(address), f"{address.scheme}:")
    topics = MqttTopics(broker_text(address), options)
    topics.require_usable()
    return topics


for _kind in FileKind:
    SINKS.register(_kind)(_MakeFolders(_kind))
