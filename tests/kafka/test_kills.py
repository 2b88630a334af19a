"""kill -9 of a job that reads Kafka, and of Kafka, loses nothing, and doubles nothing in files."""

from pathlib import Path

from tests.kafka.kafka_server import Kafka
from tests.kafka.kills import killed_job

KILLS = 3


def test_what_is_killed_loses_and_doubles_nothing(own_kafka: Kafka, tmp_path: Path) -> None:
    found = killed_job(own_kafka, KILLS, tmp_path, seed=7)

    assert found.is_as_promised, found
    assert found.kills == {"the job": 2, "Kafka": 1}
