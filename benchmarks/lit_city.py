"""The lit city in three hands: an engine with subscriptions, a bare store, and a naive rival."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pyoxigraph import QuerySolutions, Store

from benchmarks.city_lighting import city, quads
from purport.sparql import Engine, MemoryStore

Rows = Counter[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class News:
    """What the subscription of a number is told."""

    number: int
    added: Rows
    removed: Rows


@dataclass(frozen=True, slots=True)
class _Subscriber:
    number: int
    variables: Sequence[str]

    def rows(self, bindings: Sequence[Mapping[str, object]]) -> Rows:
        return Counter(tuple(one[name] for name in self.variables) for one in bindings)


@dataclass(eq=False)
class LitCity:
    """An engine over the city, and who subscribed."""

    engine: Engine = field(default_factory=lambda: Engine(MemoryStore.filled(quads())))
    told: int = 0  # notifications, by all that was run
    _subscribers: dict[str, _Subscriber] = field(default_factory=dict)

    @classmethod
    def subscribed(cls, texts: Iterable[str]) -> LitCity:
        """A new city with these subscriptions, in order."""
        found = cls()
        found.subscribe(texts)
        return found

    def subscribe(self, texts: Iterable[str]) -> None:
        for text in texts:
            live = self.engine.subscribe(text)
            self._subscribers[live.id] = _Subscriber(len(self._subscribers), live.variables)

    def run(self, texts: Sequence[str]) -> int:
        """Run updates; how many notifications they gave."""
        update = self.engine.update
        told = sum([len(update(text)) for text in texts])
        self.told += told
        return told

    def news(self, text: str) -> list[News]:
        """Who is told what of an update, in the order of the subscriptions."""
        told = []
        for notification in self.engine.update(text):
            subscriber = self._subscribers[notification.subscription_id]
            added, removed = map(subscriber.rows, (notification.added, notification.removed))
            told.append(News(subscriber.number, added, removed))
        return sorted(told, key=lambda one: one.number)


class NaiveRival:
    """Asks every query again after every update, and compares the answers."""

    def __init__(self, queries: Sequence[str]) -> None:
        self._store, self._queries = city(), queries
        self._answers = [_rows(self._store, query) for query in queries]

    def news(self, *texts: str) -> list[News]:
        """Who would be told what of an update, or of several as one."""
        run_bare(self._store, texts)
        return list(self._differences())

    def _differences(self) -> Iterator[News]:
        for number, query in enumerate(self._queries):
            now, before = _rows(self._store, query), self._answers[number]
            if now != before:
                self._answers[number] = now
                yield News(number, now - before, before - now)


def _rows(store: Store, query: str) -> Rows:
    found = store.query(query)
    assert isinstance(found, QuerySolutions)
    return Counter(map(tuple, found))


def run_bare(store: Store, texts: Sequence[str]) -> None:
    """Run updates on a store without an engine; each is atomic."""
    for text in texts:
        store.update(text)
