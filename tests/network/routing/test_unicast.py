"""unicast."""

from tests.contracts.routing import RoutingContract


class TestUnicast(RoutingContract):
    name = "unicast"
