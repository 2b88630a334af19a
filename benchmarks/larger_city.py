"""The city of SPS'16 with many more lamps, one for each subscription, which stand on no road."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from pyoxigraph import Literal, Quad

from benchmarks.city_lighting import lamp_node, node, quads
from benchmarks.lighting_profiles import subscribe_lamp
from purport.sparql import MemoryStore

MANY = 100_000
NO_ROAD = 0


def larger_city() -> MemoryStore:
    """The city, and as many lamps of which only a dimming value is known."""
    return MemoryStore.filled(chain(quads(), lamps(MANY)))


def lamps(count: int) -> Iterator[Quad]:
    """What is known of those lamps."""
    for lamp in range(1, count + 1):
        yield Quad(lamp_node(NO_ROAD, lamp), node("hasDimmingValue"), Literal("50"))


def fine_subscriptions(numbers: Iterable[int]) -> Iterator[str]:
    """To some of those lamps, one each; texts that differ in one constant."""
    return (subscribe_lamp(NO_ROAD, lamp) for lamp in numbers)
