"""What a connection is doing, and how much it has done."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class State(StrEnum):
    """What a connection is doing."""

    STOPPED = "stopped"
    CONNECTING = "connecting"
    READY = "ready"
    BLOCKED = "blocked"  # what came cannot be kept: nothing more is read
    UNREACHABLE = "unreachable"  # nobody is there, or the connection broke
    REFUSED = "refused"  # the broker does not want us


@dataclass(slots=True)
class Figures:
    """Counters that only grow, and the last thing that went wrong."""

    received: int = 0  # messages kept
    rejected: int = 0  # messages that were too long
    acknowledged: int = 0  # messages of ours that the broker has
    refused: int = 0  # messages of ours that it does not take
    waiting: int = 0  # messages of ours of which neither is known
    connects: int = 0
    reconnects: int = 0
    last_error: str = ""
    refused_topics: dict[str, str] = field(default_factory=dict)  # filters, and why
    reading_seconds: float = 0.0  # bytes to packets to messages
    keeping_seconds: float = 0.0
    sending_seconds: float = 0.0
    rounds: int = 0  # of reading, keeping and sending
