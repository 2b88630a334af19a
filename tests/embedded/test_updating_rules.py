"""Rules that update the graph of a broker."""

import pytest
from pyoxigraph import Literal, NamedNode

from purport import Event, Statement
from purport.embedded.broker import Broker
from purport.model.term import Resource, Text
from purport.sparql.errors import SparqlSyntaxError
from tests.embedded.lamps import (
    solutions,
    values,
)

RULE = (
    'when {heat > 30, room = $room} as hot update "'
    "DELETE { ?r <urn:hot> ?old } INSERT { <urn:house> <urn:hot> $room } "
    'WHERE { OPTIONAL { ?r <urn:hot> ?old } }"'
)
HOT = "SELECT ?room WHERE { <urn:house> <urn:hot> ?room }"


def test_a_rule_updates_together_with_the_event_that_made_it_do_so(broker: Broker) -> None:
    broker.subscribe(RULE)
    hot = broker.subscribe(HOT, name="rooms")

    broker.publish_all([{"@id": "e1", "heat": 31, "room": 7}, {"heat": 32, "room": "kitchen"}])

    whole, first, second = hot.waiting()
    assert list(whole.added) == [] and first.causes == ("e1",)
    assert first.added[0]["room"] == Literal(7)
    assert values(second.added, "room") == ["kitchen"] and values(second.removed, "room") == ["7"]


@pytest.mark.parametrize(
    "said",
    [
        'x" } ; DROP ALL #',
        "x' } ; DROP ALL #",
        "> } ; DROP ALL ; INSERT DATA { <urn:a> <urn:b> <urn:c",
        'line\nbreak \\ and " and \t and \u2028',
        "$room ?r _:b <urn:x>",
    ],
)
def test_what_an_event_says_stays_one_term_whatever_it_says(broker: Broker, said: str) -> None:
    broker.update("INSERT DATA { <urn:keep> <urn:me> 1 }")
    broker.subscribe(RULE)

    broker.publish({"heat": 31, "room": said})

    assert solutions(broker, HOT) == [{"room": Literal(said)}]
    assert bool(broker.query("ASK { <urn:keep> <urn:me> 1 }"))
    assert broker.failures() == []


def test_a_dollar_in_a_string_of_a_rule_is_text_and_iris_stay_iris(broker: Broker) -> None:
    broker.subscribe("when {who = $who} as said update \"INSERT DATA { $who <urn:costs> '$who' }\"")

    broker.publish(Event((Statement(Text("who"), Resource("urn:ada")),)))
    broker.publish({"@id": "e2", "who": "Ada"})

    assert solutions(broker, "SELECT ?s ?o WHERE { ?s <urn:costs> ?o }") == [
        {"s": NamedNode("urn:ada"), "o": Literal("$who")}
    ]
    [failure] = broker.failures()  # a text is no subject
    assert failure.event_id == "e2"


def test_a_rule_that_cannot_update_is_recorded_and_the_rest_goes_on(broker: Broker) -> None:
    broker.subscribe('when {a > 0} as nameless update "INSERT DATA { <urn:a> <urn:b> $missing }"')
    broker.subscribe('when {a > 0} as once update "CREATE GRAPH <urn:g>"')
    heard = broker.subscribe("{a > 0}")

    broker.publish_all([{"@id": "e1", "a": 1}, {"@id": "e2", "a": 1}])

    assert len(list(heard.waiting())) == 2
    failures = [(one.subscription_id, one.event_id) for one in broker.failures()]
    assert failures == [("nameless", "e1"), ("nameless", "e2"), ("once", "e2")]
    with pytest.raises(SparqlSyntaxError):
        broker.subscribe('when {a > 0} as bad update "INSERT DATA { $a }"')


def test_several_values_under_a_name_are_all_taken_in(broker: Broker) -> None:
    broker.subscribe(
        'when {kind = list} as each update "INSERT DATA { <urn:list> <urn:has> $item }"'
    )

    broker.publish({"kind": "list", "item": [1, 2.5, True, "two"]})

    found = solutions(broker, "SELECT ?o WHERE { <urn:list> <urn:has> ?o }")
    assert values(found, "o") == ["1", "2.5", "true", "two"]
