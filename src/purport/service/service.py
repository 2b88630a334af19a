"""The parts of a running service, which every route is given."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from starlette.requests import HTTPConnection
from starlette.routing import BaseRoute

from purport.embedded.broker import Broker
from purport.service.delivery import Delivery
from purport.service.desk import Desk
from purport.service.metrics import Metrics
from purport.service.mqtt.bridges import Bridges
from purport.service.overlay.exchange import Exchange
from purport.service.overlay.overlay import Overlay
from purport.service.problems import Refused
from purport.service.publisher import Publisher
from purport.service.settings import ServiceSettings

# Who asks, by the token of a request; None where nobody needs a name. `Refused` (401) if the
# token is missing, expired or wrong.
Who = Callable[[HTTPConnection], Awaitable[str | None]]


async def nobody(connection: HTTPConnection) -> str | None:
    """Where everybody may do everything."""
    return None


def no_name(token: str | None) -> str | None:
    """Where nobody needs a name, no token tells one."""
    return None


def anybody(name: str | None, token: str | None) -> bool:
    """Where nobody needs a name, all are let in."""
    return True


@dataclass(frozen=True, slots=True)
class Service:
    """The broker, and what stands between it and those who ask."""

    settings: ServiceSettings
    broker: Broker
    desk: Desk
    who: Who = nobody
    who_of: Callable[[str | None], str | None] = no_name  # the same, by the token of a message
    lets_in: Callable[[str | None, str | None], bool] = anybody  # who was let in by a token, still?
    metrics: Metrics = field(default_factory=Metrics)
    draining: asyncio.Event = field(default_factory=asyncio.Event)  # it is about to stop
    more_routes: Sequence[BaseRoute] = ()  # of those who know who asks
    publisher: Publisher = field(init=False)
    delivery: Delivery = field(init=False)
    overlay: Overlay | None = field(init=False)  # of a broker that has neighbours
    bridges: Bridges | None = field(init=False)  # to brokers of MQTT

    def __post_init__(self) -> None:
        publisher = Publisher(
            self.broker,
            self.desk,
            remembered_ids=self.settings.broker.remembered_ids,
            most_waiting=self.settings.limits.requests_waiting,
        )
        object.__setattr__(self, "publisher", publisher)
        object.__setattr__(self, "delivery", Delivery(self.broker.undisturbed))
        object.__setattr__(self, "overlay", self._overlay(publisher))
        object.__setattr__(self, "bridges", self._bridges(publisher))

    def require_let_in(self, name: str | None, token: str | None) -> None:
        """Raise `Refused` if somebody whom a token has let in would not be any more."""
        if not self.lets_in(name, token):
            self.who_of(token)  # which says it if the token has expired
            raise Refused(401, "unauthorized", "the token is not taken any more")

    def close(self) -> None:
        """Deliver nothing any more, and wait for what is being done; the broker stays open."""
        if self.overlay is not None:
            self.overlay.close()
        self.delivery.close()
        self.desk.close()
        if self.bridges is not None:
            self.bridges.close()

    def _overlay(self, publisher: Publisher) -> Overlay | None:
        overlay = self.settings.overlay
        if overlay is None:
            return None
        exchange = Exchange(self.broker, self.desk, publisher, most_hops=overlay.most_hops)
        return Overlay(
            overlay,
            self.settings.limits,
            exchange,
            who_of=self.who_of,
            lets_in=self.lets_in,
            knows_names=self.settings.auth.is_on,
        )

    def _bridges(self, publisher: Publisher) -> Bridges | None:
        bridges, folder = self.settings.mqtt, self.settings.broker.kept_in
        return Bridges(bridges, self.broker, self.desk, publisher, folder) if bridges else None
