"""What a subscriber is told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from purport.model.match import Match


@dataclass(frozen=True, slots=True)
class Notification:
    """A match on its way to a subscriber; numbers count up by one, so that a gap can be seen.

    `missed` says how many were dropped before this one, because too much was waiting. A derived
    event has `causes`, the ids of the events it comes from, and the probability of the derivation.
    """

    subscription_id: str
    sequence: int
    match: Match
    at: datetime | None = None  # when the event was published
    position: int | None = None  # of the publication, in the journal
    topic: str = ""
    causes: tuple[str, ...] = ()
    derivation_probability: float = 1.0
    missed: int = 0

    def __post_init__(self) -> None:
        if self.sequence < 0:
            raise ValueError(f"sequence numbers start at 0, got {self.sequence}")

    @property
    def id(self) -> str:
        """The same whenever it is told: what came under this id before can be dropped."""
        return f"{self.subscription_id}:{self.sequence}"

    @property
    def probability(self) -> float:
        """How likely it is that the event is what was meant, and that it was rightly derived."""
        return self.match.probability * self.derivation_probability
