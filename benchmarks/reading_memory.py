"""Does memory stay flat while a gigabyte of JSON lines is read?"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.finding import Finding
from purport.demo.city import City

GIGABYTE = 10**9
MOST_GROWTH_MB = 16

READ = """
import os, sys
from pathlib import Path
from purport.model.event_lines import events_in_file

def resident_mb():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

count, early, most = 0, 0.0, 0.0
for said in events_in_file(Path(sys.argv[1])):
    count += 1
    if count % 100_000 == 0:
        most = max(most, resident_mb())
        early = most if count <= 200_000 else early
print(count, early, most)
"""


def findings() -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.jsonl"
        _write(path)
        read = subprocess.run(
            [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True
        )
    count, early, late = (float(number) for number in read.stdout.split())
    yield Finding("events read from 1 GB of JSON lines", f"{count:,.0f}")
    yield Finding("memory after 200,000 events", f"{early:,.0f} MB")
    yield Finding(
        "... grown at the most until the end of the file",
        f"{late - early:,.0f} MB",
        f"{MOST_GROWTH_MB} MB",
        late - early <= MOST_GROWTH_MB,
    )


def _write(path: Path) -> None:
    """A gigabyte: the city over and over, with ids that do not repeat."""
    City(events=20_000).write_lines(path.parent / "city", files=1)
    lines = (path.parent / "city" / "sensors-000.jsonl").read_bytes()
    written = rounds = 0
    with path.open("wb") as file:
        while written < GIGABYTE:
            rounds += 1
            written += file.write(lines.replace(b'"city-', b'"city-%d-' % rounds))
