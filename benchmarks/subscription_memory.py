"""Bytes by which a process grows for one of many simple subscriptions: run on its own."""

import gc

from benchmarks.approximate_matching import resident_bytes
from benchmarks.larger_city import MANY, fine_subscriptions, larger_city
from benchmarks.lighting_profiles import subscribe_lamp
from purport.sparql import Engine

engine = Engine(larger_city())
engine.subscribe(subscribe_lamp(1, 1))  # what all of them share is there
gc.collect()
before = resident_bytes()
for text in fine_subscriptions(MANY):
    engine.subscribe(text)
gc.collect()
print((resident_bytes() - before) / MANY)
