"""Where an engine's time goes: its parts are wrapped for one run, which no speed is taken from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from unittest.mock import patch

from benchmarks.lit_city import LitCity
from purport.sparql.graph_store import MemoryStore
from purport.sparql.lookup_index import LookupIndex
from purport.sparql.standing_query import StandingQuery


class Part(StrEnum):
    """The timing components of SPS'16."""

    UPDATE = "update"  # what an update changes is found, and written
    LOOKUP = "lookup"  # whom it may touch
    EVALUATION = "evaluation"  # what it changes of their answers
    NOTIFICATION = "notification"  # all the rest


PARTS: tuple[tuple[type, str, Part], ...] = (
    (MemoryStore, "update", Part.UPDATE),
    (LookupIndex, "touched", Part.LOOKUP),
    (StandingQuery, "advance", Part.EVALUATION),
)


@dataclass(slots=True)
class Times:
    """Seconds of each part; what one part spends inside another is its own."""

    seconds: dict[Part, float] = field(default_factory=lambda: dict.fromkeys(Part, 0.0))
    _inner: list[float] = field(default_factory=list)  # of the calls that are under way

    def around(self, work: Callable[..., Any], part: Part) -> Callable[..., Any]:
        """The same work, timed."""

        def measured(*arguments: Any, **options: Any) -> Any:
            self._inner.append(0.0)
            started = time.perf_counter()
            try:
                return work(*arguments, **options)
            finally:
                taken = time.perf_counter() - started
                self.seconds[part] += taken - self._inner.pop()
                if self._inner:
                    self._inner[-1] += taken

        return measured


@dataclass(frozen=True, slots=True)
class UpdateTimes:
    """One update: seconds of its parts, and how many were told of it."""

    seconds: dict[Part, float]
    notifications: int

    @property
    def total(self) -> float:
        return sum(self.seconds.values())

    @property
    def latency(self) -> float:
        """From the store's being done until all are told."""
        return self.total - self.seconds[Part.UPDATE]

    def quicker(self, other: UpdateTimes) -> UpdateTimes:
        return min(self, other, key=lambda one: one.total)


def times_of(lit: LitCity, texts: Sequence[str]) -> list[UpdateTimes]:
    """How long the parts of some updates take, update by update."""
    return [_timed(lit, text) for text in texts]


def _timed(lit: LitCity, text: str) -> UpdateTimes:
    with _wrapped() as times:
        started = time.perf_counter()
        told = lit.run([text])
        total = time.perf_counter() - started
    times.seconds[Part.NOTIFICATION] = total - sum(times.seconds.values())
    return UpdateTimes(times.seconds, told)


@contextmanager
def _wrapped() -> Iterator[Times]:
    times = Times()
    with ExitStack() as stack:
        for owner, name, part in PARTS:
            work = getattr(owner, name)
            stack.enter_context(patch.object(owner, name, times.around(work, part)))
        yield times


def everything_touched(index: LookupIndex[Any], _: object) -> list[Any]:
    """In the place of a look-up: every query, whatever has changed."""
    return list(dict.fromkeys(thing for things in index._things.values() for thing in things))


@contextmanager
def no_lookup() -> Iterator[None]:
    """While no look-up keeps a change from any query."""
    with patch.object(LookupIndex, "touched", everything_touched):
        yield
