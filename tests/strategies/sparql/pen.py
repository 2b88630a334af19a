"""What the writers of random SPARQL share: draws, new names, and notes on what was used."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.strategies import SearchStrategy

from tests.strategies.sparql.terms import (
    GRAPHS,
    NODES,
    PREDICATES,
    VARIABLES,
    World,
)

T = TypeVar("T")


class Pen:
    """Draws one case; `features` are the names of what was used since they were last taken."""

    def __init__(self, draw: Callable[[int, int], int]) -> None:
        self._draw = draw
        self._names = 0
        self._features: set[str] = set()
        self.facts: list[str] = []  # that were written; updates remove some of them again
        self.world = World(ties=self.chance(50))

    def number(self, low: int, high: int) -> int:
        return self._draw(low, high)

    def pick(self, options: Sequence[T]) -> T:
        """One of them; shrinks to the first."""
        return options[self._draw(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """True so often; shrinks to False.

        Hypothesis likes the ends of a range, so neither of them counts as true.
        """
        return 101 - percent <= self._draw(0, 101) <= 100

    def one_of(self, ways: Sequence[tuple[int, Callable[[], T]]]) -> T:
        """What one of the ways gives, each as often as its weight says; shrinks to the first."""
        drawn = self.number(0, sum(weight for weight, _ in ways) + 1)  # the ends: see `chance`
        for weight, way in ways:
            drawn -= weight
            if drawn <= 0:
                return way()
        return ways[0][1]()

    def some(self, way: Callable[[], T], low: int, high: int) -> list[T]:
        return [way() for _ in range(self.number(low, high))]

    def used(self, *features: str) -> None:
        self._features.update(features)

    def noting(self, feature: str, way: Callable[[], T]) -> Callable[[], T]:
        """The same way; that it is gone is noted."""

        def noted() -> T:
            self.used(feature)
            return way()

        return noted

    def has_used(self, *beginnings: str) -> bool:
        """Whether any feature used so far begins so."""
        return any(one.startswith(beginnings) for one in self._features)

    def taken_features(self) -> frozenset[str]:
        found = frozenset(self._features)
        self._features.clear()
        return found

    def new_name(self) -> str:
        """A variable that nothing else in this text is called."""
        self._names += 1
        return f"n{self._names}"

    def variable(self, among: Sequence[str] = ()) -> str:
        """Mostly one of those, if there are any; else, of a pool that all patterns draw from."""
        if among and not self.chance(25):
            return self.pick(among)
        return self.pick(VARIABLES)

    def node(self) -> str:
        return self.pick(NODES)

    def predicate(self) -> str:
        return self.pick(PREDICATES[: None if self.chance(30) else 2])

    def graph(self) -> str:
        return self.pick(GRAPHS)

    def literal(self) -> str:
        """Any literal; half of the time, one of the few that are met often."""
        return self.pick(self.world.literals[: None if self.chance(50) else 3])

    def constant(self) -> str:
        return self.pick(NODES) if self.chance(30) else self.literal()


class Written(SearchStrategy[T]):
    """What a writer writes, as a strategy.

    Numbers are drawn one after the other, without the spans that Hypothesis puts around what
    strategies draw: it would make five near copies of every case by repeating such spans, and a
    thousand cases would be two hundred. Shrinking does not need them.
    """

    def __init__(self, write: Callable[[Pen], T]) -> None:
        super().__init__()
        self._write = write

    def do_draw(self, data: ConjectureData) -> T:
        return self._write(Pen(data.draw_integer))
