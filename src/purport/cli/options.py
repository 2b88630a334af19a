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
MeasureOption = Annotated[
    str | None,
    typer.Option(
        "--measure", "-m", metavar="NAME", help="The measure for every ~ that names none."
    ),
]
ModeOption = Annotated[
    str, typer.Option(metavar="NAME", help="The matcher's mode: default or paper.")
]
LexiconOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A lexicon of your own, above the measures.")
]
SpaceOption = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="A concept space, if not the default one.")
]
AttributesOption = Annotated[
    bool, typer.Option("--attributes", help="Compare as names: one asked for, one given.")
]
