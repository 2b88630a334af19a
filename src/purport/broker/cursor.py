"""How far a subscriber is: what it was told, what it has, and what waits for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from purport.broker.gate import Gate


@dataclass(frozen=True, slots=True)
class Cursor:
    """Numbers of one subscription: `next` is the first that nobody was given yet.

    They go on where those of an earlier subscription of the same id ended, so that none ever means
    two things: `first` is the first of this one.
    """

    next: int = 0
    acknowledged: int = -1
    first: int = 0
    missed: int = 0  # were dropped since the subscriber last acknowledged something
    gate: Gate = field(default_factory=Gate)

    @classmethod
    def beginning(cls, first: int) -> Cursor:
        """The cursor of a new subscription."""
        return cls(first, first - 1, first)

    @property
    def waiting(self) -> int:
        """How many notifications are not acknowledged."""
        return self.next - 1 - self.acknowledged

    def told(self, at: int) -> Cursor:
        """After one more notification."""
        gate = self.gate.told(at)  # to replace fields by their names would take twice as long
        return Cursor(self.next + 1, self.acknowledged, self.first, self.missed, gate)

    def through(self, number: int, *, is_missed: bool = False) -> Cursor:
        """After everything through a number was acknowledged, or dropped."""
        number = min(number, self.next - 1)
        if number <= self.acknowledged:
            return self
        dropped = self.missed + number - self.acknowledged if is_missed else 0
        return Cursor(self.next, number, self.first, dropped, self.gate)

    def anew(self) -> Cursor:
        """After something else was subscribed to: what was told before says nothing any more."""
        return replace(self, gate=Gate())

    def rearmed(self) -> Cursor:
        """After the opposite of what is subscribed to was seen."""
        return replace(self, gate=self.gate.rearmed())
