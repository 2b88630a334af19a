"""Stores that fail, and texts that would fetch something: the engine goes on, nothing is lost."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Store

from purport.errors import PurportError
from purport.sparql import Engine, MemoryStore, Notification
from purport.sparql.change import Change
from purport.sparql.errors import NotAllowed, StoreFailed
from purport.sparql.graph_store import WHOLE, Answer, Dataset
from purport.sparql.terms import Fact
from tests.oracles.requery_engine import answer, row

JOIN = "SELECT ?b ?c { ?a <urn:p> ?b . ?b <urn:q> ?c }"
AGAIN = "SELECT ?b { <urn:a> <urn:p>+ ?b }"


class FlakyStore(MemoryStore):
    """A store that does what it is told, and can be told to fail."""

    fails_to_answer = False
    fails_to_match = 0  # at which call
    fails_after_apply = False
    asked = 0

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        self.asked += 1
        if self.fails_to_answer:
            raise StoreFailed("down")
        return super().query(text, dataset)

    def matching(self, *asked: Any) -> Iterable[Fact]:
        if self.fails_to_match:
            self.fails_to_match -= 1
            if not self.fails_to_match:
                raise StoreFailed("down")
        return super().matching(*asked)

    def apply(self, change: Change) -> None:
        super().apply(change)
        if self.fails_after_apply:
            raise StoreFailed("no answer came")


def rows(bindings: Iterable[Any]) -> list[Any]:
    return sorted(map(sorted, map(row, bindings)))


def test_after_somebody_else_has_written_everybody_is_told_the_whole_answer() -> None:
    store = Store()
    engine = Engine(MemoryStore(store))
    live = engine.subscribe(JOIN)
    engine.update("INSERT DATA { <urn:a> <urn:p> <urn:b> }")
    store.add(Quad(NamedNode("urn:b"), NamedNode("urn:q"), Literal(1)))

    [news] = engine.resync()

    assert (news.subscription_id, news.sequence, news.is_whole) == (live.id, 1, True)
    assert len(news.added) == 1
    [more] = engine.update("INSERT DATA { <urn:b> <urn:q> 2 }")
    assert (more.sequence, len(more.added), more.is_whole) == (2, 1, False)


def test_updates_after_a_resync_find_what_is_there_now() -> None:
    engine = Engine()
    engine.update("INSERT DATA { <urn:a> <urn:p> 0 ; <urn:q> 0 }")
    engine.subscribe("SELECT ?v { ?s <urn:p> ?v ; <urn:q> ?w }")
    engine.resync()

    for value in (1, 2):
        [news] = engine.update(
            f"DELETE {{ <urn:a> <urn:p> ?v }} INSERT {{ <urn:a> <urn:p> {value} }} "
            "WHERE { <urn:a> <urn:p> ?v }"
        )

        assert (news.removed, news.added) == ([{"v": Literal(value - 1)}], [{"v": Literal(value)}])


def test_a_resync_that_fails_leaves_everything_as_it_is() -> None:
    store = FlakyStore()
    engine = Engine(store)
    live = engine.subscribe(JOIN)
    store.fails_to_answer = True

    with pytest.raises(StoreFailed):
        engine.resync()
    store.fails_to_answer = False

    assert len(engine.update("INSERT DATA { <urn:a> <urn:p> <urn:b> . <urn:b> <urn:q> 1 }")) == 1
    engine.unsubscribe(live.id)


def test_an_update_of_which_no_answer_came_is_found_out_about_with_the_next_one() -> None:
    store = FlakyStore()
    engine = Engine(store)
    live = engine.subscribe("SELECT ?o { <urn:a> <urn:p> ?o }")
    store.fails_after_apply = True
    with pytest.raises(StoreFailed, match="no answer came"):
        engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    store.fails_after_apply = False

    [whole] = engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")

    assert (whole.subscription_id, whole.is_whole, whole.sequence) == (live.id, True, 1)
    assert len(whole.added) == 1
    [news] = engine.update("INSERT DATA { <urn:a> <urn:p> 2 }")
    assert (news.sequence, len(news.added)) == (2, 1)


def test_who_subscribes_after_a_failure_is_told_the_whole_answer_once() -> None:
    store = FlakyStore()
    engine = Engine(store)
    first = engine.subscribe("SELECT ?o { <urn:a> <urn:p> ?o }")
    store.fails_after_apply = True
    with pytest.raises(StoreFailed, match="no answer came"):
        engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    store.fails_after_apply = False

    second = engine.subscribe("SELECT ?s { ?s <urn:p> ?o }")
    told = engine.update("INSERT DATA { <urn:a> <urn:p> 2 }")

    assert len(second.initial) == 1
    assert [(one.subscription_id, one.sequence, one.is_whole, len(one.added)) for one in told] == [
        (first.id, 1, True, 1),
        (first.id, 2, False, 1),
        (second.id, 1, False, 1),
    ]


def test_what_would_change_is_found_in_what_is_there_after_a_failure() -> None:
    store = FlakyStore()
    engine = Engine(store)
    engine.update("INSERT DATA { <urn:a> <urn:p> 1 ; <urn:q> 1 }")
    engine.subscribe("SELECT ?v { ?s <urn:p> ?v ; <urn:q> ?w }")
    set_to = (
        "DELETE {{ <urn:a> <urn:p> ?v }} INSERT {{ <urn:a> <urn:p> {} }} "
        "WHERE {{ <urn:a> <urn:p> ?v }}"
    )
    store.fails_after_apply = True
    with pytest.raises(StoreFailed, match="no answer came"):
        engine.update(set_to.format(2))
    store.fails_after_apply = False

    change = engine.change_of(set_to.format(3))
    whole, news = engine.apply(change)

    assert (whole.is_whole, whole.added) == (True, [{"v": Literal(2)}])
    assert (news.removed, news.added) == ([{"v": Literal(2)}], [{"v": Literal(3)}])


@pytest.mark.parametrize("call", [1, 2, 3, 4])
def test_a_subscription_that_fails_half_way_leaves_nothing_behind(call: int) -> None:
    store = FlakyStore()
    engine = Engine(store)
    store.fails_to_match = call
    try:
        live = engine.subscribe(JOIN)
    except StoreFailed:
        store.fails_to_match = 0
        live = engine.subscribe(JOIN)

    [news] = engine.update("INSERT DATA { <urn:a> <urn:p> <urn:b> . <urn:b> <urn:q> 1 }")

    assert len(news.added) == 1
    engine.unsubscribe(live.id)
    assert engine.kept_facts == 0


def test_a_query_that_cannot_be_asked_again_is_asked_with_the_next_update() -> None:
    store = FlakyStore()
    engine = Engine(store)
    asked, kept = engine.subscribe(AGAIN), engine.subscribe("SELECT ?b { <urn:a> <urn:p> ?b }")
    store.fails_to_answer = True
    [news] = engine.update("INSERT DATA { <urn:a> <urn:p> <urn:b> }")
    assert news.subscription_id == kept.id
    store.fails_to_answer = False

    told = engine.update("INSERT DATA { <urn:x> <urn:y> 1 }")

    assert [(one.subscription_id, one.sequence, len(one.added)) for one in told] == [
        (asked.id, 1, 1)
    ]
    before = store.asked
    assert engine.update("INSERT DATA { <urn:x> <urn:y> 2 }") == []
    assert store.asked == before


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """An address of this machine, and what was asked there."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/x", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    "text",
    [
        "LOAD <{}> ; INSERT DATA {{ <urn:a> <urn:b> <<( <urn:a> <urn:b> 1 )>> }}",
        "LOAD SILENT <{}>",
        "INSERT {{ ?s <urn:p> 1 }} WHERE {{ SERVICE <{}> {{ ?s ?p ?o }} }}",
        "INSERT {{ ?s <urn:p> 1 }} WHERE {{ ?s <urn:\\u0061#b> ?y . SERVICE <{}> {{ ?s ?p ?o }} }}",
    ],
)
def test_no_update_fetches_anything(text: str) -> None:
    engine = Engine()
    engine.update("INSERT DATA { <urn:s> <urn:a#b> 1 }")

    with listening() as (address, asked), pytest.raises(PurportError):
        engine.update(text.format(address))

    assert asked == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * {{ SERVICE <{}> {{ ?s ?p ?o }} }}",
        "SELECT * {{ OPTIONAL {{ ?x <urn:\\u0061#b> ?y }} SERVICE <{}> {{ ?s ?p ?o }} }}",
        "SELECT * {{ ?x <urn:?a&&b#c> ?y . SERVICE # there\n SILENT <{}> {{ ?s ?p ?o }} }}",
    ],
)
def test_no_query_asks_another_service(text: str) -> None:
    engine = Engine()

    with listening() as (address, asked):
        for ask in (engine.query, engine.subscribe):
            with pytest.raises(NotAllowed):
                ask(text.format(address))

    assert asked == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?a { ?a <urn:p> ?b ; <urn:q> ?c ; <urn:r> ?d FILTER(?b<?c&&?d>?c) }",
        "SELECT ?a ?c { ?a <urn:p> ?b OPTIONAL { ?a <urn:q> ?c FILTER(?b<?c&&1>0) } }",
        "SELECT ?a { ?a <urn:p>?b . ?a<urn:q>?c FILTER(1<2&&?c>?b) }",
        "SELECT ?a { ?a <urn:\\u0070> ?b }",
    ],
)
def test_comparisons_without_spaces_and_escapes_are_read_as_the_store_reads_them(
    query: str,
) -> None:
    store = Store()
    engine = Engine(MemoryStore(store))
    live = engine.subscribe(query)
    known: list[Notification] = []

    for update in (
        "INSERT DATA { <urn:a> <urn:p> 1 ; <urn:q> 2 ; <urn:r> 3 }",
        "INSERT DATA { <urn:b> <urn:p> 2 ; <urn:q> 1 ; <urn:r> 0 }",
    ):
        known += engine.update(update)

    added = [one for news in known for one in news.added]
    removed = [one for news in known for one in news.removed]
    assert not live.initial
    assert known
    assert rows(added) == sorted([*map(sorted, answer(store, query).elements()), *rows(removed)])


def test_memory_does_not_grow_with_graphs_that_come_and_go() -> None:
    engine = Engine()
    live = engine.subscribe("SELECT ?g { GRAPH ?g { ?a <urn:p> ?b . ?b <urn:q> ?c } }")
    for number in range(300):
        engine.update(
            f"INSERT DATA {{ GRAPH <urn:g{number}> {{ <urn:a> <urn:other{number}> 1 }} }} ;"
            f"DROP GRAPH <urn:g{number}>"
        )
    for number in range(200):
        more = engine.subscribe(f"SELECT ?b {{ <urn:a{number}> <urn:x{number}> ?b . ?b ?c ?d }}")
        engine.unsubscribe(more.id)
    engine.unsubscribe(live.id)

    assert engine.kept_facts == 0
