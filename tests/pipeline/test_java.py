import os
import subprocess
import sys
from pathlib import Path

import pytest

from purport.errors import JavaNotFound
from purport.pipeline import java


def fake_java(folder: Path, version: str) -> Path:
    """A `java` that only says its version; its home is given back."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return folder


def path_without_java(folder: Path) -> str:
    """A PATH on which every program of the present one is, except `java`."""
    for entry in os.environ["PATH"].split(os.pathsep):
        for program in Path(entry).iterdir() if Path(entry).is_dir() else ():
            link = folder / program.name
            if program.name != "java" and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


def test_a_system_java_that_is_new_enough_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "old", "1.8.0_402")))
    new = fake_java(tmp_path / "new", "21.0.2")
    monkeypatch.setenv("PATH", str(new / "bin"))

    assert java.java_environment()["PURPORT_JAVA_HOME"] == str(new)


def test_below_a_process_of_ours_the_java_behind_the_launcher_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, "21.0.2")))
    environment = java.java_environment()
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert java.java_environment() == environment


def test_without_a_system_java_the_packaged_one_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    home = Path(java.java_environment()["PURPORT_JAVA_HOME"])

    assert home.name == "java-runtime"
    assert (home / "bin" / "java").is_file()


def test_without_any_java_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)

    with pytest.raises(JavaNotFound, match="Java 17 or newer"):
        java.java_environment()


def test_spark_runs_with_no_java_on_the_path_and_says_nothing_of_it(tmp_path: Path) -> None:
    program = """
from purport.pipeline.session import local_session
spark = local_session(cores="1")
batches = lambda batches: batches
print(spark.range(3).mapInArrow(batches, "id long").count(), spark.version)
spark.stop()
"""
    environment = {name: text for name, text in os.environ.items() if name != "JAVA_HOME"}
    environment["PATH"] = path_without_java(tmp_path)

    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3 4.")
    assert done.stderr == ""
