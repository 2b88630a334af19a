"""Spark as tests start it, many times and never for long: quickly.

Most of what a start of Spark takes is Java reading and checking thousands of classes. As a program
this has Java keep them as they are once they are read, in a file beside the packages of this
environment: `python -m tests.quick_spark`. Tests use the file if it is there.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

import pyspark

import purport.pipeline
from purport.pipeline.java import java_environment

# Nothing runs for so long that compiling it well would pay.
JAVA_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

_FOLDER = Path(sys.prefix) / "spark-for-tests"
_CONF = _FOLDER / "conf"  # empty: from the classes of a path with files in folders nothing is kept
_QUIET = Path(purport.pipeline.__path__[0]) / "spark_conf" / "log4j2.properties"
_JARS = Path(pyspark.__file__).parent / "jars"
_MOST_SECONDS = 300.0


def quick_environment() -> dict[str, str]:
    """The environment variables with which Spark starts quickly, and says no more than usual."""
    kept = _kept_classes()
    if kept.exists():
        return _environment(_CONF, f"-XX:SharedArchiveFile={kept}", "-Xlog:cds*=off")
    empty = Path(tempfile.mkdtemp(prefix="purport-spark-conf-"))
    atexit.register(shutil.rmtree, empty, ignore_errors=True)
    return _environment(empty)


def _environment(conf: Path, *options: str) -> dict[str, str]:
    quiet = f"-Dlog4j2.configurationFile={_QUIET.as_uri()}"
    return {
        "SPARK_CONF_DIR": str(conf),
        "SPARK_LAUNCHER_OPTS": shlex.join(JAVA_OPTIONS),
        "SPARK_SUBMIT_OPTS": shlex.join([*JAVA_OPTIONS, quiet, *options]),
    }


def _kept_classes() -> Path:
    """The file for this Java and these classes; Java does not take one of others."""
    java = Path(java_environment()["PURPORT_JAVA_HOME"]).resolve()
    parts = [java / "lib" / "server" / "libjvm.so", *sorted(_JARS.iterdir())]
    found = ((path, path.stat()) for path in parts if path.exists())
    told = [f"{path} {status.st_size} {status.st_mtime_ns}" for path, status in found]
    return _FOLDER / f"{blake2b(repr(told).encode(), digest_size=8).hexdigest()}.jsa"


def _keep(kept: Path) -> None:
    """Run a small stream of every kind of event, after which Java writes what it has read."""
    _CONF.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_FOLDER) as scratch:
        written = Path(scratch) / kept.name
        _run(Path(scratch), _environment(_CONF, f"-XX:ArchiveClassesAtExit={written}"))
        if written.exists():  # not every Java can
            for old in _FOLDER.glob("*.jsa"):
                old.unlink()
            written.replace(kept)


def _run(folder: Path, environment: Mapping[str, str]) -> None:
    events = folder / "events"
    events.mkdir()
    for number in range(2):
        (events / f"{number}.jsonl").write_text(f'{{"@id": "{number}", "a": {number}}}\n{{broken\n')
    asked = ("-s", "{a = 1} as alone", "-s", '{a = 1, start after {a = 0}} as "in time"')
    command = [
        sys.executable, "-m", "purport", "stream", "--from", f"file:{events}?files_per_batch=1",
        "--to", f"parquet:{folder / 'matches'}", *asked, "--until-end", "--measure", "exact",
        "--cores", "2",
    ]  # fmt: skip
    subprocess.run(  # Java has this output too: when it ends, Java has
        command, env={**os.environ, **environment}, capture_output=True, timeout=_MOST_SECONDS
    )


def main() -> None:
    kept = _kept_classes()
    if not kept.exists():
        print("Keeping Spark's classes for the tests (once) ...")  # noqa: T201 - a program
        _keep(kept)


if __name__ == "__main__":
    main()
