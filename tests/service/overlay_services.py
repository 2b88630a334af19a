"""Services in one event loop that are neighbours of each other, over wires in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from purport import Event
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.service.desk import Desk
from purport.service.overlay.exchange import Exchange
from purport.service.overlay.overlay import Overlay
from purport.service.overlay.registering import register_links
from purport.service.overlay.status import NeighbourStatus
from purport.service.overlay.wire import Wire, WireBroken
from purport.service.publisher import Publisher
from purport.service.settings import NeighbourSettings, OverlaySettings, RequestLimits
from tests.embedded.brokers import exact, told
from tests.embedded.linked_brokers import KeptJournal

_LATEST_SECONDS = 20.0


class MemoryWire:
    """One end of a wire; what is sent here comes out at the other end, unless it is cut."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.other: MemoryWire | None = None
        self.incoming: asyncio.Queue[str | None] = asyncio.Queue()
        self.sent: list[str] = []
        self.is_cut = False

    @classmethod
    def pair(cls, one: str, other: str) -> tuple[MemoryWire, MemoryWire]:
        """Both ends, each with the address of the other."""
        here, there = cls(other), cls(one)
        here.other, there.other = there, here
        return here, there

    async def send(self, text: str) -> None:
        if self.is_cut or self.other is None:
            raise WireBroken(f"{self.address} has gone")
        self.sent.append(text)
        self.other.incoming.put_nowait(text)

    async def receive(self) -> str | bytes:
        text = await self.incoming.get()
        if text is None:
            self.incoming.put_nowait(None)
            raise WireBroken(f"{self.address} has gone")
        return text

    async def close(self, code: int, reason: str) -> None:
        self.cut()

    def cut(self) -> None:
        """Nothing goes through any more."""
        for end in (self, self.other):
            if end is not None and not end.is_cut:
                end.is_cut = True
                end.incoming.put_nowait(None)

    def lose(self) -> None:
        """The other end is not told that this one has gone."""
        self.is_cut = True
        self.other = None
        self.incoming.put_nowait(None)


@dataclass
class OverlayService:
    """A broker with its overlay; it can be killed, and started again."""

    network: OverlayNetwork
    settings: OverlaySettings
    limits: RequestLimits = field(default_factory=RequestLimits)
    tokens: Mapping[str, str] | None = None  # whose they are; without any, nobody needs a name
    journal: KeptJournal = field(default_factory=KeptJournal)
    is_up: bool = False
    accepting: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> None:
        """Run, with what the journal says."""
        self.journal = self.journal.as_it_is()
        self.broker = Broker(
            self.journal, matcher=exact, settings=BrokerSettings(snapshot_every=20)
        )
        self.desk = Desk(100)
        self.publisher = Publisher(self.broker, self.desk, remembered_ids=1000, most_waiting=100)
        register_links(self.broker, self.settings)
        exchange = Exchange(
            self.broker, self.desk, self.publisher, most_hops=self.settings.most_hops
        )
        self.overlay = Overlay(
            self.settings,
            self.limits,
            exchange,
            who_of=self._who_of,
            lets_in=lambda name, token: self._who_of(token) == name,
            knows_names=self.tokens is not None,
            dial=self._dial,
        )
        await self.overlay.begin()
        await self.overlay.has_begun.wait()
        self.is_up = True

    async def end(self, *, is_killed: bool = False) -> None:
        """Stop, or be killed in the middle of it."""
        self.is_up = False
        if is_killed:
            self.journal = self.journal.as_it_is()
        for link in self.overlay._links.values():
            if is_killed and link.session is not None:
                link.session._wire.cut()  # type: ignore[attr-defined]
        await self.overlay.stop()
        for task in self.accepting:
            task.cancel()
        await asyncio.gather(*self.accepting, return_exceptions=True)
        self.overlay.close()
        await asyncio.to_thread(self.desk.close)
        await asyncio.to_thread(self.broker.close)

    async def publish(self, event: Mapping[str, object]) -> None:
        """Publish as a request would."""
        await self.publisher.publish([Event.from_json(event)])

    async def subscribe(self, text: str) -> None:
        """Subscribe as a request would."""
        await self.desk.write(lambda: self.broker.subscribe(text))

    def told(self, name: str) -> list[str]:
        """The events that a subscription was told of."""
        return told(self.broker, name)

    async def neighbour(self, name: str) -> NeighbourStatus:
        """How a link is."""
        [found] = [one for one in (await self.overlay.status()).neighbours if one.name == name]
        return found

    def accept(self, wire: Wire, token: str | None) -> None:
        """Somebody opens a link."""
        task = asyncio.ensure_future(self.overlay.accept(wire, token))
        self.accepting.add(task)
        task.add_done_callback(self.accepting.discard)

    def _who_of(self, token: str | None) -> str | None:
        return None if self.tokens is None else self.tokens.get(token or "")

    async def _dial(
        self,
        url: str,
        *,
        token: str | None,
        ca: Path | None,
        message_bytes: int,
        ping_seconds: float,
    ) -> Wire:
        return self.network.dial(self.settings.name, url.removeprefix("http://"), token)


class OverlayNetwork:
    """All services, by their names; a link between two can be cut."""

    def __init__(self, linger_seconds: float = 0.03) -> None:
        self.linger_seconds = linger_seconds
        self.services: dict[str, OverlayService] = {}
        self.severed: set[frozenset[str]] = set()  # pairs between which no wire can be
        self.wires: list[tuple[str, str, MemoryWire]] = []

    async def add(
        self,
        name: str,
        *neighbours: NeighbourSettings,
        limits: RequestLimits | None = None,
        tokens: Mapping[str, str] | None = None,
        at: str | None = None,
        **more: int,
    ) -> OverlayService:
        """One more service, at an address that is its name unless it has another."""
        settings = OverlaySettings(name, neighbours, linger_seconds=self.linger_seconds, **more)
        service = OverlayService(self, settings, limits or RequestLimits(), tokens)
        self.services[at or name] = service
        await service.start()
        return service

    def dial(self, sender: str, receiver: str, token: str | None) -> Wire:
        """A wire between two of them."""
        service = self.services.get(receiver)
        is_severed = frozenset((sender, receiver)) in self.severed
        if service is None or not service.is_up or is_severed:
            raise WireBroken(f"{receiver}: connection refused")
        here, there = MemoryWire.pair(f"{sender}:1", f"{receiver}:1")
        self.wires.append((sender, receiver, here))
        service.accept(there, token)
        return here

    def cut(self, one: str, other: str) -> None:
        """Cut all wires between two."""
        for sender, receiver, wire in self.wires:
            if {sender, receiver} == {one, other}:
                wire.cut()

    def sever(self, one: str, other: str) -> None:
        """Cut all wires between two, and let none be opened any more."""
        self.severed.add(frozenset((one, other)))
        self.cut(one, other)

    async def settle(self) -> None:
        """Wait until all links that can be are up, everybody knows what is wanted, and is told."""
        seen: object = None
        async with asyncio.timeout(_LATEST_SECONDS):
            while True:
                found = [await self._calm(one) for one in self.services.values() if one.is_up]
                trees = {one.overlay._roles.topology.tree() for one in self.services.values()}
                if None not in found and len(trees) == 1 and found == seen:
                    return
                seen = found
                await asyncio.sleep(0.01)

    async def _calm(self, service: OverlayService) -> object:
        """What has passed over the links of a service; None if something is still going on."""
        overlay = service.overlay
        figures = []
        for link in (await overlay.status()).neighbours:
            if frozenset((service.settings.name, link.name)) in self.severed:
                is_calm = link.state == "down" and not link.used
            else:
                is_settled = link.interests.settled and not link.events.waiting
                is_needed = link.name in overlay._roles.topology.used
                is_calm = link.state == "up" and is_settled and link.used == is_needed
            if not is_calm:
                return None
            figures.append((link.interests, link.events))
        return figures

    async def close(self) -> None:
        """End all of them."""
        for one in self.services.values():
            if one.is_up:
                await one.end()


def near(name: str, *, dials: bool = True, **more: object) -> NeighbourSettings:
    """A neighbour at the address that is its name."""
    return NeighbourSettings(name, f"http://{name}" if dials else None, **more)  # type: ignore[arg-type]


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait for what happens elsewhere."""
    async with asyncio.timeout(_LATEST_SECONDS):
        while not await holds():
            await asyncio.sleep(0.005)
