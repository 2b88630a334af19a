"""What is told of a pattern, and of each event once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from msgspec import Struct

from purport.model.event import Event
from purport.model.subscription import Options, Pattern
from purport.temporal.asked import only_loses
from purport.temporal.filters import least_probability
from purport.temporal.history import Dropped
from purport.temporal.instance import Instance
from purport.temporal.network import Node
from purport.temporal.progress import BEGINNING

_NEVER = 1 << 62  # no time comes so late


class Detection(Struct, frozen=True, gc=False):
    """That an event answers a subscription, with all that it took."""

    subscription: str  # the id under which the engine was given it
    instance: Instance

    @property
    def event(self) -> Event:
        """The event that is told of."""
        return self.instance.about.event

    @property
    def probability(self) -> float:
        """How likely it is what was meant: that of its likeliest explanation."""
        return self.instance.probability


@dataclass(slots=True)
class Root:
    """A pattern that is subscribed to, once or several times; of each event it is told once."""

    key: Hashable
    node: Node
    least: float  # that a probability has to reach
    found: list[Detection]  # where its answers go
    first: int  # the earliest that an answer may rest on besides its parts
    since: dict[str, int] = field(default_factory=dict)  # by id: of events after this sequence
    told: dict[str, int] = field(default_factory=dict)  # by id: the earliest that it rested on

    @classmethod
    def of(
        cls, asked: tuple[Pattern, Options], key: Hashable, node: Node, found: list[Detection]
    ) -> Root:
        """The root of a pattern, by what the network calls it."""
        pattern, options = asked
        first = _NEVER if only_loses(pattern) else BEGINNING
        root = cls(key, node, least_probability(options), found, first)
        node.listeners.append(root.hear)
        return root

    def hear(self, instance: Instance) -> None:
        """It is answered; what happened before somebody subscribed is not told."""
        about = instance.about
        if about.id in self.told or instance.probability < self.least:
            return
        first = self.first
        for _, one in instance.parts:  # that rest on nothing else, or `first` is the beginning
            if one.start < first:
                first = one.start
        self.told[about.id] = first
        sequence = about.sequence
        self.found.extend(
            [
                Detection(identifier, instance)
                for identifier, since in self.since.items()
                if sequence > since
            ]
        )

    def note(self, event: str) -> None:
        """It was told of an event, nobody knows by what."""
        self.told[event] = BEGINNING - 1

    def forget(self, dropped: Iterable[Dropped]) -> None:
        """It may be told of events of these ids again: they are others."""
        for one in dropped:
            self.told.pop(one.id, None)

    def resting_before(self, time: int) -> list[str]:
        """The events told of that may have rested on what was until a time."""
        return [event for event, first in self.told.items() if first <= time]
