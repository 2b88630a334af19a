"""Several ways of doing the same, in turn: round by round, so that a busy machine disturbs all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

WARM_ROUNDS = 2
LEAST_ROUNDS = 3
MOST_ROUNDS = 50
BUDGET_S = 8.0

_numbers = count(1)


@dataclass(eq=False)
class Contender:
    """One way: texts that set a value, and what runs them. Only the running is timed."""

    texts: Callable[[str], Sequence[str]]
    run: Callable[[Sequence[str]], object]
    seconds: float = float("inf")  # of the quickest round

    def round(self) -> float:
        """Run one; the seconds that it took."""
        texts = self.texts(next(fresh_values()))
        started = time.perf_counter()
        self.run(texts)
        return time.perf_counter() - started


def race(*contenders: Contender, budget_s: float = BUDGET_S) -> int:
    """Let each run some rounds to get warm, then rounds that count; how many of these."""
    for _ in range(WARM_ROUNDS):
        for contender in contenders:
            contender.round()
    started = time.perf_counter()
    for rounds in range(1, MOST_ROUNDS + 1):
        for contender in contenders:
            contender.seconds = min(contender.seconds, contender.round())
        if rounds >= LEAST_ROUNDS and time.perf_counter() - started > budget_s:
            return rounds
    return MOST_ROUNDS


def fresh_values() -> Iterator[str]:
    """Dimming values that were never there before."""
    return map(str, _numbers)
