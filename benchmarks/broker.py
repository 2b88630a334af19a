"""How quick is a broker, durable and in memory, and how quick is it back after a restart?"""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.finding import Finding, at_least, at_most, quickest_seconds
from benchmarks.matching_workload import MatchingWorkload
from purport import Broker, Event
from purport.broker.journal import Snapshot
from purport.broker.matching_engine import MatchingEngine
from purport.broker.records import Entry, Published
from purport.broker.restart import restored
from purport.relatedness.catalogue import defaults_are_made
from purport.storage.opening import open_sqlite_journal
from purport.storage.verification import verify

EVENTS = 20_000
SINGLE = 2_000
TOGETHER = 100
MANY = 10_000_000


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    workload = MatchingWorkload.generate(100, EVENTS)
    with tempfile.TemporaryDirectory() as folder:
        yield from _durable(workload, Path(folder))
    yield from _in_memory(workload)


def long_journal() -> Iterator[Finding]:
    """A journal of ten million entries: building it takes some minutes."""
    with tempfile.TemporaryDirectory() as folder:
        workload = MatchingWorkload.generate(100, EVENTS)
        with Broker.open(folder) as broker:
            for subscription in workload.subscriptions:
                broker.subscribe(subscription)
        started = time.perf_counter()
        _fill(Path(folder), workload)
        yield Finding(f"{MANY:,} entries are written and sealed in", _seconds(started))
        size = sum(one.stat().st_size for one in Path(folder).rglob("*") if one.is_file())
        yield Finding("bytes of an entry", f"{size / MANY:,.0f}")
        started = time.perf_counter()
        with Broker.open(folder) as broker:
            took = time.perf_counter() - started
            receipt = broker.publish(workload.events[0])
            yield Finding("and the first publication after", _seconds(started))
        yield at_most(f"seconds to open a broker of {receipt.sequence:,} entries", took, 5)
        with closing(open_sqlite_journal(Path(folder), read_only=True)) as journal:
            started = time.perf_counter()
            found = verify(journal)
            rate = found.entries / (time.perf_counter() - started)
        yield at_least("entries verified in a second", rate, 200_000)
        yield Finding("problems found", str(len(found.problems)), "0", not found.problems)


def _durable(workload: MatchingWorkload, folder: Path) -> Iterator[Finding]:
    with Broker.open(folder) as broker:
        for subscription in workload.subscriptions:
            broker.subscribe(subscription)
        broker.publish_all(workload.events)

        def publish() -> None:
            for start in range(0, EVENTS, TOGETHER):
                broker.publish_all(workload.events[start : start + TOGETHER])

        seconds = quickest_seconds(publish, runs=3)
        yield at_least(f"events a second, durable, {TOGETHER} at once", EVENTS / seconds, 20_000)
        singles = workload.events[:SINGLE]
        single = quickest_seconds(lambda: [broker.publish(one) for one in singles], runs=3) / SINGLE
        sync = _sync_seconds(folder)
        yield at_least("events a second, durable, one by one", 1 / single)
        yield Finding("  a write of 4 KiB and its sync take, median", f"{1e6 * sync:,.0f} µs")
        yield Finding("  a publication takes, of such a sync", f"{single / sync:.1f} x")


def _in_memory(workload: MatchingWorkload) -> Iterator[Finding]:
    with Broker.in_memory() as broker:
        for subscription in workload.subscriptions:
            broker.subscribe(subscription)
        broker.publish_all(workload.events)
        singles = workload.events[:SINGLE]
        seconds = quickest_seconds(lambda: [broker.publish(one) for one in singles])
        yield at_least("events a second, in memory, one by one", SINGLE / seconds, 25_000)
        events = [Event.from_json(one) for one in singles]
        seconds = quickest_seconds(lambda: [broker.publish(one) for one in events])
        yield at_least("the same, of events that are made already", SINGLE / seconds)


def _fill(folder: Path, workload: MatchingWorkload) -> None:
    """Add publications to a journal as a broker does, with a snapshot at the end."""
    events = [Event.from_json(one) for one in workload.events]
    nothing = Published()
    with closing(open_sqlite_journal(folder)) as journal:
        state = restored(journal, [MatchingEngine()])
        while journal.last < MANY:
            first = journal.last + 1
            entries = [
                Entry(first + place, state.at + first, nothing, event.with_id(f"e{first + place}"))
                for place, event in enumerate(events)
            ]
            journal.append(entries)
            for entry in entries:
                state.apply(entry)
            if journal.last < MANY:  # what came after the last snapshot is applied again
                journal.keep_snapshot(Snapshot(state.sequence, state.snapshot()))
            while journal.seal() is not None:
                pass


def _sync_seconds(folder: Path) -> float:
    taken = []
    with (folder / "sync").open("wb") as file:
        for _ in range(200):
            file.write(bytes(4096))
            started = time.perf_counter()
            file.flush()
            os.fsync(file.fileno())
            taken.append(time.perf_counter() - started)
    return sorted(taken)[len(taken) // 2]


def _seconds(started: float) -> str:
    return f"{time.perf_counter() - started:,.1f} s"
