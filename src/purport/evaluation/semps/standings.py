"""How routings did, each at a point of the grid, over all seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from purport.evaluation.semps.figures import Figures, Run
from purport.evaluation.semps.grid import Point
from purport.evaluation.semps.intervals import Interval

Figure = Callable[[Figures], float | None]


@dataclass(frozen=True, slots=True)
class Standing:
    """A routing at a point of the grid, with its runs in the order of their seeds."""

    point: Point
    routing: str
    runs: tuple[Figures, ...]

    def interval(self, figure: Figure) -> Interval | None:
        """The mean of a figure; none if a run has none, such as a round that was not reached."""
        values = [figure(run) for run in self.runs]
        known = [value for value in values if value is not None]
        return Interval.of(known) if len(known) == len(values) else None

    def mean(self, figure: Callable[[Figures], float]) -> float:
        """The mean of a figure that every run has."""
        return Interval.of([figure(run) for run in self.runs]).mean


def standings(runs: Sequence[Run]) -> list[Standing]:
    """Who did how, in the order of the runs."""
    found: dict[tuple[Point, str], list[Figures]] = {}
    for run in runs:
        found.setdefault((run.point, run.figures.routing), []).append(run.figures)
    return [Standing(*key, tuple(figures)) for key, figures in found.items()]


def at_points(standing: Sequence[Standing]) -> dict[Point, dict[str, Standing]]:
    """The same by points, and there by routings."""
    found: dict[Point, dict[str, Standing]] = {}
    for one in standing:
        found.setdefault(one.point, {})[one.routing] = one
    return found


def joules_per_delivery(run: Figures) -> float | None:
    """What all nodes spent for each event that somebody got who was due it."""
    spent = run.computation_j + run.control_j + run.data_j + run.idle_j
    return spent / run.delivered if run.delivered else None


def sent_per_event(run: Figures) -> float:
    """Transmissions for each event that was published."""
    return run.data_transmissions / run.published if run.published else 0.0


def control_per_round(run: Figures) -> float:
    """Transmissions of control in each round."""
    return run.control_transmissions / run.rounds if run.rounds else 0.0


def share_lost(run: Figures) -> float:
    """The share of all copies that were lost."""
    sent = run.data_sent + run.control_sent
    return (run.data_lost + run.control_lost) / sent if sent else 0.0
