"""The parts of a running service, which every route is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from purport.embedded.broker import Broker
from purport.service.desk import Desk
from purport.service.settings import ServiceSettings

# Who asks, by the token of a request; None where nobody needs a name. `Refused` (401) if the
# token is missing, expired or wrong.
Who = Callable[[HTTPConnection], Awaitable[str | None]]


async def nobody(connection: HTTPConnection) -> str | None:
    """Where everybody may do everything."""
    return None


@dataclass(frozen=True, slots=True)
class Service:
    """The broker, and what stands between it and those who ask."""

    settings: ServiceSettings
    broker: Broker
    desk: Desk
    who: Who = nobody
