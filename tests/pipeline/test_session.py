import os
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
    return asked


def test_a_cluster_that_gives_no_session_is_named(asked: Asked) -> None:
    with pytest.raises(ClusterUnavailable, match="spark://far:7077 gives no session: nobody"):
        session_on("spark://far:7077")


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
