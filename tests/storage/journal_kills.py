"""Kills a process that appends to a journal and seals it, and counts what became of the entries.

As a program it is that process: `python -m tests.storage.journal_kills FOLDER`.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet  # noqa: F401  (before the first kill)

from purport.storage.opening import open_sqlite_journal
from purport.storage.verification import verify
from tests.contracts.journal import Sample

_BATCH = 20
_STRETCH = 150


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What is there after some kills."""

    kills: int
    acknowledged: int
    kept: int
    stretches: int
    problems: tuple[str, ...]

    @property
    def is_as_promised(self) -> bool:
        """Nothing acknowledged is lost, and nothing is wrong."""
        return self.kept >= self.acknowledged and not self.problems


def killed_journal(folder: Path, kills: int, seed: int) -> Aftermath:
    """Append to a journal, through so many kills."""
    drawn = random.Random(seed)
    acknowledged = 0
    for _ in range(kills):
        command = [sys.executable, "-m", "tests.storage.journal_kills", str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            first = int(process.stdout.readline())
            assert first >= acknowledged
            time.sleep(drawn.uniform(0.02, 0.4))
            process.send_signal(signal.SIGKILL)
            lines = process.stdout.read().split("\n")
        acknowledged = int(lines[-2]) if len(lines) > 1 else first
    with closing(open_sqlite_journal(folder, stretch_size=_STRETCH)) as journal:
        found = verify(journal)
        problems = list(found.problems)
        files = sorted(path.name for path in (folder / "stretches").iterdir())
        if files != [stretch.name for stretch in journal.stretches()]:
            problems.append(f"the files are {files}")
        told = journal.told("a", -1, journal.last)
        if [entry.sequence for entry in told] != list(range(1, journal.last + 1)):
            problems.append("not everybody was told of everything")
        return Aftermath(kills, acknowledged, journal.last, len(files), tuple(problems))


def _append_for_ever(folder: Path) -> None:
    """Say how far it is, whenever a batch is acknowledged."""
    with closing(open_sqlite_journal(folder, stretch_size=_STRETCH)) as journal:
        sample = Sample()
        sample.publications(journal.last, "a")
        is_done = threading.Event()

        def seal() -> None:
            while not is_done.is_set():
                journal.seal()

        threading.Thread(target=seal, daemon=True).start()
        print(journal.last, flush=True)  # noqa: T201
        while True:
            journal.append(sample.publications(_BATCH, "a"))
            print(journal.last, flush=True)  # noqa: T201
            time.sleep(0.001)  # in which the other thread gets on


if __name__ == "__main__":
    _append_for_ever(Path(sys.argv[1]))
