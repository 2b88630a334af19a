"""The Spark session: taken from `spark-submit`, on a cluster that is named, or in this process."""

from __future__ import annotations

import os
import re
import socket
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from pyspark.sql import SparkSession

from purport.errors import InvalidInput, PurportError
from purport.pipeline.file_parts import PART_BYTES
from purport.pipeline.java import java_environment
from purport.pipeline.spark_errors import SPARK_ERRORS, reason_of

# Text that Spark itself reads is cut as our own readers cut files.
_SETTINGS = {
    "spark.sql.files.maxPartitionBytes": str(PART_BYTES),
    "spark.sql.files.openCostInBytes": str(PART_BYTES),
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

_QUIET = Path(__file__).parent / "spark_conf"
_MASTERS = ("spark://", "k8s://", "yarn", "local")
_HADOOP = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")  # Spark reads either
_STANDALONE = re.compile(r"(.+):(\d{1,5})")
_ANSWER_SECONDS = 10.0
_PATTERN_SIGNS = re.compile(r"[\[\]{}*?\\]")


class ClusterUnavailable(PurportError):
    """A cluster gives no session."""


def session_on(
    master: str | None,
    name: str = "purport",
    *,
    cores: str = "*",
    settings: Mapping[str, str] | None = None,
) -> SparkSession:
    """A session on a cluster; in this process, on so many cores, if none is named.

    Under `spark-submit` it is the one that was asked for there, whatever is named here.
    """
    if "PYSPARK_GATEWAY_PORT" in os.environ:  # how the launcher and its program find each other
        return _started(SparkSession.builder, "spark-submit")
    master = master or os.environ.get("SPARK_REMOTE")
    if master is None:
        return local_session(name, cores=cores, settings=settings)
    _require_master(master)
    if master.startswith("spark://"):
        _require_answer(master)
    if master == "yarn" and not any(os.environ.get(name) for name in _HADOOP):
        raise InvalidInput(f"yarn: {' or '.join(_HADOOP)} has to name the cluster's configuration")
    builder = SparkSession.builder.appName(name).master(master)
    for key, value in {"spark.ui.showConsoleProgress": "false", **(settings or {})}.items():
        builder = builder.config(key, value)
    with _environment(_cluster_environment()):
        return _started(builder, master)


def local_session(
    name: str = "purport", *, cores: str = "*", settings: Mapping[str, str] | None = None
) -> SparkSession:
    """A session inside this process, on so many cores; nothing needs to be installed by hand."""
    with _environment(_local_environment()):
        builder = SparkSession.builder.appName(name).master(f"local[{cores}]")
        for key, value in {**_SETTINGS, **(settings or {})}.items():
            builder = builder.config(key, value)
        return builder.getOrCreate()


@contextmanager
def job_session(
    name: str,
    *,
    master: str | None = None,
    cores: str = "*",
    settings: Mapping[str, str] | None = None,
) -> Iterator[SparkSession]:
    """A session for one job, stopped when it is done.

    Where Spark runs in this process already it is one beside those that are there, with settings of
    its own, and Spark goes on.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        spark = running.newSession()
        for key, value in (settings or {}).items():
            spark.conf.set(key, value)
        yield spark
        return
    spark = session_on(master, name, cores=cores, settings=settings)
    try:
        yield spark
    finally:
        _stop(spark)


def spark_address(path: Path) -> str:
    """A local path as Spark takes it: absolute, and not percent-encoded."""
    return f"file://{path.resolve()}"


def spark_pattern(path: Path) -> str:
    """A local path as Spark takes it where it would see a pattern in brackets and stars."""
    return _PATTERN_SIGNS.sub(r"\\\g<0>", spark_address(path))


def _stop(spark: SparkSession) -> None:
    """Stop a session, of which there may be nothing left."""
    with suppress(*SPARK_ERRORS, OSError), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        spark.stop()


def _started(builder: SparkSession.Builder, where: str) -> SparkSession:
    try:
        return builder.getOrCreate()
    except SPARK_ERRORS as error:
        raise ClusterUnavailable(f"{where} gives no session: {reason_of(error)}") from error


def _require_master(master: str) -> None:
    if master.startswith("sc:"):
        raise InvalidInput(
            f"{master}: Spark Connect runs `match_stream` on a table, but no job such as this; "
            "name the cluster's master instead, or use spark-submit"
        )
    if not master.startswith(_MASTERS):
        raise InvalidInput(f"expected a master such as spark://HOST:7077, got {master!r}")


def _require_answer(master: str) -> None:
    """`ClusterUnavailable` if none of the hosts of a standalone cluster takes a connection.

    Spark would try for a minute, and then say that it has stopped.
    """
    reasons = []
    for one in master.removeprefix("spark://").split(","):
        found = _STANDALONE.fullmatch(one)
        if found is None or int(found[2]) > 65535:
            raise InvalidInput(f"expected a master such as spark://HOST:7077, got {master!r}")
        try:
            socket.create_connection((found[1].strip("[]"), int(found[2])), _ANSWER_SECONDS).close()
        except OSError as error:
            reasons.append(error.strerror or str(error))
        else:
            return
    raise ClusterUnavailable(f"{master}: no master answers there: {reasons[-1]}")


def _cluster_environment() -> dict[str, str]:
    """What Spark's launcher has to find; what the user has set for the cluster stays as it is."""
    ours = {"PYSPARK_PYTHON": sys.executable}
    if "SPARK_HOME" not in os.environ:
        ours["SPARK_CONF_DIR"] = str(_QUIET)
    return java_environment() | {name: os.environ.get(name, ours[name]) for name in ours}


def _local_environment() -> dict[str, str | None]:
    """The same for a session in this process, which speaks to nobody else."""
    return {
        **java_environment(),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_CONF_DIR": os.environ.get("SPARK_CONF_DIR", str(_QUIET)),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_REMOTE": None,
    }


@contextmanager
def _environment(variables: Mapping[str, str | None]) -> Iterator[None]:
    """Environment variables that hold, or are not there, while a session starts, and no longer."""
    before = {name: os.environ.get(name) for name in variables}
    _set(variables)
    try:
        yield
    finally:
        _set(before)


def _set(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
