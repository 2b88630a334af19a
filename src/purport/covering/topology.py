"""Which brokers are linked, as each of them says, and the tree by which events go.

Where links close a circle, some of them are spare: the others, which are used, are a tree. Each
broker finds the same one, since all know what all say. When a link breaks, a spare one takes its
place. No socket and no clock is in here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

_MOST_BROKERS = 10_000
Link = tuple[str, str]  # the first name by its letters first


class LinkState(Struct, frozen=True, array_like=True):
    """What a broker says of its own links; what it said under a lower number is over."""

    broker: str
    number: int
    near: tuple[str, ...]  # to whom it has a link now


class Topology:
    """What one broker knows of all, itself included.

    >>> north = Topology("north")
    >>> north.set_near(["east", "west"])
    LinkState(broker='north', number=1, near=('east', 'west'))
    >>> north.take(LinkState("west", 1, ("east", "north")))
    True
    >>> sorted(north.used), north.reaches("east")
    (['west'], False)
    >>> north.take(LinkState("east", 1, ("north", "west")))
    True
    >>> sorted(north.tree())
    [('east', 'north'), ('east', 'west')]
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._states = {name: LinkState(name, 0, ())}
        self._ever_near: dict[str, frozenset[str]] = {}  # to whom each other one has had a link
        self._links: frozenset[Link] = frozenset()
        self.contradictions = 0  # how often somebody else spoke in the name of this broker

    @property
    def own(self) -> LinkState:
        """What this broker says."""
        return self._states[self.name]

    @property
    def states(self) -> tuple[LinkState, ...]:
        """What all say, as far as it is known."""
        return tuple(self._states.values())

    def set_near(self, names: Iterable[str]) -> LinkState | None:
        """This broker has these links now; gives what is to be said, unless that was said."""
        near = tuple(sorted(names))
        if near == self.own.near:
            return None
        return self._say(near, self.own.number + 1)

    def take(self, state: LinkState) -> bool:
        """Somebody has said something; whether it is new, and to be passed on.

        What this broker itself said before it started again is contradicted: then `own` is new.
        """
        before = self._states.get(state.broker)
        if state.broker == self.name:
            if state.number < self.own.number or state == self.own:
                return False
            self.contradictions += 1
            self._say(self.own.near, state.number + 1)
            return True
        if before is not None and before.number >= state.number:
            return False
        if before is None and len(self._states) >= _MOST_BROKERS:
            return False
        self._states[state.broker] = state
        self._ever_near[state.broker] = self._ever_near.get(state.broker, frozenset()).union(
            state.near
        )
        self._links = self._agreed()
        return True

    def tree(self) -> frozenset[Link]:
        """The links that are used: of all those that both ends speak of, without a circle.

        Each is taken, in the order of the names, that leads to somebody whom those before do not.
        One link more or less changes one other at the most.
        """
        group = {name: name for link in self._links for name in link}

        def leader(name: str) -> str:
            while group[name] != name:
                group[name] = group[group[name]]
                name = group[name]
            return name

        found = []
        for link in sorted(self._links):
            one, other = map(leader, link)
            if one != other:
                group[other] = one
                found.append(link)
        return frozenset(found)

    @property
    def used(self) -> frozenset[str]:
        """The neighbours whose links are used."""
        return frozenset(other for link in self.tree() if self.name in link for other in link) - {
            self.name
        }

    @property
    def reached(self) -> Collection[str]:
        """The brokers to which some way leads, this one included."""
        near: dict[str, list[str]] = {}
        for one, other in self._links:
            near.setdefault(one, []).append(other)
            near.setdefault(other, []).append(one)
        found, going = {self.name}, [self.name]
        while going:
            for other in near.get(going.pop(), ()):
                if other not in found:
                    found.add(other)
                    going.append(other)
        return found

    def reaches(self, name: str) -> bool:
        """Whether some way leads to a broker."""
        return name in self.reached

    def beyond(self, name: str) -> frozenset[str]:
        """Those to whom a way leads, though they were linked to a broker to whom none does.

        They may have been linked to it by others to whom none leads either.
        """
        reached, found = self.reached, set[str]()
        seen, going = {name}, [name]
        while going:
            for other in self._ever_near.get(going.pop(), ()):
                if other in reached:
                    found.add(other)
                elif other not in seen:
                    seen.add(other)
                    going.append(other)
        return frozenset(found - {self.name})

    def _say(self, near: tuple[str, ...], number: int) -> LinkState:
        self._states[self.name] = said = LinkState(self.name, number, near)
        self._links = self._agreed()
        return said

    def _agreed(self) -> frozenset[Link]:
        """The links of which both ends speak."""
        said = {(one.broker, other) for one in self._states.values() for other in one.near}
        return frozenset((a, b) for a, b in said if a < b and (b, a) in said)
