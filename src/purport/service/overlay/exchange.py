"""The broker's side of an overlay: what is wanted by whom, and the events that come and go."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

from purport.broker.judges import Judges, needed_to_judge
from purport.broker.links import Arrival
from purport.covering.forwarding import Digest, Forwarding
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
    What one neighbour wants is changed in the journal and in what is thought as one step, which
    goes on to its end whoever waits for it; one such step after the other.
    """

    def __init__(self, broker: Broker, desk: Desk, publisher: Publisher, *, most_hops: int) -> None:
        self._broker, self._desk, self._publisher = broker, desk, publisher
        self._forwarding = Forwarding(most_hops=most_hops, graph=broker.neighbours.covering)
        self._differ: dict[str, frozenset[str]] = {}  # what judges otherwise at neighbours
        self._thinking = ThreadPoolExecutor(1, thread_name_prefix="purport overlay")
        self._alone: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # by neighbours
        self._steps: set[asyncio.Task[Any]] = set()

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
        async with self._alone[neighbour]:
            return await self._think(lambda: self._forwarding.taken_digest(neighbour))

    async def take_interests(self, neighbour: str, said: Interests) -> str:
        """A neighbour has said what it wants; gives a digest of what is known of that now."""
        wanted = {one.text: one for one in said.wanted}
        neighbours, forwarding = self._broker.neighbours, self._forwarding

        async def take() -> str:
            unwanted: Collection[str] = said.unwanted
            if said.whole:
                held = await self._desk.watch(lambda: neighbours.interests(neighbour))
                taken = await self._think(lambda: forwarding.taken(neighbour))
                unwanted = (held.keys() | taken.keys()) - wanted.keys()
            change = partial(neighbours.take_interests, neighbour, wanted, unwanted)
            await self._desk.clean_up(change)
            await self._think(lambda: forwarding.take(neighbour, wanted.values(), unwanted))
            return await self._think(lambda: forwarding.taken_digest(neighbour))

        return await self._step(neighbour, take())

    async def judges(self) -> Judges:
        """By what this broker finds events."""
        return await self._think(lambda: self._broker.neighbours.judges)

    async def meet(self, neighbour: str, judges: Judges) -> frozenset[str]:
        """Ask a neighbour only for what it judges alike; gives what judges otherwise there."""
        differ = (await self.judges()).differences(judges)
        await self._think(lambda: self._judge(neighbour, differ))
        return differ

    async def interests_for(self, neighbour: str, known: str | None = None) -> Interests | None:
        """What a neighbour is to be told, so that it knows what is wanted; None if it does.

        `known` is a digest of what it knows, if that is not what it was told last: it is told
        something then, if only so that it confirms it.
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

    async def tell_others(self, neighbour: str, but_for: Collection[str]) -> None:
        """Tell others, but for these, what waits for a neighbour, who is waited for as before."""
        tell = partial(self._broker.neighbours.tell_others, neighbour, but_for)
        await self._desk.clean_up(tell)

    async def reroute(self, neighbour: str) -> None:
        """Tell others what waits for a neighbour to which another way leads; it asks no more."""
        forwarding = self._forwarding

        async def reroute() -> None:
            await self._desk.clean_up(lambda: self._broker.neighbours.reroute(neighbour))
            await self._think(lambda: forwarding.take(neighbour, (), forwarding.taken(neighbour)))

        await self._step(neighbour, reroute())

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

    @asynccontextmanager
    async def hearing(self, neighbour: str) -> AsyncIterator[Subscriber]:
        """What rings when something waits for a neighbour; nothing is left of it afterwards."""
        opened = self._go_on(self._desk.watch(lambda: self._broker.neighbours.hear(neighbour)))

        async def close() -> None:
            subscriber = await opened
            await asyncio.to_thread(subscriber.close)

        try:
            yield await asyncio.shield(opened)
        finally:
            await asyncio.shield(self._go_on(close()))

    async def rest(self) -> None:
        """Wait until all that goes on is at its end."""
        while self._steps:
            await asyncio.wait(self._steps)

    def close(self) -> None:
        """Think no more."""
        self._thinking.shutdown(cancel_futures=True)

    async def _step(self, neighbour: str, work: Coroutine[None, None, T]) -> T:
        """Do something alone with a neighbour, and to its end, also when nobody waits any more."""

        async def alone() -> T:
            async with self._alone[neighbour]:
                return await work

        return await asyncio.shield(self._go_on(alone()))

    def _go_on(self, work: Coroutine[None, None, T]) -> asyncio.Task[T]:
        task = asyncio.ensure_future(work)
        self._steps.add(task)
        task.add_done_callback(self._steps.discard)
        return task

    async def _think(self, do: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thinking, do)

    def _take_up(self, neighbours: Collection[str]) -> None:
        forwarding = self._forwarding
        for one in neighbours:
            forwarding.add_neighbour(one)
        for one in neighbours:
            forwarding.take(one, self._broker.neighbours.interests(one).values())

    def _judge(self, neighbour: str, differ: frozenset[str]) -> None:
        if self._differ.get(neighbour, frozenset()) != differ:
            self._differ[neighbour] = differ
            self._forwarding.judge(neighbour, lambda text: not differ & needed_to_judge(text))

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
        if known == digest:
            return Interests(digest)
        return Interests(digest, tuple(asked.values()), whole=True)
