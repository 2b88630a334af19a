"""The services that tests are given."""

from collections.abc import Iterator

import httpx
import pytest

from purport.embedded.broker import Broker
from tests.embedded.brokers import exact
from tests.service.serving import client_of


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker.in_memory(matcher=exact) as made:
        yield made


@pytest.fixture
def client(broker: Broker) -> Iterator[httpx.Client]:
    with client_of(broker) as made:
        yield made
