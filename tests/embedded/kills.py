"""Kills a broker under load at random moments, opens it again, and counts what became of events.

As a program it does so many times, and writes a report:
`python -m tests.embedded.kills --kills 20 -o docs/reports/broker-kills.md`.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from pyoxigraph import QuerySolutions

from purport import Matcher
from purport.assembly import history_at
from purport.broker.records import Entry, Published
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.storage.opening import open_sqlite_journal
from purport.storage.verification import verify

QUERY = "SELECT ?number WHERE { ?event <urn:number> ?number }"
_STRETCH = 2_000
_START_SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What became of events whose publication was acknowledged; every one matches."""

    kills: int
    acknowledged: int
    kept: int
    lost: int
    doubled: int
    gaps: int  # in the numbers of subscribers
    unheard: int  # by the callback, after all
    heard_twice: int  # under the same id
    updates: int  # that were acknowledged
    updates_lost: int
    answers_wrong: int  # of a query: what was told of it is not what the graph says
    patterns_wrong: int  # of a pattern in time: told wrongly, twice or not at all
    problems: tuple[str, ...]
    seconds: float

    @property
    def is_as_promised(self) -> bool:
        """Nothing acknowledged is lost, nothing is there twice, nobody's numbers have gaps."""
        wrong = self.lost or self.doubled or self.gaps or self.unheard or self.problems
        return not (wrong or self.updates_lost or self.answers_wrong or self.patterns_wrong)


def killed_broker(kills: int, folder: Path, seed: int) -> Aftermath:
    """Let a process publish and hear, and kill it so many times."""
    drawn, began = random.Random(seed), time.monotonic()
    for _ in range(kills):
        _run_and_kill(folder, drawn)
    published = Counter(_lines(folder / "acknowledged"))
    updated = set(_lines(folder / "updated"))
    with open_broker(folder) as broker:
        while broker.delayed():
            time.sleep(0.05)
        asked, told = _asked(broker), _answer_told(broker)
        last = [note.match.event.id for note in broker.subscriber("heard").waiting()]
        entries = [one for one in broker._journal.read() if isinstance(one.record, Published)]
        gaps = sum(_gaps(broker, name) for name in ("heard", "counted", "asked", "after"))
        found = Counter(note.match.event.id for note in broker.subscriber("after").replay())
    kept = Counter(entry.event.id for entry in entries if entry.event)
    heard = Counter(_lines(folder / "heard")) + Counter(str(one) for one in last)
    with closing(open_sqlite_journal(folder / "broker", read_only=True)) as journal:
        problems = verify(journal).problems
    return Aftermath(
        kills,
        len(published),
        len(kept),
        len(published.keys() - kept.keys()),
        sum(kept.values()) - len(kept),
        gaps,
        len(kept.keys() - heard.keys()),
        sum(heard.values()) - len(heard),
        len(updated),
        len(updated - asked.keys()),
        (asked - told).total() + (told - asked).total(),
        _differences(found, Counter(_expected(entries))),
        problems,
        time.monotonic() - began,
    )


def open_broker(folder: Path) -> Broker:
    """The broker that is killed; it seals often."""
    journal = open_sqlite_journal(folder / "broker", stretch_size=_STRETCH)
    return Broker(
        journal,
        history=partial(history_at, folder / "broker"),
        matcher=lambda: Matcher(measure="exact"),
        settings=BrokerSettings(snapshot_every=_STRETCH),
    )


def load(folder: Path) -> None:
    """Publish for ever, and note what was acknowledged and what was heard."""
    acknowledged = os.open(folder / "acknowledged", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    updated = os.open(folder / "updated", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    heard = os.open(folder / "heard", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    broker = open_broker(folder)
    broker.subscribe(
        "{a >= 0} as heard", lambda note: os.write(heard, f"{note.match.event.id}\n".encode())
    )
    broker.subscribe("{a >= 0} as counted", most_waiting=10_000_000)
    broker.subscribe(QUERY, name="asked", most_waiting=10_000_000)
    broker.subscribe("{a = 3, start after {a = 5}} as after", most_waiting=10_000_000)
    drawn = random.Random(os.getpid())
    while True:
        events = [{"a": drawn.randrange(9)} for _ in range(drawn.randrange(1, 30))]
        receipts = broker.publish_all(events)
        os.write(acknowledged, "".join(f"{one.event_id}\n" for one in receipts).encode())
        number = receipts[-1].sequence
        later = timedelta(seconds=drawn.random()) if drawn.random() < 0.1 else None
        broker.update(f"INSERT DATA {{ <urn:e{number}> <urn:number> {number} }}", after=later)
        if later is None:  # or else it may be yet to come in the end
            os.write(updated, f"{number}\n".encode())
        if drawn.random() < 0.02:
            broker.compact()


def _run_and_kill(folder: Path, drawn: random.Random) -> None:
    before = len(_lines(folder / "acknowledged"))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.embedded.kills", "--load", str(folder)]
    )
    try:
        deadline = time.monotonic() + _START_SECONDS
        while len(_lines(folder / "acknowledged")) <= before:
            assert process.poll() is None, "the process ended before it could be killed"
            assert time.monotonic() < deadline, "the process did not get on"
            time.sleep(0.02)
        time.sleep(drawn.uniform(0, 1.0))
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def _gaps(broker: Broker, name: str) -> int:
    numbers = [note.sequence for note in broker.subscriber(name).replay()]
    return sum(1 for one, number in enumerate(numbers) if one != number)


def _expected(entries: Sequence[Entry]) -> Iterator[str | None]:
    """The events that the pattern in time is about: every 3 after the first 5."""
    is_begun = False
    for entry in entries:
        assert entry.event is not None
        number = str(entry.event.statements[0].value)
        if is_begun and number == "3":
            yield entry.event.id
        is_begun |= number == "5"


def _differences(one: Counter[str | None], other: Counter[str | None]) -> int:
    return (one - other).total() + (other - one).total()


def _asked(broker: Broker) -> Counter[str]:
    """What the graph says."""
    found = broker.query(QUERY)
    assert isinstance(found, QuerySolutions)
    return Counter(one["number"].value for one in found)


def _answer_told(broker: Broker) -> Counter[str]:
    """The same, by what a subscriber was told."""
    answer: Counter[str] = Counter()
    for note in broker.subscriber("asked").replay():
        answer.update(getattr(one["number"], "value", "") for one in note.added)
        answer.subtract(getattr(one["number"], "value", "") for one in note.removed)
    return answer


def _lines(path: Path) -> list[str]:
    """The whole lines of a file; one that a process died over is none."""
    if not path.exists():
        return []
    *lines, _ = path.read_text().split("\n")
    return lines


def report(aftermath: Aftermath) -> str:
    """What happened, as a page."""
    one = aftermath
    rows = {
        "kills": one.kills,
        "events acknowledged": one.acknowledged,
        "events kept": one.kept,
        "acknowledged and lost": one.lost,
        "kept twice": one.doubled,
        "gaps in the numbers of subscribers": one.gaps,
        "never heard": one.unheard,
        "heard again, under the same id": one.heard_twice,
        "updates acknowledged": one.updates,
        "updates acknowledged and lost": one.updates_lost,
        "differences between the graph and what a subscribed query was told": one.answers_wrong,
        "patterns in time told wrongly, twice or not at all": one.patterns_wrong,
        "problems that `purport journal verify` finds": len(one.problems),
    }
    table = "\n".join(f"| {what} | {count:,} |" for what, count in rows.items())
    return f"""# A broker, killed under load

A process publishes to a durable broker as quickly as it can, several events at once, and hears
them through a callback; it is killed (`kill -9`) at random moments and started again. Every event
matches two subscriptions, and some a third one, to a pattern in time. It also runs SPARQL updates,
some of them delayed, to a query that is subscribed to. An event is *acknowledged* when
`publish_all` has returned, an update when `update` has.

| | |
|---|---|
{table}

What is kept and not acknowledged was about to be acknowledged when the process died. What is heard
again is what a crash costs *at least once*: acknowledgements are written once a second.

Python {platform.python_version()}, {os.cpu_count()} cores, {one.seconds:.0f} s: `make test-long`.
"""


def main() -> None:
    """Kill a broker, and write the report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--load", type=Path)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    if given.load is not None:
        load(given.load)
    with tempfile.TemporaryDirectory() as folder:
        aftermath = killed_broker(given.kills, Path(folder), seed=1)
    sys.stdout.write(report(aftermath))
    if not aftermath.is_as_promised:
        sys.exit(f"not as promised: {aftermath}")
    if given.output is not None:
        given.output.write_text(report(aftermath))


if __name__ == "__main__":
    main()
