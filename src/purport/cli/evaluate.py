"""`purport evaluate`: published experiments, run again beside the published figures."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.console import Console

from purport.cli.json_lines import print_json
from purport.cli.options import AsJson, ModeOption
from purport.errors import InvalidInput, UnusablePath

if TYPE_CHECKING:
    from purport.evaluation.kbn.experiment import Outcome as KbnOutcome
    from purport.evaluation.kbn.experiment import Settings
    from purport.evaluation.toit14.experiment import Cell, Outcome
    from purport.evaluation.toit14.report import Standing

evaluate = typer.Typer(
    help="Run published experiments again, beside the published figures.", rich_markup_mode=None
)


RunsOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FOLDER", help="Keep the runs as JSON lines."),
]


@evaluate.command()
def toit14(
    seeds: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many workloads, from as many seeds.")
    ] = 5,
    first_seed: Annotated[int, typer.Option(metavar="N", help="The first of the seeds.")] = 1001,
    events: Annotated[
        int, typer.Option(min=165, metavar="N", help="How many events in each.")
    ] = 5000,
    degrees: Annotated[
        str,
        typer.Option(metavar="LIST", help="The degrees of approximation, in percent, by commas."),
    ] = "50,70,90,100",
    mode: ModeOption = "default",
    thesaurus: Annotated[
        str, typer.Option(metavar="NAME", help="Where other words come from: curated or automatic.")
    ] = "curated",
    marks: Annotated[
        str,
        typer.Option(
            metavar="MARKS",
            help="Then with the pairs alone that stand in r (Roget) or e (EuroVoc), too.",
        ),
    ] = "",
    competition: Annotated[
        bool, typer.Option("--competition", help="Then also let the subscriptions' terms compete.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A picture of F1 over degrees (.png, .svg, .pdf)."),
    ] = None,
    output: RunsOption = None,
    as_json: AsJson = False,
) -> None:
    """How well does approximate matching find events in other words (TOIT'14, 6.4.3, 6.4.4)?

    F1 is that of the best cut-off; beside it stands F1 with one fixed threshold, 0.5. The rival
    rewrites subscriptions by WordNet into exact rules; of its expansions the best is shown.

    \b
    Example: purport evaluate toit14 --seeds 2 --degrees 50,100 --marks re
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.evaluation.toit14 import report
    from purport.evaluation.toit14.experiment import Approximate, cells_of
    from purport.evaluation.toit14.thesaurus import ThesaurusChoice, source_of
    from purport.evaluation.toit14.workload import WorkloadSettings
    from purport.matching.plan import mode_of

    choices = [ThesaurusChoice(source_of(thesaurus))]
    if marks:
        choices.append(ThesaurusChoice(choices[0].source, tuple(marks)))
    choices[0].build()  # what is missing for it is told before the work begins
    _require_writable(output, plot)
    workloads = [WorkloadSettings(first_seed + seed, events=events) for seed in range(seeds)]
    ours = [Approximate(mode_of(mode))]
    if competition:
        ours.append(Approximate(mode_of(mode), competition=True))
    outcomes = _outcomes(cells_of(workloads, _shares(degrees), ours, choices))
    if output is not None:
        _write_lines(output / "toit14.jsonl", outcomes)
    if as_json:
        _print_lines(outcomes)
    else:
        tables = [report.table(choice, report.standings(outcomes, choice)) for choice in choices]
        sys.stdout.write("\n".join(tables))
    if plot is not None:  # last: a picture that cannot be drawn costs no result
        title = f"{choices[0]}; seeds {first_seed} to {first_seed + seeds - 1}"
        _draw(plot, report.standings(outcomes, choices[0]), title)


@evaluate.command()
def kbn(
    quick: Annotated[
        bool, typer.Option("--quick", help="Few events: enough to see that it works.")
    ] = False,
    seed: Annotated[
        int, typer.Option(metavar="N", help="What events and subscribers follow from.")
    ] = 1,
    ontology: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A wine ontology, e.g. the W3C's; else a small one of ours."
        ),
    ] = None,
    postgres: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The URL of an empty PostgreSQL database, to compare."),
    ] = None,
    mariadb: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The URL of an empty MariaDB database, to compare."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A picture like Figures 2 to 5 (.png, .svg, .pdf)."),
    ] = None,
    output: RunsOption = None,
    as_json: AsJson = False,
) -> None:
    """What does a publication take with temporal subscriptions over a history (KBN, VII)?

    Test 1 begins with nothing stored, test 2 with 50,000 events. Times are simulated: the seconds
    between events are not waited for. In a database, matching is done here or in SQL.

    \b
    Example: purport evaluate kbn --quick --plot kbn.svg
    """
    from purport.evaluation.kbn import report
    from purport.evaluation.kbn.experiment import Settings
    from purport.plots import panels

    _require_writable(output, plot)
    settings = Settings.quick(seed) if quick else Settings(seed)
    machine, outcomes = _kbn_outcomes(settings, ontology, postgres, mariadb)
    if output is not None:
        _write_lines(output / "kbn.jsonl", [machine, *outcomes])
    if as_json:
        _print_lines([machine, *outcomes])
    else:
        told = ", ".join(f"{name} {what}" for name, what in machine.items())
        sys.stdout.write(f"{told}\n{report.table(outcomes)}")
    if plot is not None:  # last: a picture that cannot be drawn costs no result
        panels(plot, report.panels(outcomes), title=f"KBN's tests, run again (seed {seed})")


def _kbn_outcomes(
    settings: Settings, ontology: Path | None, postgres: str | None, mariadb: str | None
) -> tuple[dict[str, str], list[KbnOutcome]]:
    """On what machine it was run, and what came out."""
    from purport.evaluation.kbn.experiment import run
    from purport.evaluation.kbn.stores import Databases, opened_stores, versions
    from purport.evaluation.kbn.workload import Cellar

    cellar = Cellar.load(ontology)
    console = Console(stderr=True, highlight=False)
    with tempfile.TemporaryDirectory(prefix="purport-kbn-") as folder, ExitStack() as opened:
        stores = opened_stores(Databases(Path(folder), postgres, mariadb), cellar, opened)
        outcomes = []
        for store in stores:
            with console.status(f"{store.label} ..."):
                outcomes += list(run(store, cellar, settings))
        return {**versions(stores), "seed": str(settings.seed)}, outcomes


def _outcomes(cells: list[Cell]) -> list[Outcome]:
    from purport.evaluation.toit14.experiment import run_cells
    from purport.pipeline.session import job_session

    console = Console(stderr=True, highlight=False)
    with (
        console.status(f"making {len(cells)} runs on Spark ..."),
        job_session("purport evaluate") as spark,
    ):
        return run_cells(spark, cells)


def _draw(path: Path, standings: list[Standing], title: str) -> None:
    from purport.evaluation.toit14 import report
    from purport.plots import comparison

    comparison(
        path,
        report.curves(standings),
        report.marks(),
        title=title,
        axes_labels=("degree of approximation (%)", "F1 (%)"),
    )


def _require_writable(folder: Path | None, picture: Path | None) -> None:
    """Say what cannot be written to before the work begins."""
    from purport.plots import require_picture

    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnusablePath(folder, error.strerror or str(error)) from None
    if picture is not None:
        require_picture(picture)


def _shares(degrees: str) -> list[float]:
    try:
        shares = [float(degree) / 100 for degree in degrees.split(",")]
    except ValueError:
        raise InvalidInput(f"expected percentages by commas, got {degrees!r}") from None
    if not all(0 <= share <= 1 for share in shares):
        raise InvalidInput(f"degrees are from 0 to 100 percent, got {degrees!r}")
    return shares


def _print_lines(rows: Sequence[object]) -> None:
    for row in rows:
        print_json(row)


def _write_lines(path: Path, rows: Sequence[object]) -> None:
    try:
        path.write_bytes(msgspec.json.Encoder().encode_lines(rows))
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
