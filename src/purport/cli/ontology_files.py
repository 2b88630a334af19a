"""Ontologies as commands take them: files, and where to find what they import."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from purport.errors import InvalidInput
from purport.ontology.ontology import Ontology

FileArgument = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="OWL in any syntax, e.g. RDF/XML or Turtle."),
]
MoreOption = Annotated[
    list[Path] | None, typer.Option("--with", metavar="FILE", help="One more file; repeatable.")
]
ImportsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--imports",
        metavar="FILE|FOLDER",
        help="Where imports are looked for; repeatable.",
    ),
]
OntologyOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--ontology",
        metavar="FILE",
        help="What judges predicates of classes: OWL in any syntax; repeatable.",
    ),
]
IgnoreOption = Annotated[
    bool, typer.Option("--ignore-missing-imports", help="Go on without imports not found.")
]


def whole_paths(files: Sequence[Path] | None) -> tuple[Path, ...]:
    """Files as workers find them, wherever they run on this machine."""
    return tuple(path.resolve() for path in files or ())


def loaded(
    files: Sequence[Path], imports: Sequence[Path] | None, ignores_missing_imports: bool
) -> Ontology:
    """The ontology of some files."""
    return Ontology.load(
        *files, imports=imports or (), ignores_missing_imports=ignores_missing_imports
    )


def loaded_if_any(
    files: Sequence[Path] | None, imports: Sequence[Path] | None, ignores_missing_imports: bool
) -> Ontology | None:
    """The same where files need not be given."""
    if files:
        return loaded(files, imports, ignores_missing_imports)
    if imports:
        raise InvalidInput("--imports is for an ontology: add --ontology FILE, or leave it out")
    return None
