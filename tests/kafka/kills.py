"""Kills a job that reads Kafka, and Kafka, in turn at random moments, and counts what became of it.

As a program it does so many times, and writes a report:
`python -m tests.kafka.kills --kills 20 -o docs/reports/kafka-kills.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.dataset as ds

from tests.kafka.kafka_server import Kafka, running_kafka
from tests.pipeline.processes import PATIENCE_SECONDS, wait_until

TOPIC = "events"
_PARTITIONS = 2
_EVENTS_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What became of the messages of a topic, all of which were to be matched or set aside."""

    kills: Counter[str]
    survived: int  # kills of Kafka that the job lived through
    batches: int
    expected: int
    lost: int
    doubled: int
    dead_letters: int
    dead_letters_expected: int

    @property
    def is_as_promised(self) -> bool:
        """Nothing is lost, and nothing doubled."""
        is_complete = self.dead_letters == self.dead_letters_expected
        return not self.lost and not self.doubled and is_complete


@dataclass(slots=True)
class _Producer:
    """Sends events with ids, and a broken message with some of them each time."""

    broker: Kafka
    events: list[str] = field(default_factory=list)
    broken: int = 0

    def send(self) -> None:
        first = len(self.events)
        names = [f"e{number}" for number in range(first, first + _EVENTS_AT_ONCE)]
        payloads = [json.dumps({"@id": name, "a": 1}).encode() for name in names]
        self.broker.send(TOPIC, [*payloads, b"{broken"])
        self.events += names
        self.broken += 1


def killed_job(broker: Kafka, kills: int, folder: Path, seed: int) -> Aftermath:
    """Run a job through so many kills, and to its end."""
    drawn = random.Random(seed)
    broker.make_topic(TOPIC, _PARTITIONS)
    producer = _Producer(broker)
    matches = folder / "matches"
    command = _command(broker, matches)
    killed: Counter[str] = Counter()
    survived = 0
    for number in range(kills):
        producer.send()
        with running_job(command, folder / f"log-{number}") as job:
            wait_for_a_batch(job, matches, folder / f"log-{number}")
            producer.send()
            time.sleep(drawn.uniform(0, 1))
            if number % 2 == 0:
                killed["the job"] += 1
            else:
                killed["Kafka"] += 1
                survived += _lives_through_a_kill(job, producer, drawn, matches)
    done = subprocess.run(
        [*command, "--until-end"], capture_output=True, timeout=PATIENCE_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return _aftermath(matches, producer, killed, survived)


def _lives_through_a_kill(
    job: subprocess.Popen[bytes], producer: _Producer, drawn: random.Random, matches: Path
) -> bool:
    """Kill Kafka, start it again, send more; whether the job goes on, rather than ends."""
    producer.broker.kill()
    time.sleep(drawn.uniform(0, 2))
    producer.broker.start()
    before = batches_of(matches)
    producer.send()
    wait_until(lambda: batches_of(matches) > before or job.poll() is not None)
    return job.poll() is None


def _command(broker: Kafka, matches: Path) -> list[str]:
    return [
        sys.executable, "-m", "purport", "stream",
        "--from", f"kafka://{broker.host}/{TOPIC}?messages_per_batch={_EVENTS_AT_ONCE // 2}",
        "--to", f"parquet:{matches}", "-s", "{a = 1} as alone",
        "--cores", "2", "--measure", "exact", "--json",
    ]  # fmt: skip


@contextmanager
def running_job(command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A job that is killed at the end; its Java and workers end by themselves a moment later."""
    with log.open("wb") as output:
        job = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)
    try:
        yield job
    finally:
        job.kill()
        job.wait()
        wait_until(lambda: not _is_there(job.pid))


def _is_there(group: int) -> bool:
    with suppress(ProcessLookupError):
        os.killpg(group, 0)
        return True
    return False


def wait_for_a_batch(job: subprocess.Popen[bytes], matches: Path, log: Path) -> None:
    """Return when a batch is done that was not when this was called."""
    before = batches_of(matches)
    wait_until(lambda: batches_of(matches) > before or job.poll() is not None)
    assert job.poll() is None, log.read_text()


def batches_of(matches: Path) -> int:
    """How many batches a job has done."""
    path = matches / "_purport" / "batches.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _aftermath(
    matches: Path, producer: _Producer, killed: Counter[str], survived: int
) -> Aftermath:
    files = [str(path) for path in matches.glob("batch=*/*.parquet")]
    found = Counter(ds.dataset(files).to_table(columns=["event_id"])["event_id"].to_pylist())
    letters = matches / "_purport" / "dead_letters"
    return Aftermath(
        killed,
        survived,
        batches_of(matches),
        len(producer.events),
        len(set(producer.events) - set(found)),
        found.total() - len(found),
        ds.dataset(letters, partitioning="hive").count_rows(),
        producer.broken,
    )


def report(found: Aftermath, seconds: float) -> str:
    """A report in Markdown."""
    killed = ", ".join(f"{what} {times} times" for what, times in found.kills.items())
    return "\n".join(
        [
            "# Kafka to files, killed and started again",
            "",
            "A job on Spark reads a topic and writes Parquet. In turn the job's process and the",
            "broker are killed (`kill -9`) at random moments and started again.",
            "",
            f"Killed: {killed}. Of the kills of Kafka the job lived through {found.survived}; "
            "where it did not, it ended with an error and went on when it was started again.",
            "",
            "| batches | events | lost | doubled | dead letters |",
            "|---|---|---|---|---|",
            f"| {found.batches} | {found.expected:,} | {found.lost} | {found.doubled} | "
            f"{found.dead_letters} of {found.dead_letters_expected} |",
            "",
            f"Python {platform.python_version()}, {os.cpu_count()} cores, {seconds:.0f} s, by "
            "`make test-long`.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="purport-kills-") as folder, running_kafka() as broker:
        found = killed_job(broker, given.kills, Path(folder), seed=2026)
    if not found.is_as_promised:
        sys.exit(f"not what was promised: {found}")
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(report(found, time.monotonic() - began), encoding="utf-8")


if __name__ == "__main__":
    main()
