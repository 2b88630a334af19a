"""What a broker asks a neighbour for: events that somebody beyond it wants to hear of."""

from __future__ import annotations

from msgspec import Struct

EVERYTHING = "*"  # every event
PARTS = "parts"  # those of which only the start, or only the end, is told


class Interest(Struct, frozen=True, array_like=True, gc=False):
    """Events that are wanted, and over how many links at least whoever wants them is.

    The text is a subscription to single events without a name; no such text is `EVERYTHING` or
    `PARTS`, since it begins with a brace.
    """

    text: str
    hops: int = 0

    def farther(self) -> Interest:
        """The same, as the next broker knows it."""
        return Interest(self.text, self.hops + 1)
