"""Ontologies as commands take them: files, and where to find what they import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FileArgument = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="OWL: RDF/XML, Turtle, OWL/XML, functional, Manchester."),
]
MoreOption = Annotated[
    list[Path] | None, typer.Option("--with", help="One more file; repeat it for others.")
]
ImportsOption = Annotated[
    list[Path] | None,
    typer.Option("--imports", help="A file or folder in which imports are looked for."),
]
IgnoreOption = Annotated[
    bool, typer.Option("--ignore-missing-imports", help="Go on without imports not found.")
]
