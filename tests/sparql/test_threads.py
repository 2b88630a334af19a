"""Two threads, each with its own updates and subscriptions, on one engine."""

import sys
import threading
from collections import Counter
from collections.abc import Iterator

import pytest
from pyoxigraph import Store

from purport.sparql import Engine, LiveQuery, Notification
from tests.oracles.requery_engine import answer, row, take_over
from tests.sparql.requery import named_graphs_of, quads_of

_UPDATES = 150
_EVERY = 10  # updates of a thread, it subscribes once
QUERIES = [
    "SELECT ?s ?v WHERE { ?s <urn:p> ?v }",
    "SELECT ?s WHERE { ?s <urn:p> ?v ; <urn:q> ?w FILTER(?v > 3) }",
    "SELECT ?s ?w WHERE { ?s <urn:p> ?v OPTIONAL { ?s <urn:q> ?w } }",
    "SELECT ?v (COUNT(?s) AS ?n) WHERE { ?s <urn:p> ?v } GROUP BY ?v",
    "SELECT DISTINCT ?v WHERE { ?s <urn:p> ?v MINUS { ?s <urn:q> 1 } }",
    "SELECT ?z WHERE { <urn:s0> (<urn:p>|<urn:q>)* ?z }",
    "SELECT (SUM(?v) AS ?n) WHERE { ?s <urn:p> ?v }",
    "ASK { ?s <urn:p> 7 }",
]


class Client:
    """A thread's work: updates, subscriptions, and all that it was told while it did them."""

    def __init__(self, number: int, engine: Engine, start: threading.Barrier) -> None:
        self.live: list[tuple[str, LiveQuery]] = []
        self.told: list[Notification] = []
        self.failed: list[BaseException] = []
        self._number, self._engine, self._start = number, engine, start

    def work(self) -> None:
        try:
            self._start.wait()
            for step in range(_UPDATES):
                if step % _EVERY == 0:
                    text = QUERIES[(step // _EVERY + self._number) % len(QUERIES)]
                    self.live.append((text, self._engine.subscribe(text)))
                self.told += self._engine.update(self._update(step))
        except BaseException as error:  # noqa: BLE001 - a thread's failure is the test's
            self.failed.append(error)

    def _update(self, step: int) -> str:
        """Facts of nodes of its own, and at times of one that both threads change."""
        node = "<urn:s0>" if step % 3 == 0 else f"<urn:s{1 + 2 * (step % 5) + self._number}>"
        if step % 7 == 6:
            return f"DELETE WHERE {{ {node} <urn:q> ?v }}"
        predicate = "<urn:p>" if step % 2 else "<urn:q>"
        return (
            f"DELETE {{ {node} {predicate} ?v }} INSERT {{ {node} {predicate} {step % 9} }} "
            f"WHERE {{ OPTIONAL {{ {node} {predicate} ?v }} }}"
        )


@pytest.fixture
def eager_switches() -> Iterator[None]:
    """Threads take turns often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_switches")
def test_two_threads_that_update_and_subscribe_at_once_lose_nothing() -> None:
    engine, start = Engine(), threading.Barrier(2)
    clients = [Client(number, engine, start) for number in range(2)]
    threads = [threading.Thread(target=client.work) for client in clients]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [error for client in clients for error in client.failed] == []
    truth = Store()
    take_over(truth, quads_of(engine), named_graphs_of(engine))
    told = [news for client in clients for news in client.told]
    for text, live in (one for client in clients for one in client.live):
        mine = sorted((n for n in told if n.subscription_id == live.id), key=lambda n: n.sequence)
        assert [news.sequence for news in mine] == list(range(1, len(mine) + 1))
        known = Counter(map(row, live.initial))
        for news in mine:
            removed = Counter(map(row, news.removed))
            assert removed <= known
            known = known - removed + Counter(map(row, news.added))
        assert known == answer(truth, text), text
    assert len(told) > _UPDATES
