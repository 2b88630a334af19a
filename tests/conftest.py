"""What all tests share."""

import os
from collections.abc import Iterator
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings
from pyspark.sql import SparkSession

from purport.pipeline.session import local_session
from tests.commands import Run
from tests.kafka.kafka_server import IS_INSTALLED, JARS, Kafka, running_kafka
from tests.mqtt.mosquitto_server import PROGRAM, Mosquitto, running_mosquitto
from tests.quick_spark import quick_environment
from tests.storage import mariadb_server
from tests.storage.mariadb_server import MariadbServer, running_mariadb
from tests.storage.oxigraph_server import running_oxigraph
from tests.storage.postgres_server import PostgresServer, programs, running_server
from tests.storage.virtuoso_server import VirtuosoServer, installation, running_virtuoso

settings.register_profile(
    "house",
    max_examples=150,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # machines are shared: time proves nothing
)
settings.register_profile("long", parent=settings.get_profile("house"), max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))

os.environ.update(quick_environment())


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs commands in this process."""
    return Run(monkeypatch, capsys)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One Spark for all tests, on two cores of this machine."""
    session = local_session("purport tests", cores="2")
    yield session
    session.stop()


def _lacking(name: str, parts: str) -> NoReturn:
    """Tests of a server that is not there are skipped, but fail where changes have to pass."""
    reason = f"{name} is not installed: no {parts}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One PostgreSQL for all tests."""
    found = programs()
    if found is None:
        _lacking("PostgreSQL", "initdb on PATH or in /usr/lib/postgresql")
    else:
        with running_server(found) as server:
            yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariadbServer]:
    """One MariaDB for all tests."""
    found = mariadb_server.installation()
    if found is None:
        _lacking("MariaDB", "mariadbd, mariadb-install-db or PyMySQL")
    else:
        with running_mariadb(found) as server:
            yield server


@pytest.fixture(scope="session")
def virtuoso() -> Iterator[VirtuosoServer]:
    """One Virtuoso for all tests."""
    found = installation()
    if found is None:
        _lacking("Virtuoso", "virtuoso-t, isql-vt and virtuoso.ini")
    else:
        with running_virtuoso(found) as server:
            yield server


@pytest.fixture(scope="session")
def oxigraph() -> Iterator[str]:
    """The address of one endpoint for all tests, in a process of its own."""
    with running_oxigraph() as address:
        yield address


@pytest.fixture(scope="session")
def kafka() -> Iterator[Kafka]:
    """One Kafka for tests that leave it as it is."""
    _require_kafka()
    with running_kafka() as broker:
        yield broker


@pytest.fixture
def own_kafka() -> Iterator[Kafka]:
    """A Kafka that may be stopped and killed."""
    _require_kafka()
    with running_kafka() as broker:
        yield broker


def _require_kafka() -> None:
    if not IS_INSTALLED:
        _lacking("Kafka", f"{JARS}, see .ci/run")


@pytest.fixture(scope="session")
def mosquitto_program() -> str:
    """The program; tests without it are skipped, but fail where changes have to pass."""
    if PROGRAM is None:
        _lacking("Mosquitto", "mosquitto on PATH or in /usr/sbin")
    return PROGRAM


@pytest.fixture(scope="session")
def mosquitto(mosquitto_program: str) -> Iterator[Mosquitto]:
    """One broker for tests that leave it as it is."""
    with running_mosquitto() as broker:
        yield broker


@pytest.fixture
def own_mosquitto(mosquitto_program: str) -> Iterator[Mosquitto]:
    """A broker that may be stopped and killed."""
    with running_mosquitto() as broker:
        yield broker
