"""flooding."""

from tests.contracts.routing import RoutingContract


class TestFlooding(RoutingContract):
    name = "flooding"
