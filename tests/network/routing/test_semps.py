"""semps."""

from tests.contracts.routing import RoutingContract


class TestSemPS(RoutingContract):
    name = "semps"
