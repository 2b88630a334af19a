"""A broker's graph as plain as can be: a set of lamps, and queries as functions of it."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tests.oracles.naive_subscribers import Heard, NaiveSubscribers

Lamps = Mapping[int, int]  # how bright each is
Rows = Counter[tuple[str, ...]]


@dataclass(frozen=True)
class NaiveUpdate:
    """An update, said again in Python; None if it fails."""

    text: str
    change: Callable[[Lamps], Lamps | None]


@dataclass(frozen=True)
class NaiveQuery:
    """A query, said again in Python."""

    text: str
    answer: Callable[[Lamps], Rows]


class Told(NamedTuple):
    """What somebody is told."""

    added: Rows
    removed: Rows
    is_whole: bool = False


@dataclass(kw_only=True)
class HeardAnswers(Heard):
    """A subscription to a query."""

    query: NaiveQuery


class NaiveGraph(NaiveSubscribers[HeardAnswers]):
    """Asks every query before and after every update."""

    def __init__(self) -> None:
        super().__init__()
        self.lamps: Lamps = {}
        self.delayed: list[tuple[int, int, NaiveUpdate]] = []  # when, which, what
        self.failed: list[int] = []

    def update(self, update: NaiveUpdate) -> bool:
        """Run an update, all of it or nothing; whether it could be run."""
        after = update.change(self.lamps)
        if after is None:
            return False
        before, self.lamps = self.lamps, after
        for one in self.heard.values():
            was, is_now = one.query.answer(before), one.query.answer(after)
            if was != is_now and not one.is_paused:
                one.told.append(Told(is_now - was, was - is_now))
        return True

    def let_time_pass(self, seconds: int) -> list[str]:
        """Run what is due, in order."""
        super().let_time_pass(seconds)
        self.delayed.sort(key=lambda one: one[:2])
        while self.delayed and self.delayed[0][0] <= self.now:
            _, number, update = self.delayed.pop(0)
            if not self.update(update):
                self.failed.append(number)
        return []

    def subscribe(self, name: str, query: NaiveQuery) -> None:
        """The same text again changes nothing."""
        if name not in self.heard:
            self.heard[name] = HeardAnswers(self.ended.get(name, 0), query=query)
            self._tell_whole(self.heard[name])

    def pause(self, name: str, is_paused: bool) -> None:
        """Whoever goes on is told the whole answer."""
        if self.heard[name].is_paused and not is_paused:
            self._tell_whole(self.heard[name])
        super().pause(name, is_paused)

    def _tell_whole(self, one: HeardAnswers) -> None:
        one.told.append(Told(one.query.answer(self.lamps), Counter(), is_whole=True))
