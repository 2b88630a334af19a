"""What tests publish at a broker, and sessions that wait for it."""

from __future__ import annotations

from collections.abc import Sequence

from purport.mqtt.address import BrokerAddress
from purport.mqtt.connection import Connection
from purport.mqtt.packets import Publish
from tests.mqtt.mosquitto_server import Mosquitto


def begin_session(address: str) -> None:
    """Have the broker keep what comes for a client that is not there yet."""
    read = BrokerAddress.read(address)
    connection = Connection(read.place, read.session()).start()
    connection.wait_until_ready(20)
    connection.stop()


def publish(broker: Mosquitto, packets: Sequence[Publish]) -> None:
    """Messages, all of which the broker has when this returns."""
    read = BrokerAddress.read(f"{broker.address}/")
    connection = Connection(read.place, read.session(is_receiver=False)).start()
    try:
        for packet in packets:
            connection.publish(packet)
        connection.settle(20)
    finally:
        connection.stop()
