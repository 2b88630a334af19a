"""Kills a streaming job at random moments and starts it again, and counts what became of events.

As a program it does so many times for each sink, and writes a report:
`python -m tests.pipeline.kills --kills 20 -o docs/reports/kills.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from tests.http_service import PostHandler, serving

SINKS = ("parquet", "jsonl", "http")
_FILES_A_KILL = 5
_EVENTS_A_FILE = 40
_MOST_SECONDS = 180.0
_FIRST_SECOND = 1_600_000_000
_ALONE = "{a = 1} as alone"
_IN_TIME = '{a = 1, start after {a = 1}} as "in time"'


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What became of the events of a job that was killed: all of them were to be matched."""

    sink: str
    kills: int
    batches: int
    expected: int
    lost: int
    doubled: int
    dead_letters: int
    dead_letters_expected: int
    killed_in: Counter[str] = field(default_factory=Counter)

    @property
    def is_as_promised(self) -> bool:
        """Nothing is lost, and nothing doubled in files."""
        is_once = not self.doubled or self.sink == "http"
        return is_once and not self.lost and self.dead_letters == self.dead_letters_expected


def run_to_end(arguments: list[str]) -> None:
    """Run a command in a process of its own."""
    done = subprocess.run(_typed(arguments), capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr.decode()


def killed_job(
    sink: str,
    kills: int,
    folder: Path,
    seed: int,
    *,
    in_time: bool = False,
    finish: Callable[[list[str]], None] = run_to_end,
) -> Aftermath:
    """Run a job to its end, through so many kills; in time, all but the first answer too."""
    drawn = random.Random(seed)
    files = _FILES_A_KILL * (kills + 1)
    events = folder / "events"
    events.mkdir()
    for number in range(files):
        lines = [_line(number, one) for one in range(_EVENTS_A_FILE)]
        path = events / f"{number:04}.jsonl"
        path.write_text("\n".join([*lines, "{broken"]))
        os.utime(path, (_FIRST_SECOND + number, _FIRST_SECOND + number))
    with _receiver() as receiver:
        target = receiver.url if sink == "http" else f"{sink}:{folder / 'matches'}"
        state = folder / "state"
        asked = f"{_ALONE}\n{_IN_TIME}" if in_time else _ALONE
        command = _command(events, target, state, asked)
        killed_in: Counter[str] = Counter()
        for _ in range(kills):
            killed_in[_run_and_kill(command, state, drawn)] += 1
        finish(command)
        arrived = receiver.arrived if sink == "http" else _written(folder / "matches", sink)
    names = [f"{number}-{one}" for number in range(files) for one in range(_EVENTS_A_FILE)]
    expected = {("alone", name) for name in names}
    if in_time:
        expected |= {("in time", name) for name in names[1:]}
    letters = ds.dataset(state / "dead_letters", partitioning="hive").count_rows()
    return Aftermath(
        sink,
        kills,
        len((state / "batches.jsonl").read_text().splitlines()),
        len(expected),
        len(expected - set(arrived)),
        sum(arrived.values()) - len(set(arrived)),
        letters,
        files,
        killed_in,
    )


def _line(file: int, place: int) -> str:
    time = _FIRST_SECOND + _EVENTS_A_FILE * file + place
    return json.dumps({"@id": f"{file}-{place}", "a": 1, "@start": time, "@end": time})


def _command(events: Path, target: str, state: Path, asked: str) -> list[str]:
    return [
        "stream", "--from", f"file:{events}?files_per_batch=1", "--to", target,
        "-s", asked, "--checkpoint", str(state), "--until-end",
        "--cores", "2", "--measure", "exact", "--json",
    ]  # fmt: skip


def _typed(arguments: list[str]) -> list[str]:
    return [sys.executable, "-m", "purport", *arguments]


def _run_and_kill(arguments: list[str], state: Path, drawn: random.Random) -> str:
    """Start a job, kill it after a batch or two, at any moment; where it was by then."""
    process = subprocess.Popen(
        _typed(arguments),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        before = _batches(state)
        deadline = time.monotonic() + _MOST_SECONDS
        while _batches(state) == before:
            assert process.poll() is None, "the job ended before it could be killed"
            assert time.monotonic() < deadline, "the job did not get on"
            time.sleep(0.01)
        time.sleep(drawn.uniform(0, 0.8))
    finally:
        phase = _phase(state)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        _wait_for_the_rest(process.pid)
    return phase


def _wait_for_the_rest(group: int) -> None:
    """Its Java ends by itself a moment later; until then it may write to Spark's own log."""
    deadline = time.monotonic() + _MOST_SECONDS
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            time.sleep(0.01)
        pytest.fail("what the job had started did not end")


def _batches(state: Path) -> int:
    path = state / "batches.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _phase(state: Path) -> str:
    """What the job was doing, as far as one can see from outside."""
    offsets, commits = (
        len([one for one in (state / "spark" / name).glob("*") if one.name.isdigit()])
        for name in ("offsets", "commits")
    )
    if offsets == commits:
        return "between batches"
    return "after a batch was kept" if _batches(state) >= offsets else "in a batch"


def _written(folder: Path, sink: str) -> Counter[tuple[str, str]]:
    kind = "parquet" if sink == "parquet" else "json"
    paths = [str(path) for path in folder.glob(f"batch=*/*.{kind}") if path.stat().st_size]
    names = ["subscription", "event_id"]
    found = ds.dataset(paths, format=kind).to_table(columns=names)
    return Counter(zip(*(found.column(name).to_pylist() for name in names), strict=True))


@dataclass(slots=True)
class _Receiver:
    """What a webhook got."""

    url: str
    arrived: Counter[tuple[str, str]]


@contextmanager
def _receiver() -> Iterator[_Receiver]:
    arrived: Counter[tuple[str, str]] = Counter()

    class Handler(PostHandler):
        def answer(self, body: bytes) -> None:
            matches = json.loads(body)["matches"]
            arrived.update((match["subscription"], match["event_id"]) for match in matches)
            self.send_response(204)
            self.end_headers()

    with serving(Handler) as address:
        yield _Receiver(f"{address}/", arrived)


def report(found: list[Aftermath], seconds: float) -> str:
    """A report in Markdown."""
    head = "| sink | kills | batches | events | lost | doubled | dead letters | killed |"
    rows = [
        f"| `{one.sink}:` | {one.kills} | {one.batches} | {one.expected:,} | {one.lost} | "
        f"{one.doubled} | {one.dead_letters} of {one.dead_letters_expected} | "
        f"{', '.join(f'{count} {phase}' for phase, count in one.killed_in.most_common())} |"
        for one in found
    ]
    return "\n".join(
        [
            "# Killed and started again",
            "",
            "A streaming job is killed (`kill -9` of the driver) at random moments and started",
            "again, until it has read everything. Every event matches (into `parquet:` all",
            "but the first also in time, after another); every file has a broken line too.",
            "Into files nothing is lost and nothing doubled. A webhook gets everything,",
            "and what comes twice comes under the same ids.",
            "",
            head,
            "|---|---|---|---|---|---|---|---|",
            *rows,
            "",
            f"Python {platform.python_version()}, {os.cpu_count()} cores, {seconds:.0f} s, by "
            "`make test-long`.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    began = time.monotonic()
    found = []
    for sink in SINKS:
        with tempfile.TemporaryDirectory(prefix="purport-kills-") as folder:
            in_time = sink == "parquet"
            aftermath = killed_job(sink, given.kills, Path(folder), seed=2026, in_time=in_time)
        if not aftermath.is_as_promised:
            sys.exit(f"not what was promised: {aftermath}")
        found.append(aftermath)
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(report(found, time.monotonic() - began), encoding="utf-8")


if __name__ == "__main__":
    main()
