"""A broker with an ontology: subscriptions to classes, before and after a restart."""

from pathlib import Path

import pytest

from purport import InvalidInput
from purport.embedded.broker import Broker
from tests.strategies.wine_cellar import cellar_file


def test_a_broker_judges_classes_by_its_ontology(tmp_path: Path) -> None:
    with Broker.in_memory(ontology=cellar_file(tmp_path)) as broker:
        wines = broker.subscribe("{drink isa Claret, price < 9} as wines")

        broker.publish({"drink": "Merlot", "price": 5})
        broker.publish({"drink": "beer", "price": 5})
        broker.publish({"drink": {"type": "Merlot"}, "price": 5})

        assert [str(one.match.event.statements[0]) for one in wines.waiting()] == [
            "drink: Merlot",
            "drink.type: Merlot",
        ]
        with pytest.raises(InvalidInput, match="the ontology knows no class 'Whine'"):
            broker.subscribe("{drink isa Whine}")


def test_a_durable_subscription_to_a_class_goes_on_after_a_restart(tmp_path: Path) -> None:
    ontology = cellar_file(tmp_path)
    with Broker.open(tmp_path / "kept", ontology=ontology) as broker:
        broker.subscribe("{drink isa Wine} as wines")

    with Broker.open(tmp_path / "kept", ontology=ontology) as broker:
        receipt = broker.publish({"drink": "Chateau"})

    assert receipt.notified == 1


def test_without_an_ontology_a_broker_refuses_classes() -> None:
    with (
        Broker.in_memory() as broker,
        pytest.raises(InvalidInput, match="drink isa Wine asks an ontology, and none is given"),
    ):
        broker.subscribe("{drink isa Wine}")
