"""Where events are kept, and how they are matched: what the paper compares."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Protocol

from purport.errors import InvalidInput
from purport.evaluation.kbn.workload import Cellar
from purport.matching.matcher import Matcher
from purport.model.event import Event
from purport.model.interval import microseconds_of
from purport.model.subscription import Subscription
from purport.storage.opening_history import open_sql_history, open_sqlite_history
from purport.storage.sql_history import SqlHistory
from purport.temporal.engine import Mark, TemporalEngine
from purport.temporal.history import MemoryHistory
from purport.temporal.occurrence import Occurrence, report_of
from purport.temporal.stored_answers import StoredAnswers

LIVE = "live engine, memory"
IN_PROCESS, IN_DATABASE = "in process", "in the database"
_AT_ONCE = 1_000


class Store(Protocol):
    """Keeps what is published, and says whom it answers."""

    label: str

    @property
    def sequence(self) -> int:
        """That of the last publication."""

    def fill(self, occurrences: Iterator[Occurrence], count: int) -> None:
        """Keep so many events, and tell nobody."""

    def subscribe(self, subscriptions: Sequence[Subscription]) -> None:
        """Have these subscribers, and no others."""

    def publish(self, event: Event) -> int:
        """Take a report; how many subscribers it answers."""

    def clear(self) -> None:
        """Forget all events."""


class LiveStore:
    """The live engine, which keeps up with what happens."""

    label = LIVE

    def __init__(self, cellar: Cellar) -> None:
        self._cellar = cellar
        self._begin()

    def _begin(self) -> None:
        self._sequence = 0
        self._engine = self._made(MemoryHistory())

    @property
    def sequence(self) -> int:
        return self._sequence

    def _made(self, history: MemoryHistory) -> TemporalEngine:
        return TemporalEngine(
            lambda: Matcher(measure="exact", ontology=self._cellar.ontology), history=history
        )

    def fill(self, occurrences: Iterator[Occurrence], count: int) -> None:
        history, some = MemoryHistory(), list(islice(occurrences, count))
        history.keep(some, self._sequence + count)
        self._engine = self._made(history)
        self._engine.mark = Mark(max(one.end or one.start for one in some))
        self._sequence += count

    def subscribe(self, subscriptions: Sequence[Subscription]) -> None:
        assert isinstance(self._engine.history, MemoryHistory)
        mark, history = self._engine.mark, self._engine.history
        self._engine = self._made(history)
        self._engine.mark = mark
        self._engine.add_all({str(n): one for n, one in enumerate(subscriptions)})

    def publish(self, event: Event) -> int:
        self._sequence += 1
        return len(self._engine.take(event, _time(event)).detections)

    def clear(self) -> None:
        self._begin()


@dataclass(slots=True, eq=False)
class AskedStore:
    """A history in a database, asked anew for each publication; matched here or there."""

    label: str
    history: SqlHistory
    answers: StoredAnswers
    subscriptions: Sequence[Subscription] = ()

    @property
    def sequence(self) -> int:
        return self.history.applied

    def fill(self, occurrences: Iterator[Occurrence], count: int) -> None:
        while count > 0 and (some := list(islice(occurrences, min(count, _AT_ONCE)))):
            self.history.keep(some, self.history.applied + len(some))
            count -= len(some)

    def subscribe(self, subscriptions: Sequence[Subscription]) -> None:
        self.subscriptions = subscriptions

    def publish(self, event: Event) -> int:
        report = report_of(event, microseconds_of(_time(event)))
        assert report.id is not None
        sequence = self.history.applied + 1
        known = self.history.find(report.id)
        one = report.begun(report.id, sequence) if known is None else report.ends(known)
        assert one is not None
        self.history.keep([one], sequence)
        return sum(found is not None for found in self.answers.answers(self.subscriptions, one))

    def clear(self) -> None:
        self.history.drop(most=0)


def database_stores(name: str, history: SqlHistory, cellar: Cellar) -> list[Store]:
    """The two ways to ask one history."""
    matcher = Matcher(measure="exact", ontology=cellar.ontology)
    return [
        AskedStore(
            f"{name}, {way}",
            history,
            StoredAnswers(history, matcher, in_database=way == IN_DATABASE),
        )
        for way in (IN_PROCESS, IN_DATABASE)
    ]


@dataclass(frozen=True, slots=True)
class Databases:
    """Where the databases are; SQLite is always there."""

    folder: Path
    postgres: str | None = None
    mariadb: str | None = None


def opened_stores(databases: Databases, cellar: Cellar, opened: ExitStack) -> list[Store]:
    """All that are compared, each of them empty; `opened` lets go of them."""
    stores: list[Store] = [LiveStore(cellar)]
    histories = {"SQLite": open_sqlite_history(databases.folder / "history.sqlite")}
    for name, url in (("PostgreSQL", databases.postgres), ("MariaDB", databases.mariadb)):
        if url is not None:
            histories[name] = open_sql_history(url)
    for name, history in histories.items():
        opened.callback(history.close)
        if next(history.all(), None) is not None:
            raise InvalidInput(f"{name}: there are events in the database; give an empty one")
        opened.callback(history.drop, most=0)
        stores += database_stores(name, history, cellar)
    return stores


def versions(stores: Sequence[Store]) -> dict[str, str]:
    """The machine and the programs that were measured."""
    found = {
        "purport": version("purport"),
        "Python": platform.python_version(),
        platform.system(): platform.machine(),
        "processors": str(os.cpu_count()),
    }
    for store in stores:
        if isinstance(store, AskedStore):
            told = store.history.database.engine.dialect.server_version_info or ()
            found[store.label.partition(",")[0]] = ".".join(map(str, told))
    return found


def _time(event: Event) -> datetime:
    """When a report comes: as soon as it can be told."""
    assert event.interval is not None
    time = event.interval.end or event.interval.start
    assert time is not None
    return time
