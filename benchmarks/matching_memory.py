"""Does memory stay flat over 20 million events, three of whose ten values never come again?"""

import random
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.approximate_matching import resident_bytes
from benchmarks.finding import Finding, at_least, at_most
from benchmarks.matching_workload import WORDS, MatchingWorkload
from purport import Matcher
from purport.relatedness.catalogue import defaults_are_made

BATCH = 100_000
BATCHES = 200
WARM_BATCHES = 20
OWN = ("value", "observed at", "observation")


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    workload = MatchingWorkload.generate(100, 5_000)
    matcher = Matcher(workload.subscriptions)
    tables = _Tables(workload)
    found, seconds, warm = 0, 0.0, 0
    for number in range(BATCHES):
        table = tables.next()
        started = time.perf_counter()
        found += len(matcher.match_table(table))
        seconds += time.perf_counter() - started
        if number == WARM_BATCHES - 1:
            warm = resident_bytes()
    grown = (resident_bytes() - warm) / 1_000_000
    yield Finding("events matched", f"{BATCH * BATCHES:,}")
    yield Finding("matches", f"{found:,}")
    yield at_least("events a second", BATCH * BATCHES / seconds)
    yield at_most(f"grown after the first {BATCH * WARM_BATCHES:,}, in MB", grown, 50)


class _Tables:
    """Events in the words of a workload, with readings, times and identifiers of their own."""

    def __init__(self, workload: MatchingWorkload) -> None:
        events = [list(event.items())[:WORDS] for event in workload.events]
        events = [event for event in events if len(event) == WORDS]
        names = sorted({name for event in events for name, _ in event})
        words = sorted({str(word) for event in events for _, word in event})
        self._names = pa.array([*names, *OWN])
        self._words = pa.array(words)
        own = [len(names) + number for number in range(len(OWN))]
        self._name_rows = np.array([[names.index(name) for name, _ in e] + own for e in events])
        places = {word: place for place, word in enumerate(words)}
        self._word_rows = np.array([[places[str(word)] for _, word in event] for event in events])
        self._drawn, self._bytes = np.random.default_rng(1), random.Random(1)

    def next(self) -> pa.Table:
        chosen = self._drawn.integers(0, len(self._word_rows), BATCH)
        own = np.arange(len(OWN)) * BATCH + np.arange(BATCH)[:, None] + len(self._words)
        readings = pa.array(self._drawn.uniform(0, 1000, BATCH).round(6)).cast(pa.string())
        instants = pa.array(self._drawn.integers(0, 2**50, BATCH)).cast(pa.timestamp("us", "UTC"))
        times = pc.strftime(instants, "%Y-%m-%dT%H:%M:%SZ")
        values = pa.DictionaryArray.from_arrays(
            pa.array(np.hstack([self._word_rows[chosen], own]).ravel().astype(np.int32)),
            pa.concat_arrays([self._words, readings, times, _identifiers(self._bytes)]),
        )
        names = pa.DictionaryArray.from_arrays(
            pa.array(self._name_rows[chosen].ravel().astype(np.int32)), self._names
        )
        offsets = pa.array(np.arange(0, 10 * BATCH + 1, 10), pa.int32())
        ids = pa.array(np.arange(BATCH)).cast(pa.string())
        statements = pa.MapArray.from_arrays(offsets, names, values)
        return pa.table({"event_id": ids, "statements": statements})


def _identifiers(random_bytes: random.Random) -> pa.Array:
    spelt = random_bytes.randbytes(16 * BATCH).hex().encode()
    offsets = np.arange(0, 32 * BATCH + 1, 32, dtype=np.int32)
    return pa.StringArray.from_buffers(BATCH, pa.py_buffer(offsets), pa.py_buffer(spelt))
