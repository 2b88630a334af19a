"""sparing."""

from tests.contracts.routing import RoutingContract


class TestSparing(RoutingContract):
    name = "sparing"
