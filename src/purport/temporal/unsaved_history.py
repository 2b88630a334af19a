"""A history of which the last part is in memory, until it is saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from purport.temporal.history import Dropped, EventHistory
from purport.temporal.occurrence import Occurrence


class UnsavedHistory:
    """Keeps what is new beside a history that lasts, which `save` brings up to date."""

    def __init__(self, lasting: EventHistory) -> None:
        self._lasting = lasting
        self._unsaved: dict[str, Occurrence] = {}
        self._unknown: set[str] = set()  # ids that are not in what lasts
        self._applied_at: int | None = None
        self.applied = lasting.applied
        self.saved = lasting.applied  # the last sequence that lasts

    def keep(self, occurrences: Sequence[Occurrence], applied: int) -> None:
        """Take up what is new, or known better."""
        for one in occurrences:
            self._unsaved[one.id] = one
            if one.sequence > self.saved:
                self._unknown.add(one.id)
        self.applied = applied

    def reach(self, applied: int, at: int) -> None:
        """Take up the journal through an entry, and when that was made."""
        self.applied, self._applied_at = applied, at

    def save(self) -> None:
        """Have all of it last, through where the journal was taken up."""
        if self.applied > self.saved:
            self._lasting.keep(list(self._unsaved.values()), self.applied, self._applied_at)
            self._unsaved.clear()
            self._unknown.clear()
            self.saved = self.applied

    def find(self, identifier: str) -> Occurrence | None:
        """What is known under an id; the history that lasts is asked once for a new one.

        What rules derive from an event that a broker named (`event-7>rule`) is as new as that.
        """
        if identifier in self._unsaved:
            return self._unsaved[identifier]
        root, _, rules = identifier.partition(">")
        if identifier in self._unknown or (rules and _is_given(root) and root in self._unknown):
            return None
        found = self._lasting.find(identifier)
        if found is None:
            self._unknown.add(identifier)
        return found

    def all(self) -> Iterator[Occurrence]:
        """Everything, the order of arrival is that of what lasts, then of what does not yet."""
        for one in self._lasting.all():
            if one.id not in self._unsaved:
                yield one
        yield from self._unsaved.values()

    def drop(self, *, before: int | None = None, most: int | None = None) -> list[Dropped]:
        """Forget what is old, after all of it was saved; gives it."""
        self.save()
        return self._lasting.drop(before=before, most=most)

    def close(self) -> None:
        """Let go of it."""
        self._lasting.close()


def _is_given(identifier: str) -> bool:
    """Whether an id looks like those that a broker gives to events without one."""
    return identifier.startswith("event-")
