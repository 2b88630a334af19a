"""Spark's own programs, started for a test on this machine and ended with it."""

import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyspark

from purport.pipeline.java import java_environment
from tests.quick_spark import JAVA_OPTIONS

_SPARK = Path(pyspark.__file__).parent
PATIENCE_SECONDS = 300.0


def spark_program(name: str) -> str:
    """The path of a program that comes with Spark."""
    return str(_SPARK / "bin" / name)


def spark_environment(folder: Path) -> dict[str, str]:
    """The environment of a process of Spark that speaks to this machine only."""
    return {
        **os.environ,
        **java_environment(),
        "JDK_JAVA_OPTIONS": shlex.join(JAVA_OPTIONS),
        "SPARK_CONF_DIR": str(folder),
        "SPARK_HOME": str(_SPARK),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": "",
    }


@contextmanager
def started(
    command: Sequence[str], environment: Mapping[str, str], output: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is ended at the end, with those that it has started."""
    with (
        output.open("wb") as log,
        subprocess.Popen(
            command,
            env=environment,
            cwd=output.parent,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def told(log: Path, pattern: str) -> str:
    """What a process says in its log, once it does."""
    wait_until(lambda: re.search(pattern, log.read_text()) is not None)
    return str(re.findall(pattern, log.read_text())[0])


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait, but not for ever."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
