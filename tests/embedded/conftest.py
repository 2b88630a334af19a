"""The brokers that tests are given."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from purport.embedded.broker import Broker
from tests.embedded.brokers import exact


@pytest.fixture(params=["in memory", "in a folder", "in PostgreSQL"])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Broker]:
    """A broker of each kind."""
    match request.param:
        case "in memory":
            made = Broker.in_memory(matcher=exact)
        case "in a folder":
            made = Broker.open(tmp_path / "broker", matcher=exact)
        case _:
            place = request.getfixturevalue("postgres").new_place()
            made = Broker.open(tmp_path / "broker", journal=place, matcher=exact)
    with made:
        yield made
