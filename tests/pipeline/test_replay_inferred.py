"""A replay with the broker's ontology tells what queries were told of inferred facts."""

from pathlib import Path

from pyspark.sql import SparkSession

from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.model.class_expression import And, Named, Some
from purport.ontology.axioms import THING, Axioms, EquivalentClasses
from purport.ontology.ontology import Ontology
from purport.pipeline.jobs.replay import Replay
from purport.pipeline.journal.replayable import NamedQuery, Replayable
from tests.pipeline.test_replay_queries import replayed, told

VEHICLE, AIRCRAFT, WINGS = (Named(f"urn:{name}") for name in ("Vehicle", "Aircraft", "hasWings"))
ONTOLOGY = Ontology.of_axioms(
    Axioms(
        (EquivalentClasses((AIRCRAFT, And((VEHICLE, Some(WINGS, THING))))),),
        frozenset({VEHICLE.name, AIRCRAFT.name}),
        frozenset({WINGS.name}),
        frozenset(),
        frozenset(),
    )
)
QUERY = "SELECT ?x { ?x a <urn:Aircraft> }"


def test_a_replay_infers_as_the_broker_did(spark: SparkSession, tmp_path: Path) -> None:
    settings = BrokerSettings(infers=True)
    with Broker.open(tmp_path / "broker", ontology=ONTOLOGY, settings=settings) as broker:
        broker.subscribe(QUERY, name="aircraft")
        broker.update("INSERT DATA { <urn:a> a <urn:Vehicle> ; <urn:hasWings> <urn:w> }")
        broker.update("INSERT DATA { <urn:b> a <urn:Aircraft> }")
        broker.update("DELETE DATA { <urn:a> a <urn:Vehicle> }")
        broker.update("DELETE WHERE { ?x a <urn:Vehicle> }")
    asked = Replayable([], [NamedQuery("aircraft", QUERY)])

    Replay(str(tmp_path / "broker"), asked, ontology=ONTOLOGY).run(spark, tmp_path / "told")

    found = [one for one in replayed(spark, tmp_path / "told") if one.number]
    assert len(found) == 3
    assert found == [one for one in told(tmp_path / "broker") if one.number]
