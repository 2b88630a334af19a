"""Several ways of doing the same, in turn: round by round, so that a busy machine disturbs all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

WARM_ROUNDS = 2
LEAST_ROUNDS = 3
MOST_ROUNDS = 60
BUDGET_S = 12.0
PIECES = 10

_numbers = count(1)


@dataclass(eq=False)
class Contender:
    """One way: texts that set a value, and what runs them. Only the running is timed.

    A round is run in pieces, and each piece counts as in the round where it was quickest: on a busy
    machine no round is undisturbed from its beginning to its end. `average` leaves nothing out.
    """

    texts: Callable[[str], Sequence[str]]
    run: Callable[[Sequence[str]], object]
    _rounds: list[list[float]] = field(default_factory=list)  # seconds of the pieces

    @property
    def seconds(self) -> float:
        """Of a round, by the quickest pieces."""
        quickest: list[float] = [min(taken) for taken in zip(*self._rounds, strict=True)]
        return sum(quickest)

    @property
    def average(self) -> float:
        """Seconds of a round, over all that counted."""
        return sum(map(sum, self._rounds)) / len(self._rounds)

    def warm(self) -> None:
        """Run a round that does not count."""
        self.run(self.texts(next(fresh_values())))

    def round(self) -> None:
        """Run a round that does."""
        texts = self.texts(next(fresh_values()))
        size = -(-len(texts) // PIECES)
        pieces = [texts[start : start + size] for start in range(0, len(texts), size)]
        self._rounds.append(list(map(self._seconds, pieces)))

    def _seconds(self, texts: Sequence[str]) -> float:
        started = time.perf_counter()
        self.run(texts)
        return time.perf_counter() - started


def race(*contenders: Contender, budget_s: float = BUDGET_S) -> int:
    """Let each run some rounds to get warm, then rounds that count; how many of these."""
    for _ in range(WARM_ROUNDS):
        for contender in contenders:
            contender.warm()
    started = time.perf_counter()
    for rounds in range(1, MOST_ROUNDS + 1):
        for contender in contenders:
            contender.round()
        if rounds >= LEAST_ROUNDS and time.perf_counter() - started > budget_s:
            return rounds
    return MOST_ROUNDS


def fresh_values() -> Iterator[str]:
    """Dimming values that were never there before."""
    return map(str, _numbers)
