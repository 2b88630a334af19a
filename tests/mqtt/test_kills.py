"""Nothing is lost when a process is killed in mid-traffic, and at QoS 2 nothing is doubled."""

from pathlib import Path

import pytest

from tests.mqtt.kills import cut_networks, killed_brokers, killed_receivers

pytestmark = pytest.mark.usefixtures("mosquitto_program")


@pytest.mark.parametrize("qos", [1, 2])
def test_a_receiver_that_is_killed_loses_nothing(tmp_path: Path, qos: int) -> None:
    found = killed_receivers(tmp_path / "spool", qos, kills=3, seed=1)

    assert found.is_as_promised, found


@pytest.mark.parametrize("qos", [1, 2])
def test_a_network_that_breaks_loses_nothing(tmp_path: Path, qos: int) -> None:
    found = cut_networks(tmp_path / "spool", qos, kills=3, seed=2)

    assert found.is_as_promised, found


def test_a_broker_that_is_killed_is_found_again_and_what_it_still_has_comes(tmp_path: Path) -> None:
    found = killed_brokers(tmp_path / "spool", 1, kills=3, seed=3)

    assert found.is_as_promised, found
    assert found.forgotten <= 20 * found.kills, found  # a burst and what was on its way
