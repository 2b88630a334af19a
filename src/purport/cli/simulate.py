"""`purport simulate`: a sensor network, routing by routing, seed by seed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from purport.cli.json_lines import print_json
from purport.cli.on_spark import on_spark
from purport.cli.options import AsJson
from purport.cli.simulation_progress import simulation_progress
from purport.errors import InvalidInput, UnusablePath

if TYPE_CHECKING:
    from purport.evaluation.semps.figures import Run
    from purport.evaluation.semps.film import Film
    from purport.evaluation.semps.grid import Cell, Point
    from purport.evaluation.semps.page_report import Findings
    from purport.network.scenario import Scenario

ScenarioFile = Annotated[
    Path | None,
    typer.Argument(metavar="SCENARIO.toml", help="A scenario; else 500 nodes, as in the paper."),
]
Routings = Annotated[
    list[str] | None,
    typer.Option(
        "--routing", "-r", metavar="NAME", help="One to run, repeatable; else the file's, or all."
    ),
]
Seeds = Annotated[
    int, typer.Option(min=1, metavar="N", help="How many networks, from as many seeds.")
]
FirstSeed = Annotated[
    int, typer.Option("--seed", min=0, metavar="N", help="The first of the seeds.")
]
Sweeps = Annotated[
    list[str] | None,
    typer.Option(
        "--sweep",
        metavar="OPTION=VALUE,...",
        help="Values of an option, each with each of other sweeps; one value sets it. Repeatable.",
    ),
]
Paper = Annotated[
    bool, typer.Option("--paper", help="Say at each point which of SemPS'12's statements hold.")
]
OnSpark = Annotated[bool, typer.Option("--spark", help="Run on Spark.")]
Processes = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="How many runs at once; else as many as cores."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FOLDER", help="A page that plays the network, pictures, runs."
    ),
]
Picture = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A picture like Figures 7 to 9 (.png, .svg, .pdf)."),
]


def simulate(
    scenario: ScenarioFile = None,
    routing: Routings = None,
    seeds: Seeds = 5,
    first_seed: FirstSeed = 1,
    sweep: Sweeps = None,
    paper: Paper = False,
    spark: OnSpark = False,
    processes: Processes = None,
    output: Output = None,
    picture: Picture = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a network of sensors: how long it lives, what that takes, who receives what.

    A round is the unit of time: in it every publisher publishes. Lifetimes depend on what the
    radio's electronics take for a bit, on which SemPS'12 contradicts itself: `--sweep
    radio.electronics=stated,worked` runs both. Beside means stand Student's 95 % intervals.

    \b
    Example: purport simulate examples/sensors.toml --seeds 10 -o simulation
    """
    from purport.evaluation.semps.grid import cells_of, require_possible
    from purport.evaluation.semps.page_report import Findings
    from purport.evaluation.semps.standings import standings
    from purport.evaluation.semps.statements import judgements

    _require_usable(spark, output, picture)
    seed_range = range(first_seed, first_seed + seeds)
    count = processes or os.cpu_count() or 1
    with _placed_in(scenario):
        scenarios = _scenarios(scenario, sweep or [])
        cells = cells_of(scenarios, _routings(scenario, routing, paper), seed_range)
        require_possible(scenarios.values(), first_seed)
        runs = _runs(cells, spark, count)
    standing = standings(runs)
    findings = Findings(scenarios, seed_range, standing, judgements(standing))
    _tell(runs, findings, judged=paper, as_json=as_json)
    if output is not None or picture is not None:  # last: what cannot be drawn costs no result
        _write(replace(findings, films=_films(cells, runs, count)), runs, output, picture)


def _require_usable(spark: bool, output: Path | None, picture: Path | None) -> None:
    """Say what is missing, or cannot be written to, before the work begins."""
    from purport import inline_plots
    from purport.plots import require_picture

    if spark:
        import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    if output is not None:
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnusablePath(output, error.strerror or str(error)) from None
    if picture is not None:
        require_picture(picture)
        inline_plots.require()


def _scenarios(path: Path | None, sweeps: Sequence[str]) -> dict[Point, Scenario]:
    """The scenario of each point of the grid."""
    from purport.evaluation.semps.grid import Axis, points_of, scenarios_of
    from purport.network.scenario_file import read_scenario, scenario_of

    def read(options: Mapping[str, Any]) -> Scenario:
        return scenario_of(options) if path is None else read_scenario(path, options)

    return scenarios_of(points_of([Axis.read(text) for text in sweeps]), read)


def _routings(path: Path | None, named: Sequence[str] | None, is_compared: bool) -> list[str]:
    """Those that were named, else that of the file, else all; the paper's too, to be compared."""
    from purport.evaluation.semps.statements import PUBLISHED
    from purport.network.errors import ScenarioError
    from purport.network.routing.catalogue import ROUTINGS, routing_named
    from purport.settings import read_toml

    for name in named or ():
        try:
            routing_named(name)
        except ScenarioError as error:
            raise InvalidInput(f"--routing: {error.message}") from None
    told = None if path is None else read_toml(path).get("routing")
    chosen = named or ([told] if told else ROUTINGS)
    return list(dict.fromkeys([*chosen, *(PUBLISHED if is_compared else ())]))


@contextmanager
def _placed_in(path: Path | None) -> Iterator[None]:
    """A mistake in a scenario that is found late is told with its place in the file."""
    from purport.network.errors import ScenarioError
    from purport.network.scenario_file import line_of

    try:
        yield
    except ScenarioError as error:
        if path is None or error.where:
            raise
        line = line_of(path.read_text("utf-8"), error.place)
        where = f"{path}, line {line}" if line else f"{path}"
        raise ScenarioError(error.place, error.message, where) from None


def _runs(cells: list[Cell], spark: bool, processes: int) -> list[Run]:
    from purport.evaluation.semps.running import run_cells

    if spark:
        return _runs_on_spark(cells)
    with simulation_progress(f"simulating on {processes} cores") as tell:
        return run_cells(cells, processes, tell)


def _runs_on_spark(cells: list[Cell]) -> list[Run]:
    from pyspark.sql import SparkSession

    from purport.evaluation.semps.on_spark import run_cells_on

    def job(session: SparkSession, step: Callable[[str], None]) -> list[Run]:
        step(f"making {len(cells)} runs on Spark")
        return run_cells_on(session, cells)

    return on_spark("purport simulate", job)


def _films(cells: list[Cell], runs: list[Run], processes: int) -> list[Film]:
    """Each routing at the first point with the first seed, once more, to be looked at."""
    from purport.evaluation.semps.film import Showing, films_of

    shown = [
        Showing(cell, run.figures.rounds)
        for cell, run in zip(cells, runs, strict=True)
        if (cell.point, cell.seed) == (cells[0].point, cells[0].seed)
    ]
    with simulation_progress("drawing") as tell:
        return films_of(shown, processes, tell)


def _tell(runs: list[Run], findings: Findings, *, judged: bool, as_json: bool) -> None:
    from purport.evaluation.semps.report_folder import judgement_row, run_row
    from purport.evaluation.semps.text_report import report, verdicts, verdicts_counted

    said = findings.judged if judged else ()
    if as_json:
        for row in (*map(run_row, runs), *map(judgement_row, said)):
            print_json(row)
        return
    sys.stdout.write(report(findings.standing, findings.scenarios, findings.seeds))
    if said:
        sys.stdout.write(f"\n{verdicts(said)}")
        if len(findings.scenarios) > 1:
            sys.stdout.write(f"\n{verdicts_counted(said)}")


def _write(findings: Findings, runs: list[Run], output: Path | None, picture: Path | None) -> None:
    from purport.evaluation.semps.pictures import draw_all
    from purport.evaluation.semps.report_folder import pictures_missing, write_report

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if picture is not None:
        draw_all(picture, findings.films[0], findings.first, findings.title)
        console.print(f"picture in {picture}")
    if output is not None:
        page = write_report(output, findings, runs)
        console.print(f"report in {page}")
        missing = pictures_missing()
        if missing is not None:
            console.print(f"without pictures: {missing}")
