"""Queries at a broker that see some graphs only."""

from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import QuerySolutions

from purport import InvalidInput
from purport.broker.access import AccessRule, AccessRules, Action, Forbidden
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.sparql import Dataset
from tests.embedded.brokers import exact
from tests.embedded.lamps import DIMS, values

HALL, YARD = Dataset(("urn:hall",), ()), Dataset(("urn:yard",), ())
IN_GRAPHS = "SELECT ?dim { GRAPH ?g { ?lamp <urn:dim> ?dim } }"


def lamp_in(graph: str, dim: int) -> str:
    return f"INSERT DATA {{ GRAPH <urn:{graph}> {{ <urn:l{dim}> <urn:dim> {dim} }} }}"


def test_a_query_sees_the_graphs_of_its_dataset() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.update(f"{lamp_in('hall', 1)} ; {lamp_in('yard', 2)}")

        def found(text: str, dataset: Dataset) -> list[str]:
            answer = broker.query(text, dataset=dataset)
            assert isinstance(answer, QuerySolutions)
            return sorted(one["dim"].value for one in answer)

        assert found(DIMS, Dataset()) == []
        assert found(DIMS, HALL) == ["1"]
        assert found(DIMS, Dataset(("urn:hall", "urn:yard"))) == ["1", "2"]
        assert found(IN_GRAPHS, Dataset(None, ("urn:yard",))) == ["2"]


def test_whoever_subscribes_is_told_of_the_graphs_of_its_dataset_after_a_restart_too(
    tmp_path: Path,
) -> None:
    with Broker.open(tmp_path, matcher=exact) as broker:
        broker.update(lamp_in("hall", 1))
        broker.subscribe(DIMS, name="hall", dataset=HALL)
        broker.subscribe(IN_GRAPHS, name="named", dataset=Dataset((), ["urn:yard"]))  # type: ignore[arg-type]
        broker.update(lamp_in("yard", 2))
        broker.update(lamp_in("hall", 3))
    with Broker.open(tmp_path, matcher=exact) as broker:
        before = broker.sequence
        broker.subscribe(DIMS, name="hall", dataset=HALL)
        assert broker.sequence == before  # it is what is there
        broker.update(lamp_in("yard", 4))
        broker.update(lamp_in("hall", 5))

        told = [values(one.added) for one in broker.subscriber("hall").replay()]
        named = [values(one.added) for one in broker.subscriber("named").replay()]

        assert told == [["1"], ["3"], ["5"]] and named == [[], ["2"], ["4"]]


def test_another_dataset_under_the_same_name_is_another_query() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.update(f"{lamp_in('hall', 1)} ; {lamp_in('yard', 2)}")
        broker.subscribe(DIMS, name="lamps", dataset=HALL)
        lamps = broker.subscribe(DIMS, name="lamps", dataset=YARD)

        told = [(values(one.added), one.change.is_whole) for one in lamps.replay()]

        assert told[-1] == (["2"], True) and len(broker.versions("lamps")) == 2


def test_a_registry_is_exported_and_imported_with_its_datasets() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.subscribe(DIMS, name="hall", dataset=HALL)
        broker.subscribe(DIMS, name="all")
        text = broker.export_registry()
    with Broker.in_memory(matcher=exact) as other:
        other.update(lamp_in("hall", 1))
        other.import_registry(text)

        [whole] = other.subscriber("hall").waiting()
        assert values(whole.added) == ["1"] and other.export_registry() == text
        with pytest.raises(InvalidInput, match="no IRIs"):
            other.import_registry(text.replace("urn:hall", "hall"))
        event = text.replace(DIMS, "{a > 0}").replace('"all"', '"events"')
        with pytest.raises(InvalidInput, match="only a query has a dataset"):
            other.import_registry(event)


def test_the_graphs_of_a_dataset_are_read_and_have_to_be_allowed(tmp_path: Path) -> None:
    rules = AccessRules((AccessRule(frozenset({"ann"}), frozenset(Action), graphs=("urn:hall",)),))
    closed = BrokerSettings(access=rules)
    with Broker.open(tmp_path, matcher=exact) as broker:
        broker.subscribe(DIMS, name="yard", owner="ann", dataset=YARD)
    with Broker.open(tmp_path, matcher=exact, settings=closed) as broker:
        assert broker.registration("yard", who="ann").is_paused
        for dataset in (YARD, Dataset(), Dataset(("urn:hall",), ("urn:yard",))):
            with pytest.raises(Forbidden):
                broker.query(DIMS, dataset=dataset, who="ann")
            with pytest.raises(Forbidden):
                broker.subscribe(DIMS, dataset=dataset, owner="ann")
        with pytest.raises(Forbidden):
            broker.query(IN_GRAPHS, dataset=Dataset(("urn:hall",)), who="ann")
        with pytest.raises(Forbidden):
            broker.resume("yard", who="ann")

        broker.query(DIMS, dataset=HALL, who="ann")
        broker.subscribe(DIMS, dataset=HALL, owner="ann")


@pytest.mark.parametrize(
    "dataset",
    [None, "urn:g", Dataset(("no iri",)), Dataset(None, (1,))],  # type: ignore[arg-type]
)
def test_what_is_no_dataset_is_refused(dataset: Any) -> None:
    with Broker.in_memory(matcher=exact) as broker:
        with pytest.raises(InvalidInput):
            broker.query(DIMS, dataset=dataset)
        with pytest.raises(InvalidInput):
            broker.subscribe(DIMS, dataset=dataset)
        with pytest.raises(InvalidInput, match="only a query has a dataset"):
            broker.subscribe("{a > 0}", dataset=HALL)
