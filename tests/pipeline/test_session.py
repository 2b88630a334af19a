import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from purport.errors import InvalidInput
from purport.pipeline.job_file import read_job
from purport.pipeline.session import ClusterUnavailable, session_on


@dataclass
class Asked:
    """What Spark was asked for, by a builder that gives no session."""

    options: dict[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    asked = Asked()
    names = ("PYSPARK_GATEWAY_PORT", "PYSPARK_PYTHON", "SPARK_CONF_DIR", "SPARK_HOME")
    for name in (*names, "SPARK_LOCAL_IP", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)

    def give_none(builder: SparkSession.Builder) -> SparkSession:
        asked.options = dict(builder._options)
        asked.environment = dict(os.environ)
        raise PySparkRuntimeError("nobody answers")

    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", give_none)
    monkeypatch.setattr(socket, "create_connection", lambda *_: socket.socket())
    return asked


def test_a_cluster_that_gives_no_session_is_named(asked: Asked) -> None:
    with pytest.raises(ClusterUnavailable, match="spark://far:7077 gives no session: nobody"):
        session_on("spark://far:7077")


def test_a_master_that_does_not_answer_is_told_before_spark_is_started() -> None:
    with socket.socket() as taken:  # and nobody listens
        taken.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ClusterUnavailable, match=f"//{host}: no master answers there: "):
            session_on(f"spark://{host}")


@pytest.mark.parametrize("master", ["spark://far", "spark://far:port", "spark://far:70770"])
def test_a_standalone_master_has_a_host_and_a_port(asked: Asked, master: str) -> None:
    with pytest.raises(InvalidInput, match=f"such as spark://HOST:7077, got '{master}'"):
        session_on(master)

    assert asked.options == {}


def test_any_of_several_masters_may_answer(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(host: tuple[str, int], _: float) -> socket.socket:
        if host == ("one", 1):
            raise ConnectionRefusedError(111, "Connection refused")
        return socket.socket()

    monkeypatch.setattr(socket, "create_connection", answer)

    with pytest.raises(ClusterUnavailable, match="gives no session"):
        session_on("spark://one:1,[::1]:2")

    assert asked.options["spark.master"] == "spark://one:1,[::1]:2"


def test_yarn_is_not_begun_without_its_configuration(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    with pytest.raises(InvalidInput, match="yarn: HADOOP_CONF_DIR or YARN_CONF_DIR has to name"):
        session_on("yarn")

    monkeypatch.setenv("YARN_CONF_DIR", "conf")
    with pytest.raises(ClusterUnavailable, match="yarn gives no session"):
        session_on("yarn")


def test_on_a_cluster_nothing_is_set_that_holds_on_one_machine_only(asked: Asked) -> None:
    with pytest.raises(ClusterUnavailable):
        session_on("spark://far:7077", "a job")

    assert asked.options == {
        "spark.app.name": "a job",
        "spark.master": "spark://far:7077",
        "spark.ui.showConsoleProgress": "false",
    }
    assert "SPARK_LOCAL_IP" not in asked.environment
    assert asked.environment["PYSPARK_PYTHON"] == sys.executable


def test_what_the_user_has_set_for_a_cluster_stays(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "./environment/bin/python")
    monkeypatch.setenv("SPARK_HOME", "/opt/spark")

    with pytest.raises(ClusterUnavailable):
        session_on("spark://far:7077")

    assert asked.environment["PYSPARK_PYTHON"] == "./environment/bin/python"
    assert "SPARK_CONF_DIR" not in asked.environment


def test_under_spark_submit_the_session_is_taken_as_it_is(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "12345")

    with pytest.raises(ClusterUnavailable, match="spark-submit gives no session"):
        session_on("spark://far:7077")

    assert asked.options == {}
    assert "PYSPARK_PYTHON" not in asked.environment


def test_a_job_through_spark_connect_is_refused(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInput, match="sc://far:15002: Spark Connect runs"):
        session_on("sc://far:15002")

    monkeypatch.setenv("SPARK_REMOTE", "sc://far")
    with pytest.raises(InvalidInput, match="sc://far: Spark Connect runs"):
        session_on(None)


def test_a_master_of_no_known_kind_is_refused(asked: Asked) -> None:
    with pytest.raises(InvalidInput, match=r"expected a master such as .*, got 'far:7077'"):
        session_on("far:7077")


def test_a_master_may_stand_in_the_file_of_a_job(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text('master = "spark://far:7077"')

    assert read_job(path, {}).master == "spark://far:7077"
    assert read_job(path, {"master": "spark://near:7077"}).master == "spark://near:7077"
