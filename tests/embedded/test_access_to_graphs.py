"""Who may read and change which graphs of a broker."""

from pathlib import Path

import pytest

from purport.broker.access import AccessRule, AccessRules, Action, Effect, Forbidden
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from tests.embedded.brokers import exact
from tests.embedded.lamps import (
    DIMS,
    current,
    rows,
    set_dim,
    solutions,
    values,
)


def test_access_rules_hold_for_graphs() -> None:
    rules = AccessRules(
        (
            AccessRule(frozenset({"ann"}), frozenset({Action.UPDATE}), graphs=("urn:ann:*",)),
            AccessRule(frozenset({"ann"}), frozenset({Action.SUBSCRIBE}), graphs=("urn:ann:1",)),
            AccessRule(frozenset({"all"}), frozenset(Action)),
            AccessRule(frozenset({"most"}), frozenset(Action)),
            AccessRule(
                frozenset({"most"}), frozenset(Action), graphs=("urn:secret",), effect=Effect.DENY
            ),
        )
    )
    with Broker.in_memory(matcher=exact, settings=BrokerSettings(access=rules)) as broker:
        broker.update(
            "INSERT DATA { <urn:a> <urn:b> 1 GRAPH <urn:secret> { <urn:a> <urn:b> 2 } "
            "GRAPH <urn:ann:1> { <urn:a> <urn:b> 3 } }",
            publisher="all",
        )
        broker.update("INSERT DATA { GRAPH <urn:ann:2> { <urn:a> <urn:b> 4 } }", publisher="ann")
        before = broker.sequence
        for who, text in (
            ("ann", "INSERT DATA { <urn:a> <urn:b> 5 }"),
            ("ann", "DELETE WHERE { GRAPH <urn:secret> { ?s ?p ?o } }"),
            ("ann", "INSERT { GRAPH <urn:ann:1> { ?s ?p ?o } } WHERE { ?s ?p ?o }"),
            ("ann", "INSERT { GRAPH <urn:ann:1> { ?s ?p ?o } } WHERE { GRAPH ?g { ?s ?p ?o } }"),
            ("ann", "COPY <urn:secret> TO <urn:ann:1>"),
            ("most", "COPY <urn:secret> TO <urn:ann:1>"),
            ("nobody", "INSERT DATA { <urn:a> <urn:b> 5 }"),
        ):
            with pytest.raises(Forbidden):
                broker.update(text, publisher=who)
        for who, text in (
            ("ann", "SELECT * { ?s ?p ?o }"),
            ("ann", "SELECT * FROM <urn:secret> { ?s ?p ?o }"),
            ("most", "SELECT * { GRAPH ?g { ?s ?p ?o } }"),
            ("most", "PREFIX u: <urn:> SELECT * FROM NAMED u:secret { GRAPH ?g { ?s ?p ?o } }"),
            ("nobody", "ASK {}"),
        ):
            with pytest.raises(Forbidden):
                broker.query(text, who=who)
            with pytest.raises(Forbidden):
                broker.subscribe(text, owner=who)
        assert broker.sequence == before

        own = broker.subscribe("SELECT ?o FROM <urn:ann:1> { ?s ?p ?o }", owner="ann")
        assert bool(broker.query("ASK { GRAPH ?g { ?s ?p 2 } }", who="all"))
        broker.update("INSERT DATA { GRAPH <urn:ann:1> { <urn:a> <urn:b> 6 } }", publisher="ann")
        assert [values(one.added, "o") for one in own.waiting()] == [["3"], ["6"]]


@pytest.mark.parametrize(
    "text",
    [
        "INSERT DATA { GRAPH <urn:secret> { <urn:a> <urn:b> 1 } }",
        "DELETE DATA { GRAPH <urn:secret> { <urn:a> <urn:b> 2 } }",
        "INSERT { GRAPH ?g { <urn:a> <urn:b> 1 } } WHERE { BIND(<urn:secret> AS ?g) }",
        "WITH <urn:secret> INSERT { <urn:a> <urn:b> 1 } WHERE {}",
        "ADD DEFAULT TO <urn:secret>",
        "CREATE GRAPH <urn:secret>",
        "CLEAR GRAPH <urn:other> ; DROP SILENT GRAPH <urn:none>",
    ],
)
def test_a_refusal_does_not_tell_what_is_in_a_graph(text: str) -> None:
    closed = AccessRules(
        (
            AccessRule(frozenset({"all"}), frozenset(Action)),
            AccessRule(frozenset({"ann"}), frozenset(Action), graphs=("default",)),
        )
    )
    with Broker.in_memory(matcher=exact, settings=BrokerSettings(access=closed)) as broker:
        broker.update(
            "INSERT DATA { GRAPH <urn:secret> { <urn:a> <urn:b> 1 } } ; CREATE GRAPH <urn:other>",
            publisher="all",
        )
        before = broker.sequence

        with pytest.raises(Forbidden):
            broker.update(text, publisher="ann")

        assert broker.sequence == before


def test_a_query_whose_owner_may_no_longer_know_is_paused(tmp_path: Path) -> None:
    others = AccessRules((AccessRule(frozenset({"bob"}), frozenset(Action)),))
    closed = BrokerSettings(access=others)
    with Broker.open(tmp_path, matcher=exact) as broker:
        broker.subscribe(DIMS, name="lamps", owner="ann")
    with Broker.open(tmp_path, matcher=exact, settings=closed) as broker:
        assert broker.update(set_dim(1, 1), publisher="bob").notified == 0
        assert broker.registration("lamps", who="ann").is_paused
        with pytest.raises(Forbidden, match="ann may not subscribe"):
            broker.resume("lamps", who="ann")
    with Broker.open(tmp_path, matcher=exact) as broker:
        broker.resume("lamps", who="ann")
        broker.update(set_dim(1, 2))

        told = list(broker.subscriber("lamps").waiting())
        assert [one.change.is_whole for one in told] == [True, True, False]
        assert current(told) == rows(solutions(broker, DIMS))
