"""Does memory stay flat over 20 million events, three of whose ten values never come again?"""

import random
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from benchmarks.approximate_matching import resident_bytes
from benchmarks.matching_workload import MatchingWorkload
from benchmarks.measure import Finding, at_least, at_most
from purport import Matcher
from purport.relatedness.catalogue import defaults_are_made

BATCH = 100_000
BATCHES = 200
WARM_BATCHES = 20


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    workload = MatchingWorkload.generate(100, 5_000)
    matcher = Matcher(workload.subscriptions)
    drawn, random_bytes = np.random.default_rng(1), random.Random(1)
    found, seconds, warm = 0, 0.0, 0
    for number in range(BATCHES):
        table = _table(workload, drawn, random_bytes)
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


def _table(
    workload: MatchingWorkload, drawn: np.random.Generator, random_bytes: random.Random
) -> pa.Table:
    """Events in the workload's words, with readings, times and identifiers of their own."""
    pairs = [list(event.items())[:7] for event in workload.events]
    chosen = drawn.integers(0, len(pairs), BATCH)
    rows = np.array([[*event[:7]] for event in pairs if len(event) == 7])
    words = rows[chosen % len(rows)]
    own = [
        pa.array(drawn.uniform(0, 1000, BATCH).round(6)).cast(pa.string()),
        pa.array(drawn.integers(0, 2**50, BATCH)).cast(pa.timestamp("us")).cast(pa.string()),
        _identifiers(random_bytes),
    ]
    names = np.concatenate(
        [words[:, :, 0], np.tile(["value", "observed at", "observation"], (BATCH, 1))], axis=1
    )
    values = np.concatenate(
        [words[:, :, 1], np.stack([np.array(one.to_pylist()) for one in own], axis=1)], axis=1
    )
    statements = pa.MapArray.from_arrays(
        pa.array(np.arange(0, 10 * BATCH + 1, 10), pa.int32()),
        pa.array(names.ravel()).dictionary_encode(),
        pa.array(values.ravel()),
    )
    return pa.table(
        {"event_id": pa.array(np.arange(BATCH)).cast(pa.string()), "statements": statements}
    )


def _identifiers(random_bytes: random.Random) -> pa.Array:
    spelt = random_bytes.randbytes(16 * BATCH).hex().encode()
    offsets = np.arange(0, 32 * BATCH + 1, 32, dtype=np.int32)
    return pa.StringArray.from_buffers(BATCH, pa.py_buffer(offsets), pa.py_buffer(spelt))
