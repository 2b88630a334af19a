"""Machine code is kept for the sources that it was made of, all of them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import purport

_ASKING = """
from purport.compilation import compiled
from purport.matching.told import ANSWER

@compiled
def answer() -> int:
    return ANSWER

if __name__ == "__main__":
    print(answer())
"""


def test_machine_code_does_not_outlive_a_constant_from_another_module(tmp_path: Path) -> None:
    package = tmp_path / "purport"
    shutil.copytree(Path(purport.__file__).parent, package, ignore=shutil.ignore_patterns("*.nb?"))
    (package / "matching" / "asking.py").write_text(_ASKING)
    told = package / "matching" / "told.py"

    def run() -> str:
        done = subprocess.run(
            [sys.executable, "-m", "purport.matching.asking"],
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    told.write_text("ANSWER = 1\n")
    assert [run(), run()] == ["1", "1"]
    told.write_text("ANSWER = 2\n")
    assert run() == "2"
