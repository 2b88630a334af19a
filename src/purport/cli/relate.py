"""`purport relate`: how near are two words?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from purport.cli.json_lines import print_json
from purport.cli.options import AsJson, AttributesOption, LexiconOption, SpaceOption
from purport.cli.terms import terms_in
from purport.errors import InvalidInput, MissingExtra
from purport.plots import heat_map, require_picture
from purport.relatedness.catalogue import MEASURES, MeasureSettings, measure_of
from purport.relatedness.explanation import PairExplanation, explain_pair
from purport.relatedness.lexicon import Lexicon
from purport.relatedness.measure import Measure, attribute_measure

_SHOWN_COLUMNS = 12
_PICTURE = Path("heat-map.png")


def relate(
    left: Annotated[str, typer.Argument(metavar="WORD", help="A word or a phrase.")],
    right: Annotated[str, typer.Argument(metavar="WORD", help="Another one.")],
    measure: Annotated[
        str,
        typer.Option(
            "--measure", "-m", metavar="NAME", help=f"Which measure: {', '.join(MEASURES)}."
        ),
    ] = "calibrated",
    space: SpaceOption = None,
    counts: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Counts of WordNet's synsets, if not its own."),
    ] = None,
    lexicon: LexiconOption = None,
    url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where a remote measure is.")
    ] = None,
    attributes: AttributesOption = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what makes them near, by every measure.")
    ] = False,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Take the words for files, with a term on each line.")
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where a matrix is drawn (heat-map.png; .svg, .pdf too)."
        ),
    ] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Parameters of your own for calibrated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say how related two words are, from 0 to 1.

    \b
    Example: purport relate laptop computer --explain
    """
    if explain and matrix:
        raise InvalidInput("--explain is for two words: leave out --matrix, or --explain")
    if picture is not None and not matrix:
        raise InvalidInput("--picture is for a matrix: add --matrix, or leave it out")
    rules = Lexicon.read(lexicon) if lexicon is not None else None
    settings = MeasureSettings(space=space, url=url, counts=counts, calibration=calibration)
    chosen = measure_of(measure, settings, rules)
    if attributes:
        chosen = attribute_measure(chosen)
    if matrix:
        _show_matrix(chosen, Path(left), Path(right), picture, measure, as_json)
        return
    left, right = (word.encode(errors="replace").decode() for word in (left, right))
    score = chosen.score(left, right)
    explanation = (
        explain_pair(settings, left, right, lexicon=rules, attributes=attributes)
        if explain
        else None
    )
    if as_json:
        row = {"left": left, "right": right, "measure": measure, "score": score}
        print_json(row | (msgspec.to_builtins(explanation) if explanation else {}))
        return
    sys.stdout.write(f"{score:.4f}\n")
    if explanation is not None:
        sys.stdout.write(_told(explanation))


def _told(explanation: PairExplanation) -> str:
    lines = ["", "read as", f"  {' '.join(explanation.left_words)}"]
    lines += [f"  {' '.join(explanation.right_words)}", "", "by measure"]
    lines += [f"  {score:.4f}  {name}" for name, score in explanation.scores.items()]
    lines += ["", "concepts that both stand in, by their share of esa"]
    lines += [f"  {one.share:.4f}  {one.title}" for one in explanation.concepts] or ["  none"]
    lines += ["", "path in WordNet"]
    lines += [f"  {path}" for path in explanation.paths] or ["  none"]
    if explanation.rules:
        lines += ["", "rules of the lexicon", *(f"  {rule}" for rule in explanation.rules)]
    return "\n".join(lines) + "\n"


def _show_matrix(
    measure: Measure, left: Path, right: Path, picture: Path | None, name: str, as_json: bool
) -> None:
    if picture is not None:
        require_picture(picture)
    rows, columns = terms_in(left), terms_in(right)
    scores = measure.matrix(rows, columns)
    for row, values in zip(rows, scores.tolist(), strict=True):
        if as_json:
            told = {"left": row, "scores": dict(zip(columns, values, strict=True))}
            print_json(told)
            continue
        best = sorted(zip(values, columns, strict=True), key=lambda pair: (-pair[0], pair[1]))
        shown = "  ".join(f"{column} {value:.2f}" for value, column in best[:_SHOWN_COLUMNS])
        sys.stdout.write(f"{row}:  {shown}\n")
    try:
        heat_map(picture or _PICTURE, rows, columns, scores, f"relatedness by {name}")
    except MissingExtra as missing:
        if picture is not None:
            raise
        sys.stderr.write(f"no picture: {missing}\n")
    else:
        sys.stderr.write(f"heat map in {picture or _PICTURE}\n")
