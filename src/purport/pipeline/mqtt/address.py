"""Addresses of brokers as sources and sinks have them, with options of ours beside MQTT's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from purport.mqtt.address import AddressOptions
from purport.pipeline.addresses import Address

_OF_MQTT = {field.name for field in msgspec.structs.fields(AddressOptions)}


def broker_text(address: Address) -> str:
    """The address of a broker, with the options that MQTT itself has."""
    pairs = [
        f"{name}={quote(str(one), safe='/+#{}$')}"
        for name, value in address.options.items()
        if name in _OF_MQTT
        for one in _each(value)
    ]
    start = f"{address.scheme}:{address.rest}"
    return f"{start}?{'&'.join(pairs)}" if pairs else start


def other_options(address: Address) -> Mapping[str, Any]:
    """The options that MQTT itself does not have."""
    return {name: value for name, value in address.options.items() if name not in _OF_MQTT}


def _each(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        yield from value
    else:
        yield str(value).lower() if isinstance(value, bool) else value
