"""All bridges of a service, and the subscriptions behind what they tell."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from purport.broker.asked import written
from purport.broker.records import Overflow
from purport.broker.registry_text import RegistryLine
from purport.embedded.arguments import readable
from purport.embedded.broker import Broker
from purport.errors import InvalidInput, PurportError
from purport.model.subscription import Rule
from purport.mqtt.waits import Waits
from purport.prometheus import Family
from purport.service.desk import Desk
from purport.service.mqtt.bridge import Bridge
from purport.service.mqtt.settings import PREFIX, MqttSettings, OutSettings, require_usable
from purport.service.mqtt.status import BridgesStatus, families
from purport.service.publisher import Publisher
from purport.sparql.graph_store import WHOLE

_OVERFLOWS = {"drop oldest": Overflow.DROP_OLDEST, "refuse": Overflow.REFUSE}


class Bridges:
    """Begins and ends them together."""

    def __init__(
        self,
        settings: Sequence[MqttSettings],
        broker: Broker,
        desk: Desk,
        publisher: Publisher,
        folder: Path | None,
        *,
        waits: Waits | None = None,
    ) -> None:
        self._desk = desk
        self._bridges = [
            Bridge(
                one,
                broker,
                desk,
                publisher,
                None if folder is None else folder / "mqtt" / one.name,
                waits=waits,
            )
            for one in settings
        ]

    def begin(self) -> None:
        """Begin, and wait for no broker."""
        for one in self._bridges:
            one.begin()

    async def stop(self) -> None:
        """Let go of all connections."""
        await asyncio.gather(*(one.stop() for one in self._bridges))

    def close(self) -> None:
        """Leave nothing behind that does not last."""
        for one in self._bridges:
            one.close()

    def missing(self) -> list[str]:
        """Bridges without which the service is not ready."""
        return [one.settings.name for one in self._bridges if not one.is_ready]

    async def status(self) -> BridgesStatus:
        """How all of them are doing."""
        found = await self._desk.watch(lambda: [one.status() for one in self._bridges])
        return BridgesStatus(found)

    async def families(self) -> list[Family]:
        """The same as figures for Prometheus."""
        return list(families((await self.status()).bridges))


def register_outgoing(broker: Broker, bridges: Sequence[MqttSettings]) -> None:
    """Have the subscriptions whose matches go out, and no others that once did."""
    wanted = {line.id: (where, line) for where, line in _lines(bridges)}
    for registration in broker.reserved_registrations():
        if registration.id.startswith(PREFIX) and registration.id not in wanted:
            broker.unsubscribe(registration.id, who=registration.owner)
    for where, line in wanted.values():
        try:
            broker.adopt_registry(msgspec.json.encode(line).decode())
        except PurportError as error:
            raise InvalidInput(f"{where}: {error}") from None


def require_bridges(bridges: Sequence[MqttSettings]) -> None:
    """Raise what is wrong with bridges, as far as no broker is needed to know."""
    for one in bridges:
        require_usable(one)
    for _ in _lines(bridges):
        pass


def _lines(bridges: Sequence[MqttSettings]) -> Iterator[tuple[str, RegistryLine]]:
    """What is subscribed to, and where that is said."""
    for one in bridges:
        for out in one.out:
            where = f"mqtt, {one.name!r}, out {out.name!r}"
            try:
                yield where, _line(one.subscription_id(out), out)
            except PurportError as error:
                raise InvalidInput(f"{where}: {error}") from None


def _line(identifier: str, out: OutSettings) -> RegistryLine:
    asked = readable(out.of, identifier, WHOLE)
    if isinstance(asked, Rule):
        raise InvalidInput(f"of: expected a subscription or a query, got the rule {out.of!r:.80}")
    return RegistryLine(
        identifier,
        written(asked),
        out.owner,
        most_waiting=out.most_waiting,
        overflow=_OVERFLOWS[out.overflow],
    )
