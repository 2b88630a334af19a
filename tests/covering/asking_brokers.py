"""Brokers that only ask each other for events, over links on which messages take their time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from purport.covering.forwarding import Asking, Forwarding
from purport.covering.interest import Interest
from tests.strategies.overlays import Shape


@dataclass
class AskingBrokers:
    """What each asks its neighbours for; nothing is heard before somebody lets it through."""

    shape: Shape
    most_hops: int = 32
    sent: int = 0  # messages
    interests: int = 0  # and what they say: new interests, and those that are over
    brokers: list[Forwarding] = field(init=False)
    _on_the_way: dict[tuple[int, int], deque[Asking]] = field(init=False)

    def __post_init__(self) -> None:
        self.brokers = [Forwarding(most_hops=self.most_hops) for _ in range(self.shape.count)]
        self._on_the_way = {}
        for broker in range(self.shape.count):
            for neighbour in self.shape.neighbours(broker):
                self.brokers[broker].add_neighbour(str(neighbour))
                self._on_the_way[broker, neighbour] = deque()

    def want(self, broker: int, registration: str, texts: Collection[str]) -> None:
        """Somebody subscribes at a broker, otherwise than before, or no more."""
        self.brokers[broker].want({registration: texts})
        self._ask(broker)

    def use(self, one: int, other: int, is_used: bool) -> None:
        """Have a link be used, or be spare, at both ends."""
        for here, there in ((one, other), (other, one)):
            self.brokers[here].use(str(there), is_used)
            self._ask(here)

    def let_through(self, choose: Callable[[int], int]) -> bool:
        """Let one message arrive, on a link of choice; False if none is on its way."""
        busy = sorted(link for link, waiting in self._on_the_way.items() if waiting)
        if not busy:
            return False
        sender, receiver = link = busy[choose(len(busy))]
        asking = self._on_the_way[link].popleft()
        self.brokers[receiver].take(str(sender), asking.wanted, asking.unwanted)
        self._ask(receiver)
        return True

    def settle(self, choose: Callable[[int], int] = lambda count: 0) -> None:
        """Let everything arrive."""
        while self.let_through(choose):
            pass

    def wanted_from(self, receiver: int, sender: int) -> dict[str, Interest]:
        """What a broker has heard that a neighbour wants."""
        return self.brokers[receiver].taken(str(sender))

    def _ask(self, broker: int) -> None:
        for neighbour in self.shape.neighbours(broker):
            asking = self.brokers[broker].next_asking(str(neighbour))
            if asking:
                self._on_the_way[broker, neighbour].append(asking)
                self.sent += 1
                self.interests += len(asking.wanted) + len(asking.unwanted)
