"""`purport evaluate`: published experiments, run again beside the published figures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.console import Console

from purport.errors import InvalidInput, UnusablePath

if TYPE_CHECKING:
    from purport.evaluation.toit14.experiment import Outcome

evaluate = typer.Typer(
    help="Run published experiments again, beside the published figures.", rich_markup_mode=None
)


@evaluate.callback()
def experiments() -> None:
    """Run published experiments again, beside the published figures."""


@evaluate.command()
def toit14(
    seeds: Annotated[int, typer.Option(min=1, help="How many workloads, from as many seeds.")] = 5,
    first_seed: Annotated[int, typer.Option(help="The first of the seeds.")] = 1001,
    events: Annotated[int, typer.Option(min=165, help="How many events in each.")] = 5000,
    degrees: Annotated[
        str, typer.Option(help="The degrees of approximation, in percent, by commas.")
    ] = "50,70,90,100",
    mode: Annotated[str, typer.Option(help="The matcher's mode: default or paper.")] = "default",
    marks: Annotated[
        str, typer.Option(help="Only pairs that stand in these thesauri: r (Roget), e (EuroVoc).")
    ] = "",
    competition: Annotated[
        bool, typer.Option("--competition", help="Let the subscriptions' terms compete.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A folder for the runs as JSON lines.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """How well does approximate matching find events in other words (TOIT'14, 6.4.3)?

    F1 is that of the best cut-off; beside it stands F1 with one fixed threshold, 0.5.

    Example: purport evaluate toit14 --seeds 2 --degrees 50,100
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.evaluation.toit14.experiment import Cell, published_f1, run_cells
    from purport.evaluation.toit14.workload import WorkloadSettings
    from purport.matching.plan import mode_of
    from purport.pipeline.session import local_session

    shares = _shares(degrees)
    cells = [
        Cell(
            WorkloadSettings(first_seed + seed, events=events),
            share,
            mode_of(mode),
            tuple(marks),
            competition,
        )
        for share in shares
        for seed in range(seeds)
    ]
    console = Console(stderr=True, highlight=False)
    with console.status(f"running {len(cells)} workloads on Spark ..."):
        spark = local_session("purport evaluate")
        try:
            outcomes = run_cells(spark, cells)
        finally:
            spark.stop()
    if output is not None:
        _write(output / "toit14.jsonl", outcomes)
    if as_json:
        sys.stdout.write("".join(f"{line}\n" for line in _lines(outcomes)))
        return
    sys.stdout.write("degree   F1  (seeds)        at 0.5   published\n")
    for share in shares:
        some = [one for one in outcomes if one.cell.degree == share]
        best = [100 * one.f1 for one in some]
        fixed = sum(100 * one.f1_at_threshold for one in some) / len(some)
        spread = f"({min(best):.1f} to {max(best):.1f})"
        sys.stdout.write(
            f"{share:5.0%}  {sum(best) / len(best):5.1f}  {spread:<15} {fixed:6.1f}   "
            f"{published_f1(share)}\n"
        )


def _shares(degrees: str) -> list[float]:
    try:
        shares = [float(degree) / 100 for degree in degrees.split(",")]
    except ValueError:
        raise InvalidInput(f"expected percentages by commas, got {degrees!r}") from None
    if not all(0 <= share <= 1 for share in shares):
        raise InvalidInput(f"degrees are from 0 to 100 percent, got {degrees!r}")
    return shares


def _lines(outcomes: list[Outcome]) -> list[str]:
    return [msgspec.json.encode(one).decode() for one in outcomes]


def _write(path: Path, outcomes: list[Outcome]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in _lines(outcomes)), encoding="utf-8")
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
