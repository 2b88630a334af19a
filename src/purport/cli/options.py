"""Options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON lines.")]
SubscriptionsOption = Annotated[
    list[str],
    typer.Option(
        "--subscriptions",
        "-s",
        metavar="FILE|TEXT",
        help="A file of subscriptions, or one in braces; repeatable.",
    ),
]
MeasureOption = Annotated[str | None, typer.Option(help="The measure for every ~ that names none.")]
ModeOption = Annotated[str, typer.Option(help="The matcher's mode: default or paper.")]
LexiconOption = Annotated[Path | None, typer.Option(help="A lexicon above the measures.")]
