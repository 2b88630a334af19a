"""Threads around an engine, each with its own updates and subscriptions, and threads within."""

import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Store

from purport.sparql import Engine, LiveQuery, MemoryStore, Notification
from purport.sparql.graph_store import WHOLE, Answer, Dataset
from tests.oracles.requery_engine import Row, answer, row, take_over
from tests.sparql.requery import named_graphs_of, quads_of
from tests.strategies.sparql import requests

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


ASKED_AGAIN = [
    "SELECT ?s ?z WHERE { ?s <urn:p>+ ?z }",
    "SELECT ?z WHERE { <urn:a> (<urn:p>|<urn:q>)* ?z }",
    "SELECT ?s ?z WHERE { ?s !<urn:p> ?z }",
    "SELECT ?s ?o WHERE { ?s <urn:p> ?o } ORDER BY ?s ?o LIMIT 2",
    "SELECT ?s WHERE { { SELECT ?s WHERE { ?s ?p ?o } ORDER BY ?s OFFSET 1 } }",
    "SELECT ?g WHERE { GRAPH ?g {} }",
    "SELECT ?s ?o FROM <urn:g> FROM <urn:h> WHERE { ?s <urn:p> ?o }",
    "ASK { <urn:a> <urn:p>+ <urn:b> }",
    "CONSTRUCT { ?s <urn:reaches> ?z } WHERE { ?s <urn:p>+ ?z }",
    "DESCRIBE <urn:a>",
]


@pytest.fixture(scope="module")
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as threads:
        yield threads


def heard(news: Iterable[Notification]) -> list[tuple[str, int, Counter[Row], Counter[Row]]]:
    """Notifications in their order, to be compared."""
    return [
        (
            one.subscription_id,
            one.sequence,
            Counter(map(row, one.added)),
            Counter(map(row, one.removed)),
        )
        for one in news
    ]


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(ASKED_AGAIN), min_size=2, unique=True),
    st.lists(requests, min_size=1, max_size=5),
)
def test_queries_asked_at_the_same_time_tell_what_they_tell_one_by_one(
    executor: ThreadPoolExecutor, texts: list[str], updates: list[str]
) -> None:
    alone, together = Engine(), Engine(executor=executor)
    beginning = alone.change_of(
        "INSERT DATA { <urn:a> <urn:p> <urn:b>, 1 . <urn:b> <urn:p> <urn:c> ; <urn:q> <urn:a> }"
    )
    for engine in (alone, together):
        engine.apply(beginning)
        for text in (*texts, QUERIES[0]):
            live = engine.subscribe(text)
            assert engine.how(live.id).startswith("asked again") == (text in texts)
    for update in updates:
        change = alone.change_of(update)  # once: nodes without names have one name for both

        assert heard(together.apply(change)) == heard(alone.apply(change))


def test_queries_that_are_asked_again_are_asked_at_the_same_time(
    executor: ThreadPoolExecutor,
) -> None:
    class Meeting(MemoryStore):
        """Answers when two have asked."""

        meeting: threading.Barrier | None = None

        def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
            if self.meeting is not None:
                self.meeting.wait(timeout=60)
            return super().query(text, dataset)

    store = Meeting()
    engine = Engine(store, executor=executor)
    for text in ("SELECT ?z WHERE { <urn:a> <urn:p>+ ?z }", "ASK { <urn:a> <urn:p>+ 1 }"):
        engine.subscribe(text)
    store.meeting = threading.Barrier(2)

    assert len(engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")) == 2
