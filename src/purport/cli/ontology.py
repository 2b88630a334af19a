"""`purport ontology`: classify an ontology, encode it, ask it, draw it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from purport.cli.json_lines import print_json
from purport.cli.ontology_files import (
    FileArgument,
    IgnoreOption,
    ImportsOption,
    MoreOption,
    loaded,
)
from purport.cli.ontology_report import figures, figures_line, rows, summary, tree
from purport.cli.options import AsJson
from purport.ontology.codes.drawing import draw_encodings
from purport.ontology.codes.encoding_file import encodings_text, write_encodings
from purport.ontology.codes.prime_assignment import Objective

ontology = typer.Typer(help="Classify ontologies, encode and draw them.", rich_markup_mode=None)


@ontology.command()
def classify(
    file: FileArgument,
    more: MoreOption = None,
    imports: ImportsOption = None,
    ignore_missing_imports: IgnoreOption = False,
    below: Annotated[
        str | None,
        typer.Option("--below", metavar="NAME", help="Show this class and what is below it."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say which class contains which, and what of the files was used.

    \b
    Example: purport ontology classify wine.rdf --below wine:Wine
    """
    found = loaded([file, *(more or ())], imports, ignore_missing_imports)
    top = None if below is None else found.names.class_named(below)
    if as_json:
        for row in rows(found, top):
            print_json(row)
        return
    sys.stdout.write("\n".join([*summary(found), "", *tree(found, top)]) + "\n")


@ontology.command()
def encode(
    file: FileArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where the lines go, if not here."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="This name alone; repeatable."),
    ] = None,
    objective: Annotated[
        Objective, typer.Option("--objective", help="What is to be short.")
    ] = Objective.TOTAL,
    more: MoreOption = None,
    imports: ImportsOption = None,
    ignore_missing_imports: IgnoreOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print figures as JSON.")] = False,
) -> None:
    """Give each class, property and individual a prime and a code, one on a line: A=2, 2.

    One name is above another if its prime divides the other's code.

    \b
    Example: purport ontology encode wine.rdf -o wine.codes
    """
    found = loaded([file, *(more or ())], imports, ignore_missing_imports)
    encodings = found.encoded(objective)
    if only:
        encodings = encodings.part(map(found.names.named, only))
    text = encodings_text(encodings, found.axioms.prefixes)
    if output is not None:
        write_encodings(output, encodings, found.axioms.prefixes)
    elif not as_json:
        sys.stdout.write(text)
    row = figures(found, encodings, text)
    if as_json:
        print_json(row)
    else:
        (sys.stdout if output is not None else sys.stderr).write(figures_line(row) + "\n")


@ontology.command()
def draw(
    file: FileArgument,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="The picture: .svg, .png or .pdf."),
    ] = Path("ontology.svg"),
    around: Annotated[
        str | None,
        typer.Option("--around", metavar="NAME", help="What is above and below this name alone."),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option("--depth", min=0, metavar="N", help="So many steps from there, or the top."),
    ] = None,
    more: MoreOption = None,
    imports: ImportsOption = None,
    ignore_missing_imports: IgnoreOption = False,
    as_json: AsJson = False,
) -> None:
    """Draw the order of classes and properties, with genes and codes.

    \b
    Example: purport ontology draw wine.rdf --around wine:RedWine -o wine.svg
    """
    found = loaded([file, *(more or ())], imports, ignore_missing_imports)
    middle = None if around is None else found.names.named(around)
    left_out = draw_encodings(
        output,
        found.encodings,
        around=middle,
        depth=depth,
        long_label=found.names.short,
        title=file.stem,
    )
    if as_json:
        row = {"picture": str(output), "without": left_out}
        print_json(row)
        return
    sys.stdout.write(f"picture in {output}\n")
    if left_out:
        names = ", ".join(map(found.names.short, left_out))
        sys.stdout.write(f"left out, since they can have no members: {names}\n")


@ontology.command()
def subsumes(
    file: FileArgument,
    wider: Annotated[str, typer.Argument(metavar="WIDER", help="A class, or a class expression.")],
    narrower: Annotated[str, typer.Argument(metavar="NARROWER", help="Another one.")],
    more: MoreOption = None,
    imports: ImportsOption = None,
    ignore_missing_imports: IgnoreOption = False,
    as_json: AsJson = False,
) -> None:
    """Say whether all that is in one class is in another.

    Classes may be class expressions in Manchester syntax; two properties are compared as well.

    \b
    Example: purport ontology subsumes wine.rdf wine:Wine "RedWine and hasSugar value Dry"
    """
    found = loaded([file, *(more or ())], imports, ignore_missing_imports)
    both = found.names.find_property(wider), found.names.find_property(narrower)
    is_so = (
        found.subsumes(wider, narrower)
        if None not in both
        else found.subsumes_expression(wider, narrower)
    )
    if as_json:
        print_json({"wider": wider, "narrower": narrower, "subsumes": is_so})
    else:
        sys.stdout.write("yes\n" if is_so else "no\n")
