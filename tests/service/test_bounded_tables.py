"""What is remembered has a bound in bytes, whatever clients send."""

import sys
import tracemalloc

from pyoxigraph import Literal

from purport.embedded.broker import Broker
from purport.embedded.message import results_of
from purport.embedded.published_ids import published_id
from purport.model.event import Event
from purport.service.brake import Brake
from tests.embedded.brokers import exact
from tests.service.serving import client_of


def test_an_event_of_a_long_id_is_published_once_and_told_by_its_id() -> None:
    long, other = "x" * 100_000 + "1", "x" * 100_000 + "2"
    with Broker.in_memory(matcher=exact) as broker, client_of(broker) as client:
        told = [client.post("/events", json={"@id": one}).json() for one in (long, other, long)]

    [first], [second], [again] = (one["events"] for one in told)
    assert (first["repeated"], second["repeated"], again["repeated"]) == (False, False, True)
    assert again["id"] == long and again["sequence"] == first["sequence"]


def test_ids_are_kept_short_and_told_apart() -> None:
    ids = ["x" * 99, "x" * 5_000, "x" * 5_001, "sha256:" + "0" * 64]
    keys = [published_id(Event.from_json({"@id": one}), None) for one in ids]

    assert len(set(keys)) == 4
    assert all(one is not None and len(one.id) <= 100 for one in keys)


def test_a_brake_keeps_as_much_of_each_however_long_their_names() -> None:
    brake = Brake()
    for number in range(5):
        for _ in range(20):
            brake.fail(f"{number}{'x' * 50_000}")

    assert brake.wait(f"3{'x' * 50_000}") > 0 and brake.wait(f"5{'x' * 50_000}") == 0
    assert sum(map(sys.getsizeof, brake._failures)) < 1_000


def test_long_terms_are_told_and_not_kept() -> None:
    tracemalloc.start()
    try:
        for number in range(20):
            told = results_of(["a"], [{"a": Literal(f"{number}" * 500_000)}])
            assert told["results"]["bindings"][0]["a"]["value"] == f"{number}" * 500_000
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert kept < 3_000_000
