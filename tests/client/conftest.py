from collections.abc import Iterator

import pytest

from tests.client.stand_in import StandIn, standing_in


@pytest.fixture
def server() -> Iterator[StandIn]:
    with standing_in() as server:
        yield server
