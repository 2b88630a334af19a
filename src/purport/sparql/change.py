"""What an update really changed."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyoxigraph import NamedNode

from purport.sparql.terms import Fact


@dataclass(frozen=True, slots=True)
class Change:
    """Facts that appeared and facts that vanished, and named graphs that did.

    What was there already has not appeared, and what was put back has not vanished. Nothing at all
    is false.
    """

    added: frozenset[Fact] = field(default_factory=frozenset)
    removed: frozenset[Fact] = field(default_factory=frozenset)
    created: frozenset[NamedNode] = field(default_factory=frozenset)
    dropped: frozenset[NamedNode] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.created or self.dropped)

    def then(self, later: Change) -> Change:
        """This change and a later one as one.

        >>> Change().then(Change()) == Change()
        True
        """
        return Change(
            (self.added - later.removed) | (later.added - self.removed),
            (self.removed - later.added) | (later.removed - self.added),
            (self.created - later.dropped) | (later.created - self.dropped),
            (self.dropped - later.created) | (later.dropped - self.created),
        )

    def undone(self) -> Change:
        """What takes it back."""
        return Change(self.removed, self.added, self.dropped, self.created)


NO_CHANGE = Change()
