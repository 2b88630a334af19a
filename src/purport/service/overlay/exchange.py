"""The broker's side of an overlay: what is wanted by whom, and the events that come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from purport.broker.links import Arrival
from purport.covering.forwarding import Digest, Forwarding
from purport.covering.graph import CoveringGraph
from purport.embedded.broker import Broker
from purport.embedded.incoming import Arrived
from purport.embedded.neighbours import Departure
from purport.embedded.subscriber import Subscriber
from purport.service.desk import Desk
from purport.service.overlay.messages import Interests
from purport.service.publisher import Publisher

T = TypeVar("T")

_AT_ONCE = 200  # registrations that are looked at together


class Exchange:
    """Does what links ask for, in threads; what neighbours want is thought about in one of its own.

    That may take a while, where thousands of interests are compared: nobody else waits for it.
    """

    def __init__(self, broker: Broker, desk: Desk, publisher: Publisher, *, most_hops: int) -> None:
        self._broker, self._desk, self._publisher = broker, desk, publisher
        graph = partial(CoveringGraph, ontology=broker.ontology)
        self._forwarding = Forwarding(most_hops=most_hops, graph=graph)
        self._thinking = ThreadPoolExecutor(1, thread_name_prefix="purport overlay")

    async def begin(
        self, name: str, neighbours: Collection[str], note: Callable[[str], None]
    ) -> str:
        """Take up what the journal knows; gives the name of the epoch that begins.

        From then on `note` is called for each registration that changes, in any thread.
        """
        epoch = await self._desk.write(lambda: self._broker.neighbours.begin(name))
        self._broker.neighbours.watch(note)
        await self._think(lambda: self._take_up(neighbours))
        wanted = await self._desk.watch(self._broker.neighbours.wanted)
        registrations = list(wanted)
        for begin in range(0, len(registrations), _AT_ONCE):
            some = {one: wanted[one] for one in registrations[begin : begin + _AT_ONCE]}
            await self._think(partial(self._forwarding.want, some))
        return epoch.name

    async def follow(self, registrations: Iterable[str]) -> None:
        """Take up what somebody here wants otherwise, or no more."""
        wanted_by = self._broker.neighbours.wanted_by
        await self._think(
            lambda: self._forwarding.want({one: wanted_by(one) for one in registrations})
        )

    async def held(self, neighbour: str) -> str:
        """A digest of what is known that a neighbour wants."""
        return await self._think(lambda: self._forwarding.taken_digest(neighbour))

    async def take_interests(self, neighbour: str, said: Interests) -> str:
        """A neighbour has said what it wants; gives a digest of what is known of that now."""
        wanted = {one.text: one for one in said.wanted}
        unwanted: Collection[str] = said.unwanted
        neighbours = self._broker.neighbours
        if said.whole:
            held = await self._desk.watch(lambda: neighbours.interests(neighbour))
            unwanted = held.keys() - wanted.keys()
        await self._desk.clean_up(lambda: neighbours.take_interests(neighbour, wanted, unwanted))
        await self._think(lambda: self._forwarding.take(neighbour, wanted.values(), unwanted))
        return await self.held(neighbour)

    async def interests_for(self, neighbour: str, known: str | None = None) -> Interests | None:
        """What a neighbour is to be told, so that it knows what is wanted; None if it does.

        `known` is a digest of what it knows, if that is not what it was told last.
        """
        return await self._think(lambda: self._interests_for(neighbour, known))

    async def count_asked(self, neighbour: str) -> int:
        """How many interests a neighbour is to know of."""
        return await self._think(lambda: self._forwarding.count_asked(neighbour))

    async def use(self, neighbour: str, is_used: bool) -> None:
        """Ask a neighbour for events, or no more until it is used again."""
        await self._think(lambda: self._forwarding.use(neighbour, is_used))

    async def is_covered_elsewhere(self, neighbour: str) -> bool:
        """Whether all that a neighbour asks for is asked for by others too."""
        return await self._think(lambda: self._forwarding.is_covered_elsewhere(neighbour))

    async def tell_others(self, neighbour: str) -> None:
        """Tell others what waits for a neighbour, who is waited for all the same."""
        await self._desk.clean_up(lambda: self._broker.neighbours.tell_others(neighbour))

    async def reroute(self, neighbour: str) -> None:
        """Tell others what waits for a neighbour to which another way leads; it asks no more."""
        await self._desk.clean_up(lambda: self._broker.neighbours.reroute(neighbour))
        await self._think(
            lambda: self._forwarding.take(neighbour, (), self._forwarding.taken(neighbour))
        )

    async def arrive(self, neighbour: str, arrivals: Sequence[Arrival]) -> Arrived:
        """Publish what a neighbour tells, each event once; when this returns, it is kept."""
        return await self._publisher.arrive(neighbour, arrivals)

    async def departures(self, neighbour: str, after: int, most: int) -> list[Departure]:
        """Some of what waits for a neighbour."""
        neighbours = self._broker.neighbours
        return await self._desk.watch(lambda: neighbours.departures(neighbour, after, most))

    async def acknowledge(self, neighbour: str, number: int) -> None:
        """A neighbour has everything through a number."""
        await self._desk.watch(lambda: self._broker.neighbours.acknowledge(neighbour, number))

    async def acknowledged(self, neighbour: str) -> int:
        """Through which number a neighbour has everything."""
        status = await self._desk.watch(lambda: self._broker.neighbours.status(neighbour))
        return status.acknowledged

    async def figures(self, neighbour: str) -> tuple[int, int, int]:
        """How many events wait for a neighbour, how many interests it has, and how many of them
        nobody here can judge."""
        neighbours = self._broker.neighbours
        return await self._desk.watch(
            lambda: (
                neighbours.status(neighbour).waiting,
                len(neighbours.interests(neighbour)),
                len(neighbours.unjudged(neighbour)),
            )
        )

    async def hear(self, neighbour: str) -> Subscriber:
        """What rings when something waits for a neighbour; to be closed."""
        return await self._desk.watch(lambda: self._broker.neighbours.hear(neighbour))

    def close(self) -> None:
        """Think no more."""
        self._thinking.shutdown(cancel_futures=True)

    async def _think(self, do: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thinking, do)

    def _take_up(self, neighbours: Collection[str]) -> None:
        forwarding = self._forwarding
        for one in neighbours:
            forwarding.add_neighbour(one)
        for one in neighbours:
            forwarding.take(one, self._broker.neighbours.interests(one).values())

    def _interests_for(self, neighbour: str, known: str | None) -> Interests | None:
        forwarding = self._forwarding
        if known is None:
            asking = forwarding.next_asking(neighbour)
            if not asking:
                return None
            digest = forwarding.asked_digest(neighbour)
            return Interests(digest, asking.wanted, asking.unwanted)
        asked = forwarding.asked(neighbour)
        forwarding.begin_anew(neighbour, asked)
        digest = str(Digest(asked.values()))
        return None if known == digest else Interests(digest, tuple(asked.values()), whole=True)
