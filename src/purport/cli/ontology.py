"""`purport ontology`: classify an ontology, encode it, ask it, draw it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from purport.cli.ontology_files import FileArgument, IgnoreOption, ImportsOption, MoreOption
from purport.ontology.cycles import told_cycles
from purport.ontology.ontology import Ontology

ontology = typer.Typer(help="Classify ontologies, encode and draw them.", rich_markup_mode=None)
_SHOWN_CLASSES = 400


@ontology.command()
def classify(
    file: FileArgument,
    more: MoreOption = None,
    imports: ImportsOption = None,
    ignore_missing_imports: IgnoreOption = False,
    below: Annotated[
        str | None, typer.Option("--below", help="Show this class and what is below it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Say which class contains which, and what of the files was used.

    Example: purport ontology classify wine.rdf --below Wine
    """
    found = _loaded(file, more, imports, ignore_missing_imports)
    top = None if below is None else found.names.class_named(below)
    if as_json:
        for row in _rows(found, top):
            sys.stdout.write(msgspec.json.encode(row).decode() + "\n")
        return
    sys.stdout.write("\n".join([*_summary(found), "", *_tree(found, top)]) + "\n")


@ontology.command()
def subsumes(
    file: FileArgument,
    wider: Annotated[str, typer.Argument(metavar="WIDER", help="A class, or a class expression.")],
    narrower: Annotated[str, typer.Argument(metavar="NARROWER", help="Another one.")],
    more: MoreOption = None,
    imports: ImportsOption = None,
    ignore_missing_imports: IgnoreOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Say whether all that is in one class is in another.

    Classes may be class expressions in Manchester syntax; two properties are compared as well.

    Example: purport ontology subsumes wine.rdf Wine "RedWine and hasSugar value Dry"
    """
    found = _loaded(file, more, imports, ignore_missing_imports)
    both = found.names.find_property(wider), found.names.find_property(narrower)
    is_so = (
        found.subsumes(wider, narrower)
        if None not in both
        else found.subsumes_expression(wider, narrower)
    )
    row = {"wider": wider, "narrower": narrower, "subsumes": is_so}
    answer = "yes" if is_so else "no"
    sys.stdout.write((msgspec.json.encode(row).decode() if as_json else answer) + "\n")


def _loaded(
    file: Path, more: Sequence[Path] | None, imports: Sequence[Path] | None, ignores: bool
) -> Ontology:
    return Ontology.load(
        file, *(more or ()), imports=imports or (), ignores_missing_imports=ignores
    )


def _summary(found: Ontology) -> Iterator[str]:
    axioms, classes, short = found.axioms, found.classes, found.names.short
    yield f"{len(axioms.files)} files: {', '.join(path.name for path in axioms.files)}"
    yield (
        f"{len(axioms.classes):,} classes, {len(found.properties):,} properties, "
        f"{len(axioms.individuals):,} individuals"
    )
    yield f"used: {_counted(axioms.used)}"
    yield f"ignored: {_counted(axioms.ignored)}"
    if classes.unsatisfiable:
        yield f"can have no members: {', '.join(sorted(map(short, classes.unsatisfiable)))}"
    for ring in told_cycles(axioms, classes):
        yield f"below itself, so one class: {' < '.join(map(short, (*ring, ring[0])))}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items())) or "nothing"


def _rows(found: Ontology, top: str | None) -> Iterator[dict[str, object]]:
    classes = found.classes
    wanted = None if top is None else {top, *classes.descendants(top)}
    for name in classes.names:
        if wanted is None or name in wanted:
            yield {
                "class": name,
                "parents": sorted(classes.parents(name)),
                "equivalents": sorted(classes.equivalents(name) - {name}),
                "satisfiable": name not in classes.unsatisfiable,
            }


def _tree(found: Ontology, top: str | None) -> Iterator[str]:
    """The order as indented lines; a class with several parents stands below each of them."""
    classes, short = found.classes, found.names.short
    roots = [name for name in classes.names if not classes.parents(name)]
    waiting = [(name, 0) for name in sorted(roots, key=short, reverse=True)]
    if top is not None:
        waiting = [(top, 0)]
    shown: set[str] = set()
    count = 0
    while waiting and count < _SHOWN_CLASSES:
        name, level = waiting.pop()
        same = classes.equivalents(name)
        first = min(same)
        if name != first and level == 0 and top is None:
            continue
        is_repeated = first in shown and bool(classes.children(name))
        yield "  " * level + " = ".join(map(short, sorted(same))) + (" ..." if is_repeated else "")
        count += 1
        if first not in shown:
            shown.add(first)
            below = {min(classes.equivalents(one)) for one in classes.children(name)}
            below -= classes.unsatisfiable
            waiting += [(one, level + 1) for one in sorted(below, key=short, reverse=True)]
    if waiting:
        yield f"... of {len(classes):,} in all: narrow it with --below CLASS, or take --json"
