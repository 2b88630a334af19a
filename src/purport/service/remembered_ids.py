"""Publications that are remembered, so that none is published twice."""

from __future__ import annotations

from purport.embedded.published_ids import PublishedId


class RememberedIds:
    """By what the last so many publications are known, with their sequences."""

    def __init__(self, most: int, known: dict[PublishedId, int]) -> None:
        self._most, self._known = most, known

    def __len__(self) -> int:
        return len(self._known)

    def find(self, key: PublishedId) -> int | None:
        """The sequence of a publication; None if it is not known."""
        return self._known.get(key)

    def add(self, key: PublishedId, sequence: int) -> None:
        """One more was published; the oldest may be forgotten for it."""
        self._known[key] = sequence
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]
