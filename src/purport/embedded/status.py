"""How a subscription is doing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SubscriptionStatus:
    """What waits for a subscriber, and how far it is."""

    waiting: int  # notifications that are not acknowledged
    next: int  # the number of the next notification
    acknowledged: int  # through this number; one before the first if nothing is
    missed: int  # dropped before what waits, because too much was waiting
    told_at: datetime | None  # when it was told last, of what is kept
    is_paused: bool
