"""A job on a cluster gives what one process gives: on a standalone one with two workers."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from purport import parse
from purport.demo.city import City
from purport.mqtt.packets import Publish
from purport.pipeline.job_folder import JobFolder
from purport.spool.reader import SpoolReader
from tests.mqtt.mosquitto_server import Mosquitto
from tests.mqtt.publishing import begin_session, publish
from tests.oracles.in_process import Rows, in_process
from tests.pipeline.processes import (
    PATIENCE_SECONDS,
    spark_environment,
    spark_program,
    started,
    told,
    wait_until,
)

SUBMIT = Path(__file__).parents[2] / "examples" / "submit.py"
SUBSCRIPTIONS = (
    "{type~ = increased energy consumption event, floor~ = ground floor} as energy",
    "{measures = temperature~, value > 30 °C} as heat",
)
FILES = 4
SPOOLED = 6000
# A driver waits until both workers are there, and does not wait long for one that has gone; code
# is not generated, which would take longer than what it is for.
SETTINGS = """
spark.cores.max 2
spark.scheduler.minRegisteredResourcesRatio 1.0
spark.shuffle.io.retryWait 1s
spark.sql.adaptive.enabled false
spark.sql.codegen.factoryMode NO_CODEGEN
spark.sql.codegen.wholeStage false
spark.ui.enabled false
"""


@dataclass(frozen=True)
class Cluster:
    """A master and two workers of one core each."""

    master: str
    workers: Sequence[subprocess.Popen[bytes]]
    environment: dict[str, str]
    folder: Path

    def finished_tasks(self, worker: int) -> int:
        """How many tasks a worker has done."""
        return self._said(worker).count("Finished task")

    def is_at_work(self, worker: int) -> bool:
        """Whether a worker has begun a task that it has not done yet."""
        said = self._said(worker)
        return said.count("Running task") > said.count("Finished task")

    def _said(self, worker: int) -> str:
        """The logs of a worker's executors."""
        logs = (self.folder / f"worker-{worker}").glob("app-*/*/stderr")
        return "".join(log.read_text() for log in logs)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "spark-defaults.conf").write_text(SETTINGS)
    environment = spark_environment(folder)
    with ExitStack() as running:

        def start(kind: str, name: str, *arguments: str) -> subprocess.Popen[bytes]:
            program = [spark_program("spark-class"), f"org.apache.spark.deploy.{kind}"]
            loopback = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
            command = [*program, *loopback, *arguments]
            return running.enter_context(started(command, environment, folder / f"{name}.log"))

        start("master.Master", "master")
        master = told(folder / "master.log", r"Starting Spark master at (\S+)")
        names = ("worker-0", "worker-1")
        small = ("--cores", "1", "--memory", "1g")
        workers = [
            start("worker.Worker", name, *small, "--work-dir", str(folder / name), master)
            for name in names
        ]
        for name in names:
            told(folder / f"{name}.log", "Successfully registered with master")
        yield Cluster(master, workers, environment, folder)


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("events")
    City(events=1600, seed=7).write_lines(folder, files=FILES)
    return folder


@pytest.fixture(scope="module")
def expected(events: Path) -> tuple[Rows, Rows]:
    matched, refused = in_process(events, [parse(text) for text in SUBSCRIPTIONS])
    assert {row[1] for row in matched} == {"energy", "heat"}
    assert refused
    return matched, refused


def stream(events: Path, files_per_batch: int, *options: str) -> list[str]:
    """The command's arguments; the sink is named from the folder that it is run in."""
    source = f"file:{events}?files_per_batch={files_per_batch}"
    arguments = ["stream", "--from", source, "--to", "parquet:matches", "--until-end", *options]
    return [*arguments, *(part for text in SUBSCRIPTIONS for part in ("-s", text))]


def written(folder: Path) -> tuple[Rows, Rows]:
    """What a job has written; what stands there twice fails the test."""
    matches = ds.dataset(folder, partitioning="hive").to_table().to_pylist()
    matched = [
        (row["event_id"], row["subscription"], round(row["probability"], 5), tuple(row["mapping"]))
        for row in matches
    ]
    letters = ds.dataset(folder / "_purport" / "dead_letters").to_table().to_pylist()
    refused = [(row["source"], row["offset"], row["reason"], row["text"]) for row in letters]
    assert len(set(matched)) == len(matched)
    assert len(set(refused)) == len(refused)
    return set(matched), set(refused)


def test_a_job_on_a_cluster_gives_what_one_process_gives(
    cluster: Cluster, events: Path, expected: tuple[Rows, Rows], tmp_path: Path
) -> None:
    purport = [sys.executable, "-m", "purport"]
    command = [*purport, *stream(events, FILES // 2, "--master", cluster.master)]

    with started(command, cluster.environment, tmp_path / "output") as driver:
        driver.wait(PATIENCE_SECONDS)

    assert driver.returncode == 0, (tmp_path / "output").read_text()
    assert written(tmp_path / "matches") == expected
    assert all(cluster.finished_tasks(worker) for worker in range(2))


def test_a_worker_that_dies_loses_and_doubles_nothing(
    cluster: Cluster, events: Path, expected: tuple[Rows, Rows], tmp_path: Path
) -> None:
    job = JobFolder(tmp_path / "matches" / "_purport")
    submit = [spark_program("spark-submit"), "--master", cluster.master, str(SUBMIT)]
    environment = cluster.environment | {"PYSPARK_PYTHON": sys.executable}
    tasks_before = cluster.finished_tasks(0)

    def is_matching() -> bool:
        """Whether a batch is being written, and the first worker has a task."""
        return any(tmp_path.glob("matches/_staging/*")) and cluster.is_at_work(0)

    with started([*submit, *stream(events, 1)], environment, tmp_path / "output") as driver:
        wait_until(lambda: driver.poll() is not None or any(job.reports()))
        wait_until(lambda: driver.poll() is not None or is_matching())
        os.killpg(cluster.workers[0].pid, signal.SIGKILL)
        done_before = len(list(job.reports()))
        driver.wait(PATIENCE_SECONDS)

    assert driver.returncode == 0, (tmp_path / "output").read_text()
    assert cluster.finished_tasks(0) > tasks_before
    assert done_before < len(list(job.reports())) == FILES
    assert written(tmp_path / "matches") == expected
    counts = [report.counts for report in job.reports()]
    assert sum(sum(one.matches.values()) for one in counts) == len(expected[0])
    assert sum(one.dead_letters for one in counts) == len(expected[1])


def test_workers_read_the_spool_that_the_driver_fills(
    cluster: Cluster, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    source = f"{mosquitto.address}/cluster/#?client_id=cluster&quiet_seconds=1"
    names = [f"e{number}" for number in range(SPOOLED)]
    tasks_before = [cluster.finished_tasks(worker) for worker in range(2)]
    begin_session(f"{mosquitto.address}/cluster/#?client_id=cluster")
    payloads = [b'{"@id": "%s", "a": 1}' % name.encode() for name in names]
    publish(mosquitto, [Publish("cluster/x", payload, 1) for payload in payloads])
    asked = ["--until-end", "--measure", "exact", "-s", "{a = 1} as alone"]
    command = [sys.executable, "-m", "purport", "stream", "--from", source, "--to"]
    command += ["parquet:matches", *asked, "--master", cluster.master]

    with started(command, cluster.environment, tmp_path / "output") as driver:
        driver.wait(PATIENCE_SECONDS)

    assert driver.returncode == 0, (tmp_path / "output").read_text()
    found = ds.dataset(tmp_path / "matches", partitioning="hive").to_table()
    assert sorted(found["event_id"].to_pylist()) == sorted(names)
    assert SpoolReader(tmp_path / "matches" / "_purport" / "spool").end == SPOOLED
    tasks = [cluster.finished_tasks(worker) for worker in range(2)]
    assert sum(tasks) > sum(tasks_before)  # one of the workers may be dead by now
