"""Spark's package for Kafka: taken as it is if a session has it, fetched if it has not."""

from __future__ import annotations

import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from purport.errors import InvalidInput, PurportError
from purport.pipeline.spark_errors import SPARK_ERRORS, reason_of

VARIABLE = "PURPORT_KAFKA_PACKAGES"  # other versions: coordinates with commas between them
_PACKAGES = Path(__file__).with_name("connector.txt")
_MISSING = "Failed to find data source: kafka"


class ConnectorUnavailable(PurportError):
    """Spark's package for Kafka is not there, and cannot be fetched."""


def require_connector(spark: SparkSession) -> None:
    """Have the session read and write Kafka; `ConnectorUnavailable` if that cannot be had."""
    if has_connector(spark):
        return
    packages = connector_packages()
    sys.stderr.write(
        f"Fetching Spark's package for Kafka ({len(packages)} artifacts, unless they are in the "
        "cache of Ivy) ...\n"
    )
    try:
        with _one_at_a_time(), _quiet_java(spark):
            for one in packages:
                spark.sql(f"ADD JAR ivy://{one}?transitive=false").collect()
    except SPARK_ERRORS as error:
        raise ConnectorUnavailable(
            f"Spark's package for Kafka cannot be fetched: {reason_of(error)}; with access to a "
            "Maven repository once it will be in Ivy's cache; or give Spark the files of "
            f"{', '.join(packages)} by spark.jars, or name others in {VARIABLE}"
        ) from None
    if not has_connector(spark):
        raise ConnectorUnavailable(f"{', '.join(packages)} do not bring Spark's package for Kafka")


def has_connector(spark: SparkSession) -> bool:
    """Whether a session can read Kafka."""
    try:
        spark.read.format("kafka").load()
    except PySparkException as error:  # which says what it lacks: options, or all of it
        return _MISSING not in str(error)
    return True


def connector_packages() -> Sequence[str]:
    """The Maven coordinates of what is fetched."""
    named = os.environ.get(VARIABLE, "")
    lines = named.split(",") if named else _PACKAGES.read_text(encoding="utf-8").splitlines()
    found = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    for one in found:
        if one.count(":") != 2 or not all(part and part.isprintable() for part in one.split(":")):
            raise InvalidInput(f"{VARIABLE}: expected GROUP:ARTIFACT:VERSION, got {one!r}")
    return found


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Ivy's cache is not made for several that fill it."""
    path = Path(tempfile.gettempdir()) / f"purport-ivy-{os.getuid()}.lock"
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _quiet_java(spark: SparkSession) -> Iterator[None]:
    """What Ivy tells of its work goes nowhere: it writes to the output of Spark's Java."""
    java: Any = getattr(spark, "_jvm", None)
    if java is None:
        yield
        return
    io, system = java.java.io, java.java.lang.System
    submit = _scala_object(java, "SparkSubmit")  # to whose stream Spark has Ivy write
    out, err, told = system.out, system.err, submit.printStream()
    nowhere = io.PrintStream(io.OutputStream.nullOutputStream())
    _write_to(system, submit, nowhere, nowhere, nowhere)
    try:
        yield
    finally:
        _write_to(system, submit, out, err, told)


def _scala_object(java: Any, name: str) -> Any:
    return getattr(getattr(java.org.apache.spark.deploy, f"{name}$"), "MODULE$")


def _write_to(system: Any, submit: Any, out: Any, err: Any, told: Any) -> None:
    system.setOut(out)
    system.setErr(err)
    getattr(submit, "printStream_$eq")(told)
