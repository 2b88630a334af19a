"""Where an engine's time goes: its parts are wrapped for one run, which no speed is taken from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from unittest.mock import patch

from benchmarks.lit_city import LitCity
from purport.sparql.lookup_index import LookupIndex, Run
from purport.sparql.standing_queries import StandingQueries
from purport.sparql.terms import Fact
from purport.sparql.updater import Updater


class Part(StrEnum):
    """The timing components of SPS'16."""

    UPDATE = "update"  # what an update changes is found, and written
    LOOKUP = "lookup"  # whom it may touch
    EVALUATION = "evaluation"  # what it changes of their answers
    NOTIFICATION = "notification"  # all the rest


PARTS: tuple[tuple[type, str, Part], ...] = (
    (Updater, "run", Part.UPDATE),
    (LookupIndex, "touched", Part.LOOKUP),
    (StandingQueries, "advance", Part.EVALUATION),
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


@contextmanager
def no_lookup(lit: LitCity) -> Iterator[None]:
    """While no look-up keeps a change from any plan of a city.

    Only there is what it tells still right: nothing that changes in it joins as something else.
    """
    everything = _everything(lit.engine._queries._index)

    def touched(_: object, runs: Iterable[Run]) -> dict[Any, list[Fact]]:
        seen = [fact for _, run in runs for fact in run]
        return dict.fromkeys(everything, seen)

    with patch.object(LookupIndex, "touched", touched):
        yield


def unshared(lit: LitCity) -> LitCity:
    """A city whose later subscriptions have each a plan of its own, alike or not."""
    lit.engine._queries._plans = _Forgetful()
    return lit


def _everything(index: LookupIndex[Any]) -> list[Any]:
    """All that an index can find, each once."""
    found: dict[Any, int] = {}
    for groups in index._groups.values():
        for group in groups.values():
            found.update(group.always)
            for places in (group.by_subject, group.by_object, group.by_both):
                for things in places.values():
                    found.update(things)
    return list(found)


class _Forgetful(dict[Any, Any]):
    """Never has what it is asked for."""

    def get(self, key: object, default: Any = None) -> Any:
        return default
