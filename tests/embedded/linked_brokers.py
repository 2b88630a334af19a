"""Brokers in one process that are linked by hand: a step is taken when a test says so."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

from purport.broker.journal import MemoryJournal
from purport.covering.forwarding import Forwarding
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from tests.embedded.brokers import exact, told
from tests.strategies.overlays import Shape


class KeptJournal(MemoryJournal):
    """A journal that outlives the broker that wrote it, as one on disk does."""

    def close(self) -> None:
        """Keep all of it."""

    def as_it_is(self) -> KeptJournal:
        """The same for another process: the one that was killed writes no more into it."""
        other = copy(self)
        other._entries = copy(self._entries)
        other._told = {name: copy(some) for name, some in self._told.items()}
        return other


class LinkedBroker:
    """One broker with what it asks its neighbours for; it can be killed, and started again."""

    def __init__(self, name: str, neighbours: list[str], snapshot_every: int) -> None:
        self.name, self.neighbours = name, neighbours
        self._snapshot_every = snapshot_every
        self._journal = KeptJournal()
        self.is_up = False
        self.start()

    def start(self) -> None:
        """Run, with what the journal says."""
        self._journal = self._journal.as_it_is()
        settings = BrokerSettings(snapshot_every=self._snapshot_every)
        self.broker = Broker(self._journal, matcher=exact, settings=settings)
        self.broker.neighbours.begin(self.name)
        self.forwarding = Forwarding()
        self._changed: dict[str, None] = {}
        self.broker.neighbours.watch(self._note)
        for neighbour in self.neighbours:
            self.broker.neighbours.link(neighbour)
            self.forwarding.add_neighbour(neighbour)
            held = self.broker.neighbours.interests(neighbour)
            self.forwarding.take(neighbour, held.values())
        self.forwarding.want(self.broker.neighbours.wanted())
        self.is_up = True

    def kill(self) -> None:
        """End in the middle of it: what only memory has is gone."""
        self.is_up = False
        left = self.broker
        self._journal = self._journal.as_it_is()
        left.close()

    def asking(self) -> Forwarding:
        """What it asks for, by what is subscribed to now."""
        changed, self._changed = self._changed, {}
        self.forwarding.want({one: self.broker.neighbours.wanted_by(one) for one in changed})
        return self.forwarding

    def _note(self, identifier: str) -> None:
        self._changed[identifier] = None


class LinkedBrokers:
    """An overlay of which every step is taken by hand."""

    def __init__(self, shape: Shape, *, snapshot_every: int = 50_000) -> None:
        self.shape = shape
        self.nodes = [
            LinkedBroker(str(one), [str(other) for other in shape.neighbours(one)], snapshot_every)
            for one in range(shape.count)
        ]
        self.links = sorted({*shape.links, *((b, a) for a, b in shape.links)})
        self.told = 0  # events, over any link

    def __getitem__(self, number: int) -> Broker:
        return self.nodes[number].broker

    def are_up(self, link: tuple[int, int]) -> bool:
        """Whether both ends of a link run."""
        return self.nodes[link[0]].is_up and self.nodes[link[1]].is_up

    def restart(self, number: int) -> None:
        """Start a broker that was killed; what its neighbours know of it, both find out."""
        node = self.nodes[number]
        node.start()
        for link in self.links:
            if number in link and self.are_up(link):
                sender, receiver = (self.nodes[one] for one in link)
                held = receiver.broker.neighbours.interests(sender.name)
                sender.forwarding.begin_anew(receiver.name, held)

    def ask(self, link: tuple[int, int]) -> bool:
        """Tell a neighbour what it is asked for, if that is new and both run."""
        if not self.are_up(link):
            return False
        sender, receiver = (self.nodes[one] for one in link)
        asking = sender.asking().next_asking(receiver.name)
        wanted = {one.text: one for one in asking.wanted}
        receiver.broker.neighbours.take_interests(sender.name, wanted, asking.unwanted)
        receiver.forwarding.take(sender.name, asking.wanted, asking.unwanted)
        return bool(asking)

    def tell(self, link: tuple[int, int], most: int = 100, *, is_answered: bool = True) -> bool:
        """Tell a neighbour of some events, and hear that it has them, unless that is lost."""
        if not self.are_up(link):
            return False
        sender, receiver = (self.nodes[one] for one in link)
        waiting = sender.broker.neighbours.departures(receiver.name, -1, most)
        if not waiting:
            return False
        receiver.broker.neighbours.arrive(sender.name, [one.arrival for one in waiting])
        self.told += len(waiting)
        if is_answered:
            sender.broker.neighbours.acknowledge(receiver.name, waiting[-1].number)
        return True

    def settle(self) -> None:
        """Let all interests and events come to where they go."""
        self._all(self.ask)
        self._all(self.tell)

    def agree(self) -> None:
        """Let all interests come to where they go."""
        self._all(self.ask)

    def waiting(self, number: int, name: str) -> list[str]:
        """The events that a subscription was told of."""
        return told(self[number], name)

    def close(self) -> None:
        """End all of them."""
        for node in self.nodes:
            if node.is_up:
                node.broker.close()

    def _all(self, do: Callable[[tuple[int, int]], bool]) -> None:
        while sum(do(link) for link in self.links):
            pass
