"""Who wants what from where, and what a broker therefore asks of each of its neighbours.

Events go where interests came from. A neighbour is asked for what is wanted here and by all other
neighbours, as far as something more general does not ask for it anyway; never for what only the
neighbour itself wants. No socket and no clock is in here.

In a tree that is all. Where links close a circle, some of them are spare: nobody is asked for
anything over these. Until all agree which, an interest may come back to whoever wanted it, and two
brokers could keep each other in the belief that somebody still wants what nobody does. So each
interest says over how many links at least it came: one that nobody has any more comes from farther
and farther away, and ends at `most_hops`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from purport.covering.frontier import Frontier
from purport.covering.graph import CoveringGraph
from purport.covering.interest import Interest

MOST_HOPS = 32
_HERE = ""  # no neighbour is called so


@dataclass(frozen=True, slots=True)
class Asking:
    """How what a neighbour is asked for changes, all of it at once."""

    wanted: tuple[Interest, ...] = ()  # new ones, or from elsewhere than before
    unwanted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.wanted or self.unwanted)


class Digest:
    """A short text that two brokers have in common if they mean the same interests."""

    def __init__(self, interests: Iterable[Interest] = ()) -> None:
        self._number = 0
        for one in interests:
            self.turn(one)

    def __str__(self) -> str:
        return f"{self._number:032x}"

    def turn(self, interest: Interest) -> None:
        """One more interest is meant, or one less: whichever it is, in whatever order."""
        told = f"{interest.hops} {interest.text}".encode()
        self._number ^= int.from_bytes(hashlib.sha256(told).digest()[:16])


@dataclass(slots=True)
class _Side:
    """What is wanted by all but one neighbour, and what that one was asked for last."""

    frontier: Frontier
    hops: dict[str, int] = field(default_factory=dict)  # of each, over the shortest way
    changed: dict[str, None] = field(default_factory=dict)  # of those, that may be asked otherwise
    asked: dict[str, Interest] = field(default_factory=dict)
    digest: Digest = field(default_factory=Digest)  # of what was asked for
    is_used: bool = True

    def now(self, text: str) -> Interest | None:
        """How the neighbour is to be asked for something; None if it is not."""
        return Interest(text, self.hops[text] + 1) if self.frontier.is_top(text) else None


class Forwarding:
    """What one broker asks its neighbours for.

    >>> from purport.covering.interest import Interest
    >>> middle = Forwarding()
    >>> middle.add_neighbour("west"), middle.add_neighbour("east")
    (None, None)
    >>> middle.want({"s1": {"{heat > 30}"}})
    >>> middle.take("east", [Interest("{heat > 20}", 1)])
    >>> middle.next_asking("west"), middle.next_asking("east")
    (Asking(wanted=(Interest(text='{heat > 20}', hops=2),), unwanted=()), \
Asking(wanted=(Interest(text='{heat > 30}', hops=1),), unwanted=()))
    >>> middle.take("east", [], ["{heat > 20}"])
    >>> middle.next_asking("west")
    Asking(wanted=(Interest(text='{heat > 30}', hops=1),), unwanted=('{heat > 20}',))
    """

    def __init__(
        self,
        *,
        most_hops: int = MOST_HOPS,
        graph: Callable[[], CoveringGraph] = CoveringGraph,
    ) -> None:
        self._most_hops, self._graph = most_hops, graph
        self._wanted_by: dict[str, frozenset[str]] = {}  # here, by registration
        self._often: Counter[str] = Counter()  # how many registrations here want it
        self._here = Frontier(graph)
        self._sources: dict[str, dict[str, int]] = {}  # by text: who wants it, how far away
        self._sides: dict[str, _Side] = {}
        self._digests: dict[str, Digest] = {}  # of what neighbours ask for

    @property
    def neighbours(self) -> Collection[str]:
        """Those that are asked."""
        return self._sides.keys()

    def add_neighbour(self, name: str) -> None:
        """There is one more neighbour, who has been asked for nothing yet."""
        side = self._sides[name] = _Side(Frontier(self._graph))
        self._digests[name] = Digest()
        for text in self._sources:
            self._look(name, side, text)

    def remove_neighbour(self, name: str) -> None:
        """A neighbour is none any more, and wants nothing."""
        del self._sides[name]
        for text in self.taken(name):
            self._set(text, name, None)
        del self._digests[name]

    def use(self, neighbour: str, is_used: bool) -> None:
        """Ask a neighbour, and count what it asks for, or no more until it is used again."""
        side = self._sides[neighbour]
        if side.is_used == is_used:
            return
        side.is_used = is_used
        for text, sources in self._sources.items():
            self._look(neighbour, side, text)
            if neighbour in sources:
                self._look_at_others(neighbour, text)

    def is_used(self, neighbour: str) -> bool:
        """Whether a neighbour is asked, and what it asks for counts."""
        return self._sides[neighbour].is_used

    def is_covered_elsewhere(self, neighbour: str) -> bool:
        """Whether all that a neighbour asks for is asked for by others that are used, too."""
        others = Frontier(self._graph)
        own = []
        for text, sources in self._sources.items():
            if neighbour in sources:
                own.append(text)
            if any(name != neighbour and self._counts(name) for name in sources if name != _HERE):
                others.add(text)
        return all(map(others.covers, own))

    def want(self, wanted: Mapping[str, Collection[str]]) -> None:
        """What registrations here want now, each of them nothing else any more."""
        for registration, texts in wanted.items():
            self._want(registration, frozenset(texts))
        for text in self._here.take_changed():
            self._set(text, _HERE, 0 if self._here.is_top(text) else None)

    def take(
        self, neighbour: str, wanted: Iterable[Interest], unwanted: Iterable[str] = ()
    ) -> None:
        """A neighbour asks for something, and for something else no more."""
        for text in unwanted:
            self._set(text, neighbour, None)
        for one in wanted:
            self._set(one.text, neighbour, one.hops)

    def taken(self, neighbour: str) -> dict[str, Interest]:
        """All that a neighbour asks for, by its text."""
        return {
            text: Interest(text, sources[neighbour])
            for text, sources in self._sources.items()
            if neighbour in sources
        }

    def asked(self, neighbour: str) -> dict[str, Interest]:
        """All that a neighbour should be asked for now, by its text."""
        side = self._sides[neighbour]
        return {text: Interest(text, side.hops[text] + 1) for text in side.frontier}

    def next_asking(self, neighbour: str) -> Asking:
        """What is to be said to a neighbour, so that it knows all of `asked`; it counts as said."""
        side = self._sides[neighbour]
        changed, side.changed = side.changed, {}
        changed.update(dict.fromkeys(side.frontier.take_changed()))
        wanted, unwanted = [], []
        for text in changed:
            before, now = side.asked.get(text), side.now(text)
            if before == now:
                continue
            if before is not None:
                side.digest.turn(before)
                del side.asked[text]
            if now is not None:
                side.digest.turn(now)
                side.asked[text] = now
                wanted.append(now)
            else:
                unwanted.append(text)
        return Asking(tuple(wanted), tuple(unwanted))

    def asked_digest(self, neighbour: str) -> str:
        """A digest of all that a neighbour was asked for."""
        return str(self._sides[neighbour].digest)

    def taken_digest(self, neighbour: str) -> str:
        """A digest of all that a neighbour asks for."""
        return str(self._digests[neighbour])

    def count_asked(self, neighbour: str) -> int:
        """How many interests a neighbour was asked for."""
        return len(self._sides[neighbour].asked)

    def begin_anew(self, neighbour: str, known: Mapping[str, Interest] | None = None) -> None:
        """Begin at what a neighbour is known to have heard; it may have forgotten all of it."""
        side = self._sides[neighbour]
        side.asked = dict(known or {})
        side.digest = Digest(side.asked.values())
        side.changed = dict.fromkeys((*side.asked, *side.frontier))

    def _want(self, registration: str, now: frozenset[str]) -> None:
        before = self._wanted_by.pop(registration, frozenset())
        if now:
            self._wanted_by[registration] = now
        for text in now - before:
            self._often[text] += 1
            if self._often[text] == 1:
                self._here.add(text)
        for text in before - now:
            self._often[text] -= 1
            if not self._often[text]:
                del self._often[text]
                self._here.remove(text)

    def _set(self, text: str, source: str, hops: int | None) -> None:
        """Somebody wants something so many links away, or no more."""
        sources = self._sources.setdefault(text, {})
        before = sources.pop(source, None)
        if hops is not None:
            sources[source] = hops
        if not sources:
            del self._sources[text]
        for far in (before, hops):
            if source in self._digests and far is not None:
                self._digests[source].turn(Interest(text, far))
        self._look_at_others(source, text)

    def _look_at_others(self, source: str, text: str) -> None:
        for name, side in self._sides.items():
            if name != source:
                self._look(name, side, text)

    def _counts(self, source: str) -> bool:
        return source == _HERE or (source in self._sides and self._sides[source].is_used)

    def _look(self, name: str, side: _Side, text: str) -> None:
        """See whether anybody but a neighbour wants something, near enough to be passed on."""
        hops = min(
            (
                far
                for source, far in self._sources.get(text, {}).items()
                if source != name and self._counts(source)
            ),
            default=None,
        )
        if hops is not None and hops < self._most_hops and side.is_used:
            if text not in side.hops:
                side.frontier.add(text)
            side.hops[text] = hops
            side.changed[text] = None
        elif text in side.hops:
            side.frontier.remove(text)
            del side.hops[text]
