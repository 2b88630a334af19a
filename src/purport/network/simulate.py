"""A run, from a scenario and a seed to what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from purport.network.outcome import Outcome
from purport.network.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come."""

    round: int
    alive: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Watching:
    """What is kept of a run beside its figures: networks after some rounds, messages of some."""

    snapshots_after: tuple[int, ...] = ()  # rounds; 0 is the beginning
    snapshots_every: int | None = None
    steps_of: tuple[int, ...] = ()  # rounds, from 1
    on_progress: Callable[[Progress], None] | None = None


def simulate(scenario: Scenario, seed: int, watching: Watching | None = None) -> Outcome:
    """Run a scenario; `ScenarioError` if it cannot be."""
    raise NotImplementedError
