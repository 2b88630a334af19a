"""Resident bytes of one of many simple subscriptions: run in a process of its own.

The second hundred thousand are measured. The first fill what was freed after the triples were read.
"""

import gc

from benchmarks.approximate_matching import resident_bytes
from benchmarks.larger_city import MANY, fine_subscriptions, lamps
from purport.sparql import Engine, MemoryStore


def grown(engine: Engine, numbers: range) -> int:
    """By how many bytes a process grows that subscribes to some lamps."""
    gc.collect()
    before = resident_bytes()
    for text in fine_subscriptions(numbers):
        engine.subscribe(text)
    gc.collect()
    return resident_bytes() - before


def main() -> None:
    engine = Engine(MemoryStore.filled(lamps(2 * MANY)))
    grown(engine, range(1, MANY + 1))
    print(grown(engine, range(MANY + 1, 2 * MANY + 1)) / MANY)


main()
