"""`purport relate`: how near are two words?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from purport.relatedness.catalogue import load_measure
from purport.relatedness.esa import Esa


def relate(
    left: Annotated[str, typer.Argument(metavar="WORD", help="A word or a phrase.")],
    right: Annotated[str, typer.Argument(metavar="WORD", help="Another one.")],
    measure: Annotated[str, typer.Option("--measure", "-m", help="Which measure.")] = "esa",
    space: Annotated[
        Path | None,
        typer.Option("--space", help="A concept space, if not the default one."),
    ] = None,
    url: Annotated[str | None, typer.Option("--url", help="Where a remote measure is.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the shared concepts.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Say how related two words are, from 0 to 1.

    Example: purport relate parking garage --explain
    """
    chosen = load_measure(measure, space=space, url=url)
    score = chosen.score(left, right)
    shared = chosen.shared_concepts(left, right) if explain and isinstance(chosen, Esa) else []
    if as_json:
        row = {"left": left, "right": right, "measure": measure, "score": score}
        concepts = {"concepts": [{"title": one.title, "share": one.share} for one in shared]}
        sys.stdout.write(msgspec.json.encode(row | (concepts if explain else {})).decode() + "\n")
        return
    sys.stdout.write(f"{score:.4f}\n")
    for concept in shared:
        sys.stdout.write(f"  {concept.share:.4f}  {concept.title}\n")
