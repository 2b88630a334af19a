"""What can be set of a service: where it listens, what it keeps, who may do what."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

_Port = Annotated[int, msgspec.Meta(ge=0, le=65535)]  # 0: any free one
_Count = Annotated[int, msgspec.Meta(ge=1)]
_Seconds = Annotated[float, msgspec.Meta(gt=0)]


class Listening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a service listens; subscriptions have a port of their own, or the same one."""

    host: str = "127.0.0.1"
    port: _Port = 8000
    subscribe_port: _Port = 9000  # the same as `port`: one for both


class RequestLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is refused because it is too large, too deep, or too much at once."""

    body_bytes: _Count = 16 * 1024 * 1024
    message_bytes: _Count = 1024 * 1024  # of a WebSocket
    json_depth: _Count = 64
    subscriptions_per_socket: _Count = 10_000
    requests_waiting: _Count = 1_000  # more are answered 429
    requests_per_second: _Count | None = None  # for each client
    query_seconds: _Seconds = 60.0


class Keeping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the broker of a service keeps, and where; without a folder, in memory."""

    folder: Path | None = None
    journal: str | None = None  # the address of a database
    history: str | None = None
    durability: str = "full"
    ontology: tuple[Path, ...] = ()
    infers: bool = False


class ServiceSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of it."""

    broker: Keeping = Keeping()
    listen: Listening = Listening()
    limits: RequestLimits = RequestLimits()
