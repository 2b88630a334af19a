"""What subscribers have received, until the journal has it too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Acknowledgements:
    """Acknowledgements that wait to be written, with the next publication or after a second.

    Only of subscriptions that outlive the process: nobody asks later what the others had. Each by
    itself would cost a write to disk; one that a crash loses costs a repetition.
    """

    _through: dict[str, int] = field(default_factory=dict)

    def add(self, identifier: str, through: int) -> None:
        """Everything through a number was received."""
        self._through[identifier] = max(through, self.through(identifier))

    def through(self, identifier: str) -> int:
        """How far a subscriber is, of what waits here; -1 if nothing does."""
        return self._through.get(identifier, -1)

    def all(self) -> Mapping[str, int]:
        """All of them, by subscription; they change with what is added and forgotten."""
        return self._through

    def forget(self, identifier: str, through: int) -> None:
        """The journal has it now."""
        if self.through(identifier) <= through:
            self._through.pop(identifier, None)
