"""Nothing is lost or doubled when a service with a bridge, or its broker, is killed."""

from pathlib import Path

import pytest

from tests.mqtt.bridge_kills import killed_brokers, killed_services

pytestmark = pytest.mark.usefixtures("mosquitto_program")


def test_a_service_that_is_killed_has_each_event_once_and_tells_each_match(tmp_path: Path) -> None:
    found = killed_services(tmp_path, kills=3, seed=1)

    assert found.is_as_promised, found


def test_a_broker_that_is_killed_costs_nothing_that_it_still_has(tmp_path: Path) -> None:
    found = killed_brokers(tmp_path, kills=3, seed=2)

    assert found.is_as_promised, found
    assert found.forgotten <= 20 * found.kills, found  # a burst and what was on its way
