"""The Spark session: found or made, on this machine unless a cluster is named."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from purport.pipeline.java import java_environment
from purport.pipeline.stretches import STRETCH_BYTES

# Text that Spark itself reads is cut as our own readers cut files.
_SETTINGS = {
    "spark.sql.files.maxPartitionBytes": str(STRETCH_BYTES),
    "spark.sql.files.openCostInBytes": str(STRETCH_BYTES),
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

_PATTERN_SIGNS = re.compile(r"[\[\]{}*?\\]")


def local_session(
    name: str = "purport", *, cores: str = "*", settings: Mapping[str, str] | None = None
) -> SparkSession:
    """A session inside this process, on so many cores; nothing needs to be installed by hand."""
    builder = SparkSession.builder.appName(name).master(f"local[{cores}]")
    for key, value in {**_SETTINGS, **(settings or {})}.items():
        builder = builder.config(key, value)
    with _environment(_local_environment()):
        return builder.getOrCreate()


def spark_address(path: Path) -> str:
    """A local path as Spark takes it: absolute, and not percent-encoded."""
    return f"file://{path.resolve()}"


def spark_pattern(path: Path) -> str:
    """A local path as Spark takes it where it would see a pattern in brackets and stars."""
    return _PATTERN_SIGNS.sub(r"\\\g<0>", spark_address(path))


def _local_environment() -> dict[str, str]:
    """What Spark's launcher has to find in its environment."""
    configuration = Path(__file__).parent / "spark_conf"
    return {
        **java_environment(),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_CONF_DIR": os.environ.get("SPARK_CONF_DIR", str(configuration)),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Environment variables that hold while a session starts, and no longer."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
