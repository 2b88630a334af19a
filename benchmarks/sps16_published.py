"""What SPS'16 reports, as data."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.lighting_profiles import Experiment


@dataclass(frozen=True, slots=True)
class Indicators:
    """A column of Table 8."""

    triples_per_update: float
    hit_rate_percent: float
    notifications: int
    updates_per_second: float
    subscriptions_per_second: float
    triples_per_second: float
    shortest_latency_ms: float
    longest_latency_ms: float
    impact: float
    share_percent: dict[str, float]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the appendix expects when every subscriber is told of every update."""

    update_ms: float
    lookup_ms: float
    notifications_per_second: float

    def updates_per_second(self, subscribers: int) -> float:
        """Its equation (8)."""
        return 1000 / (self.update_ms + subscribers * self.lookup_ms)


def indicators(experiment: Experiment) -> Indicators:
    """Table 8."""
    return Indicators(**_published()["table_8"][experiment])


def without_lookup(experiment: Experiment) -> float:
    """Table 9: how many times more updates a second there are with its look-up tables."""
    return float(_published()["table_9"][experiment]["ratio"])


def prediction(experiment: Experiment) -> Prediction:
    """Section X.F."""
    return Prediction(**_published()["appendix"][experiment])


def modes() -> tuple[float, float]:
    """Figure 7: seconds of the sequential and of the parallel mode."""
    figure = _published()["figure_7"]
    return figure["sequential_s"], figure["parallel_s"]


def knowledge_base() -> dict[str, int]:
    """Table 2."""
    counts: dict[str, int] = _published()["table_2"]
    return counts


@cache
def _published() -> dict[str, Any]:
    path = Path(__file__).with_name("sps16_published.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))
