"""How much is done for an update: as much as it touches, however large the rest is."""

import sys
from collections.abc import Iterable
from types import FrameType

import pytest

from purport.sparql import Engine, MemoryStore
from purport.sparql.graph_store import WHOLE, Answer, Dataset
from purport.sparql.terms import Fact, Graph, Subject, Term

LAMPS_A_ROAD = 5
PREFIX = "PREFIX : <urn:> "

KEPT = {  # every answer is another one when a lamp that was dimmed to 6 is dimmed to 7
    "basic": "SELECT ?l ?d { ?l :dim ?d . ?p :lamp ?l . :road1 :post ?p }",
    "filter": "SELECT ?l { ?l :dim ?d FILTER(?d > 6 && STRLEN(STR(?l)) > 3) }",
    "bind": "SELECT ?l ?e { ?l :dim ?d BIND(?d * 2 AS ?e) }",
    "values": "SELECT ?l { VALUES ?r { :road1 :road2 } ?r :post ?p . ?p :lamp ?l . ?l :dim 7 }",
    "join": "SELECT ?l ?d { { ?l :dim ?d } { SELECT ?l { ?p :lamp ?l } } }",
    "optional": "SELECT ?p ?d { ?p :lamp ?l OPTIONAL { ?l :dim ?d FILTER(?d > 3) } }",
    "union": "SELECT ?l { { ?l :dim 7 } UNION { ?l :colour ?c } }",
    "minus": "SELECT ?l { ?p :lamp ?l MINUS { ?l :dim 7 } }",
    "exists": "SELECT ?l { ?p :lamp ?l FILTER EXISTS { ?l :dim ?d FILTER(?d > 6) } }",
    "not exists": "SELECT ?l { ?p :lamp ?l FILTER NOT EXISTS { ?l :dim 7 } }",
    "subquery": "SELECT ?r ?n { { SELECT ?r (MAX(?d) AS ?n) "
    "{ ?r :post ?p . ?p :lamp ?l . ?l :dim ?d } GROUP BY ?r } FILTER(?n > 5) }",
    "distinct": "SELECT DISTINCT ?d { ?l :dim ?d }",
    "group": "SELECT ?r (SUM(?d) AS ?n) { ?r :post ?p . ?p :lamp ?l . ?l :dim ?d } GROUP BY ?r "
    "HAVING(SUM(?d) > 0)",
    "count": "SELECT ?d (COUNT(?l) AS ?n) (COUNT(*) AS ?m) { ?l :dim ?d } GROUP BY ?d",
    "count of all": "SELECT (COUNT(*) AS ?n) { ?l :dim ?d FILTER(?d > 6) }",
    "path": "SELECT ?r ?d { ?r :post/:lamp/:dim ?d }",
    "alternative": "SELECT ?l ?d { ?l :dim|:colour ?d }",
    "ask": "ASK { ?l :dim 7 }",
    "construct": "CONSTRUCT { ?r :has ?d } { ?r :post/:lamp/:dim ?d }",
}


class CountingStore(MemoryStore):
    """Counts the questions it is asked, and the facts it gives out."""

    asked = 0
    given = 0

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        self.asked += 1
        return super().query(text, dataset)

    def matching(
        self,
        subject: Subject | None,
        predicate: "object",
        value: Term | None,
        graph: Graph | None,
    ) -> Iterable[Fact]:
        for fact in super().matching(subject, predicate, value, graph):  # type: ignore[arg-type]
            self.given += 1
            yield fact


def city(roads: int) -> str:
    """Roads with posts with lamps, all dimmed to 5."""
    triples = (
        f":road{r} :post :post{r}_{n} . :post{r}_{n} :lamp :lamp{r}_{n} . :lamp{r}_{n} :dim 5 ."
        for r in range(roads)
        for n in range(LAMPS_A_ROAD)
    )
    return f"{PREFIX} INSERT DATA {{ {' '.join(triples)} }}"


def dimmed(value: int) -> str:
    return (
        f"{PREFIX} DELETE {{ :lamp1_2 :dim ?d }} INSERT {{ :lamp1_2 :dim {value} }} "
        "WHERE { :lamp1_2 :dim ?d }"
    )


def calls_for(query: str, roads: int) -> tuple[int, CountingStore]:
    """The calls of functions, ours and Python's own, that an update takes of which one is told."""
    store = CountingStore()
    engine = Engine(store)
    engine.update(city(roads))
    live = engine.subscribe(PREFIX + query)
    assert engine.how(live.id) == "kept up to date"
    before = engine.update(dimmed(6))  # what is read once has been read
    store.asked = store.given = 0
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        news = engine.update(dimmed(7))
    finally:
        sys.setprofile(None)
    assert [(one.subscription_id, one.sequence) for one in news] == [(live.id, len(before) + 1)]
    assert news[0].added or news[0].removed
    return calls, store


@pytest.mark.parametrize("feature", KEPT)
def test_the_work_for_an_update_does_not_grow_with_the_city(feature: str) -> None:
    in_town, _ = calls_for(KEPT[feature], 4)
    in_city, store = calls_for(KEPT[feature], 80)

    assert in_city <= in_town * 1.2 + 20
    assert store.asked == 0
    assert store.given <= 2


def test_the_work_for_an_update_does_not_grow_with_the_subscriptions() -> None:
    def calls(subscriptions: int) -> int:
        engine = Engine()
        engine.update(city(10))
        for number in range(subscriptions):
            engine.subscribe(f"{PREFIX}SELECT ?d {{ :lamp{number}_2 :dim ?d }}")
            engine.subscribe(
                f"{PREFIX}SELECT ?l ?d {{ :road{number} :post/:lamp ?l . ?l :dim ?d "
                "FILTER(?d > 6) }"
            )
        engine.update(dimmed(6))
        made = 0

        def count(frame: FrameType, event: str, argument: object) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            news = engine.update(dimmed(7))
        finally:
            sys.setprofile(None)
        assert len(news) == 2
        return made

    assert calls(1_000) <= calls(5) * 1.1


def test_what_nobody_asks_for_is_not_kept() -> None:
    engine = Engine()
    engine.update(city(4))
    one, other = (
        f"{PREFIX}SELECT ?p ?l {{ :road{road} :post ?p . ?p :lamp ?l }}" for road in (1, 2)
    )
    engine.subscribe(one)
    kept = engine.kept_facts

    engine.update(f"{PREFIX}INSERT DATA {{ :road2 :post :new }}")
    assert engine.kept_facts == kept
    live = engine.subscribe(other)
    assert engine.kept_facts == kept + LAMPS_A_ROAD + 1
    engine.unsubscribe(live.id)
    assert engine.kept_facts == kept


def test_queries_that_differ_in_constants_are_read_once() -> None:
    engine = Engine()
    for number in range(100):
        engine.subscribe(f"SELECT ?v WHERE {{ <urn:lamp{number}> <urn:dim> ?v }}")
        engine.update(
            f"DELETE {{ <urn:lamp{number}> <urn:dim> ?v }} INSERT {{ <urn:lamp{number}> <urn:dim> "
            f"'{number}' }} WHERE {{ <urn:lamp{number}> <urn:dim> ?v }}"
        )

    assert engine.read_texts == 2


def test_a_store_keeps_as_quick_as_it_was_however_often_it_is_updated() -> None:
    store = MemoryStore()
    engine = Engine(store)
    engine.update("INSERT DATA { <urn:lamp> <urn:dim> 0 . <urn:lamp2> <urn:dim> 0 }")

    for number in range(3_000):
        engine.update(
            "DELETE { <urn:lamp> <urn:dim> ?v } "
            f"INSERT {{ <urn:lamp> <urn:dim> {number + 1} }} WHERE {{ <urn:lamp> <urn:dim> ?v }}"
        )

    assert store.renewals == 5  # after every 584 versions of one value
    [solution] = engine.query("SELECT ?v WHERE { <urn:lamp> <urn:dim> ?v }")  # type: ignore[misc]
    assert solution["v"].value == "3000"
    assert engine.query("ASK { <urn:lamp2> <urn:dim> 0 }")
