"""What a subscriber is told."""

from __future__ import annotations

from dataclasses import dataclass

from purport.model.match import Match


@dataclass(frozen=True, slots=True)
class Notification:
    """A match on its way to a subscriber; numbers count up by one, so that a gap can be seen."""

    subscription_id: str
    sequence: int
    match: Match

    def __post_init__(self) -> None:
        if self.sequence < 0:
            raise ValueError(f"sequence numbers start at 0, got {self.sequence}")
