"""How long does a large corpus take to become a concept space, and in how much memory?

The corpus is not part of the project: `PURPORT_CORPUS` names a file of JSON lines, compressed by
gzip; `PURPORT_GOLD` a folder of human ratings, as in the benchmark of relatedness.
"""

import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.finding import Finding
from benchmarks.gold import agreements
from purport.pipeline.jobs.default_space import default_texts
from purport.relatedness.concept_space import ConceptSpace
from purport.relatedness.esa import Esa

MOST_MINUTES = 5
MOST_BYTES = 4 * 1024**3
_SECONDS_BETWEEN_LOOKS = 0.25


@dataclass(frozen=True, slots=True)
class Build:
    """What one build took: seconds, and the most that its largest processes had in memory."""

    seconds: float
    driver_bytes: int
    worker_bytes: int


def findings() -> Iterator[Finding]:
    if "PURPORT_CORPUS" not in os.environ:
        yield Finding("no corpus is named: PURPORT_CORPUS=...", "-")
        return
    corpus = Path(os.environ["PURPORT_CORPUS"])
    with tempfile.TemporaryDirectory(prefix="purport-bench-") as folder:
        scratch = Path(folder)
        halves = _halved(corpus, scratch)
        half = _build([halves[0]], scratch / "half")
        whole = _build(halves, scratch / "whole")
        articles = ConceptSpace.open(scratch / "whole").manifest.concepts
        yield Finding(
            f"{articles:,} articles to a space, on {os.cpu_count()} cores",
            f"{whole.seconds / 60:.1f} min",
            f"{MOST_MINUTES} min",
            whole.seconds <= MOST_MINUTES * 60,
        )
        yield Finding(
            "the whole against half of it",
            f"{whole.seconds / half.seconds:.2f} x",
            "about 2 x",
            whole.seconds <= 2.4 * half.seconds,
        )
        for what, size in (("the driver", whole.driver_bytes), ("a worker", whole.worker_bytes)):
            measured = f"{size / 1024**3:.1f} GB"
            yield Finding(f"most memory of {what}", measured, "4 GB", size <= MOST_BYTES)
        if "PURPORT_GOLD" in os.environ:
            texts = default_texts()
            _build([texts.wordnet, texts.leads, corpus], scratch / "all")
            esa = Esa(ConceptSpace.open(scratch / "all"))
            yield from agreements(esa, "esa, corpus added", {"EN-WS-353-ALL.txt": 0.76})


def _halved(corpus: Path, folder: Path) -> list[Path]:
    """The lines of a corpus in two files, alternating."""
    paths = [folder / "one.jsonl.gz", folder / "other.jsonl.gz"]
    with (
        gzip.open(corpus, "rb") as lines,
        gzip.open(paths[0], "wb", compresslevel=1) as one,
        gzip.open(paths[1], "wb", compresslevel=1) as other,
    ):
        for number, line in enumerate(lines):
            (other if number % 2 else one).write(line)
    return paths


def _build(corpora: Sequence[Path], output: Path) -> Build:
    """Build a space in a process of its own, and watch that process and its children."""
    command = [sys.executable, "-m", "purport", "concepts", "build", *map(str, corpora)]
    started = time.perf_counter()
    process = subprocess.Popen([*command, "-o", str(output)], stdout=subprocess.DEVNULL)
    driver = worker = 0
    while process.poll() is None:
        for name, size in _memory_below(process.pid):
            if name == "java":
                driver = max(driver, size)
            else:
                worker = max(worker, size)
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    if process.returncode:
        sys.exit(f"the build of {output.name} failed")
    return Build(time.perf_counter() - started, driver, worker)


def _memory_below(root: int) -> Iterator[tuple[str, int]]:
    """The names of a process and of all below it, with the memory that each has to itself now."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().partition(" (")[2].rpartition(")")
        except OSError:  # it has ended
            continue
        parents[int(path.parent.name)] = (name, int(rest.split()[1]), int(rest.split()[21]))
    page = os.sysconf("SC_PAGE_SIZE")
    below = {root}
    for process, (name, parent, pages) in sorted(parents.items()):
        if process in below or parent in below:
            below.add(process)
            yield name, pages * page
