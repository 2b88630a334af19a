"""kill -9 of a job that reads MQTT, and of what it has started, loses and doubles nothing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from purport.mqtt.packets import Publish
from tests.kafka.kills import running_job, wait_for_a_batch
from tests.mqtt.mosquitto_server import Mosquitto
from tests.mqtt.publishing import begin_session, publish
from tests.pipeline.processes import PATIENCE_SECONDS

_AT_ONCE = 300


@pytest.mark.parametrize("is_whole_group", [False, True])
def test_a_job_that_is_killed_gets_everything_once(
    own_mosquitto: Mosquitto, tmp_path: Path, is_whole_group: bool
) -> None:
    """At QoS 2; the process alone, or with its Java and workers."""
    address = f"{own_mosquitto.address}/killed/#?client_id=killed&qos=2"
    matches, log = tmp_path / "matches", tmp_path / "log"
    command = [
        sys.executable, "-m", "purport", "stream", "--from",
        f"{address}&messages_per_batch=100&quiet_seconds=1", "--to", f"parquet:{matches}",
        "-s", "{a = 1} as alone", "--cores", "2", "--measure", "exact", "--json",
    ]  # fmt: skip
    begin_session(address)
    names = _sent(own_mosquitto, 0)
    with running_job(command, log) as job:
        wait_for_a_batch(job, matches, log)
        names += _sent(own_mosquitto, 1)
        if is_whole_group:
            os.killpg(job.pid, signal.SIGKILL)
    names += _sent(own_mosquitto, 2)

    done = subprocess.run(
        [*command, "--until-end"], capture_output=True, timeout=PATIENCE_SECONDS, check=False
    )

    assert done.returncode == 0, done.stderr.decode()
    files = [str(path) for path in matches.glob("batch=*/*.parquet")]
    found = ds.dataset(files).to_table(columns=["event_id"])["event_id"].to_pylist()
    assert sorted(found) == sorted(names)


def _sent(broker: Mosquitto, times: int) -> list[str]:
    names = [f"e{number}" for number in range(times * _AT_ONCE, (times + 1) * _AT_ONCE)]
    payloads = [b'{"@id": "%s", "a": 1}' % name.encode() for name in names]
    publish(broker, [Publish("killed/x", payload, 2) for payload in payloads])
    return names
