"""Queries and the graph of a broker over restarts."""

from datetime import timedelta
from pathlib import Path

import pytest

from purport import InvalidInput
from purport.broker.rdf_text import term_text
from purport.broker.retention import Retention
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.model.clock import ManualClock
from tests.embedded.brokers import NOON, exact
from tests.embedded.lamps import (
    DIMS,
    current,
    dims,
    rows,
    set_dim,
    solutions,
)


def test_a_query_with_a_name_goes_on_after_a_restart(tmp_path: Path) -> None:
    with Broker.open(tmp_path, matcher=exact) as broker:
        lamps = broker.subscribe(DIMS, name="lamps")
        broker.subscribe(DIMS)
        broker.update("INSERT DATA { <urn:l1> <urn:dim> 5 . [] <urn:dim> 6 }")
        broker.update(set_dim(1, 7))
        assert lamps.take() is not None
        lamps.acknowledge()
    with Broker.open(tmp_path, matcher=exact) as broker:
        assert [one.id for one in broker.registrations()] == ["lamps"]
        broker.update("DELETE WHERE { ?lamp <urn:dim> ?dim }")

        told = list(broker.subscriber("lamps").waiting())

        assert [one.sequence for one in told] == [1, 2, 3]
        assert not current(broker.subscriber("lamps").replay())
        blank = [term_text(one["lamp"]) for one in (*told[0].added, *told[2].removed)]
        assert len({one for one in blank if one.startswith("_:")}) == 1
        assert dims(broker) == []


def test_a_query_that_may_be_answered_otherwise_is_told_in_whole_after_a_restart(
    tmp_path: Path,
) -> None:
    clock = ManualClock(NOON)
    now, see = "<urn:purport:clock>()", "INSERT {{ {} <urn:seen> ?t }} WHERE {{ BIND({} AS ?t) }}"
    recent = f"SELECT ?lamp WHERE {{ ?lamp <urn:seen> ?at FILTER({now} - ?at < 10000000) }}"
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.subscribe(recent, name="recent")
        broker.subscribe(DIMS, name="steady")
        broker.update(see.format("<urn:l1>", now))
    clock.advance(timedelta(seconds=20))
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.update(see.format("<urn:l2>", now))

        told = list(broker.subscriber("recent").replay())

        assert [one.change.is_whole for one in told] == [True, False, True, False]
        assert list(current(told)) == [(("lamp", "<urn:l2>"),)]
        assert len(list(broker.subscriber("steady").replay())) == 1


def test_old_entries_may_go_and_the_graph_stays(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    settings = BrokerSettings(retention=Retention(most_age=timedelta(seconds=5)))

    def opened() -> Broker:
        return Broker.open(tmp_path, matcher=exact, clock=clock, settings=settings)

    with opened() as broker:
        broker.update("CREATE GRAPH <urn:empty> ; INSERT DATA { [] <urn:dim> 1, 'ü\\n\"@' }")
        broker.update(set_dim(1, 2), after=timedelta(days=1))
        facts = rows(solutions(broker, "SELECT * { ?s ?p ?o }"))
        clock.advance(timedelta(seconds=10))
        assert broker.compact() > 0
    with opened() as broker:
        assert rows(solutions(broker, "SELECT * { ?s ?p ?o }")) == facts
        assert len(broker.delayed()) == 1
        with pytest.raises(InvalidInput, match="already"):
            broker.update("CREATE GRAPH <urn:empty>")
        assert broker._journal.first > 1
