"""mte."""

from tests.contracts.routing import RoutingContract


class TestMinimumTransmissionEnergy(RoutingContract):
    name = "mte"
