"""The city of SPS'16 with as many more lamps as there are subscriptions, which stand on no road."""

from __future__ import annotations

from collections.abc import Iterator

from pyoxigraph import Literal, Quad

from benchmarks.city_lighting import city, lamp_node, node
from benchmarks.lighting_profiles import subscribe_lamp
from purport.sparql import MemoryStore

MANY = 100_000
NO_ROAD = 0


def larger_city() -> MemoryStore:
    """The city, and lamps of which only a dimming value is known."""
    store = city()
    store.bulk_extend(
        Quad(lamp_node(NO_ROAD, lamp), node("hasDimmingValue"), Literal("50"))
        for lamp in range(1, MANY + 1)
    )
    return MemoryStore(store)


def fine_subscriptions(count: int) -> Iterator[str]:
    """To as many of those lamps, one each; texts that differ in one constant."""
    return (subscribe_lamp(NO_ROAD, lamp) for lamp in range(1, count + 1))
