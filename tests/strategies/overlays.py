"""Brokers and the links between them, what is asked for there, and what happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

Links = frozenset[tuple[int, int]]  # pairs of brokers, the smaller number first


@dataclass(frozen=True)
class Shape:
    """So many brokers, and which of them are neighbours; all can reach each other."""

    count: int
    links: Links

    def neighbours(self, broker: int) -> list[int]:
        """Those to which a broker has a link."""
        return sorted(
            other for link in self.links if broker in link for other in link if other != broker
        )

    @property
    def is_connected(self) -> bool:
        """Whether all can reach each other."""
        found, going = {0}, [0]
        while going:
            for other in self.neighbours(going.pop()):
                if other not in found:
                    found.add(other)
                    going.append(other)
        return len(found) == self.count

    @property
    def is_tree(self) -> bool:
        """Whether there is one way only between any two."""
        return len(self.links) == self.count - 1


@st.composite
def trees(draw: st.DrawFn, *, most: int = 7) -> Shape:
    """Brokers with one way between any two."""
    count = draw(st.integers(2, most))
    return Shape(count, frozenset((draw(st.integers(0, one - 1)), one) for one in range(1, count)))


@st.composite
def meshes(draw: st.DrawFn, *, most: int = 6) -> Shape:
    """Brokers with more than one way between some."""
    tree = draw(trees(most=most))
    pairs = [(a, b) for b in range(tree.count) for a in range(b)]
    return Shape(tree.count, tree.links | draw(st.frozensets(st.sampled_from(pairs), max_size=4)))


@st.composite
def asked_texts(draw: st.DrawFn) -> str:
    """Subscriptions of which many cover others, and some ask for the same."""
    places = draw(st.sampled_from(("", ", room = hall", ", room = loft", ", room in (hall, loft)")))
    return f"{{heat {draw(st.sampled_from(('>', '>=')))} {draw(st.integers(0, 3))}{places}}}"


def readings() -> st.SearchStrategy[Mapping[str, object]]:
    """Events that answer some of these."""
    return st.fixed_dictionaries(
        {"heat": st.integers(0, 4), "room": st.sampled_from(("hall", "loft", "yard"))}
    )
