"""What tests of MQTT share: a real broker, and connections that are closed at the end."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from purport.mqtt.address import BrokerAddress
from purport.mqtt.connection import Connection
from purport.mqtt.message import Inlet
from purport.mqtt.packets import Publish
from purport.mqtt.waits import Waits
from purport.spool.spool import Spool

QUICK = Waits(first_seconds=0.02, longest_seconds=0.2, refused_seconds=0.02, keeping_seconds=0.02)


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    """An empty spool."""
    made = Spool.open(tmp_path / "spool")
    yield made
    made.close()


class Connect:
    """Opens connections, and closes them at the end."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def __call__(
        self,
        address: str,
        inlet: Inlet | None = None,
        *,
        will: Publish | None = None,
        birth: Publish | None = None,
        is_ready: bool = True,
        most_waiting: int = 10_000,
    ) -> Connection:
        read = BrokerAddress.read(address)
        settings = read.session(will=will, birth=birth, is_receiver=inlet is not None)
        made = Connection(
            read.place, settings, inlet, waits=QUICK, most_waiting=most_waiting
        ).start()
        self._stack.callback(made.stop)
        if is_ready:
            made.wait_until_ready(20)
        return made


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Opens connections to brokers that are closed at the end."""
    with ExitStack() as stack:
        yield Connect(stack)
