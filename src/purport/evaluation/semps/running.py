"""Runs of a grid, in processes of this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from purport.evaluation.semps.figures import Figures, Run, figures_of
from purport.evaluation.semps.grid import Cell
from purport.evaluation.semps.processes import Tell, done_in_processes
from purport.network.errors import ScenarioError
from purport.network.outcome import Outcome
from purport.network.simulate import simulate
from purport.network.watching import Progress, Watching


def run_cells(cells: Sequence[Cell], processes: int, tell: Tell) -> list[Run]:
    """The figures of each cell, in their order."""
    found = done_in_processes(run_cell, cells, processes, tell)
    return [Run(cell.point, figures) for cell, figures in zip(cells, found, strict=True)]


def run_cell(cell: Cell, said: Callable[[str], None]) -> Figures:
    """Simulate, and keep the figures."""
    return figures_of(watched(cell, Watching(on_progress=_telling(cell, said))))


def watched(cell: Cell, watching: Watching) -> Outcome:
    """Simulate, and look; a `ScenarioError` names the seed."""
    try:
        return simulate(cell.scenario, cell.seed, watching)
    except ScenarioError as error:
        message = f"{error.message} (seed {cell.seed})"
        raise ScenarioError(error.place, message, str(cell.point)) from None


def _telling(cell: Cell, said: Callable[[str], None]) -> Callable[[Progress], None]:
    def tell(progress: Progress) -> None:
        said(
            f"{cell.scenario.routing}, seed {cell.seed}: round {progress.round:,}, "
            f"{progress.alive:,} of {progress.nodes:,} alive"
        )

    return tell
