"""`purport covers`: does one subscription cover another, and which cover which?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from purport.cli.covering_report import rows, tree
from purport.cli.json_lines import print_json
from purport.cli.ontology_files import IgnoreOption, ImportsOption, OntologyOption, loaded_if_any
from purport.cli.options import AsJson, ModeOption
from purport.covering.covers import why_not
from purport.covering.drawing import draw_graph
from purport.covering.graph import CoveringGraph
from purport.errors import InvalidInput, NotSupportedYet
from purport.matching.given import given_at
from purport.matching.matcher import Matcher
from purport.matching.plan import DEFAULTS, Defaults, mode_of
from purport.matching.supported import unsupported_forms
from purport.model.language.label import label
from purport.model.language.parse import parse_all
from purport.model.language.pieces import starts_subscription
from purport.model.language.write import write_pattern
from purport.model.subscription import Subscription
from purport.model.term import printable
from purport.ontology.ontology import Ontology
from purport.temporal.asked import is_in_time
from purport.temporal.engine import TemporalEngine

_NO = 1


def covers(
    general: Annotated[
        str, typer.Argument(metavar="GENERAL", help="A subscription in braces, or a file.")
    ],
    specific: Annotated[
        str | None,
        typer.Argument(metavar="SPECIFIC", help="Another one; without it, all of GENERAL."),
    ] = None,
    ontology: OntologyOption = None,
    imports: ImportsOption = None,
    ignore_missing_imports: IgnoreOption = False,
    mode: ModeOption = "default",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Draw them: .svg, .png or .pdf."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say whether all that one subscription accepts is accepted by another.

    Prints yes, or no and what does not follow; then the exit code is 1. With one file, or several
    subscriptions in one text, it prints which of them covers which.

    \b
    Example: purport covers '{temperature > 20 °C}' '{temperature > 25 °C, room = hall}'
    """
    known = loaded_if_any(ontology, imports, ignore_missing_imports)
    defaults = DEFAULTS[mode_of(mode)]
    if specific is None:
        _show_order(general, _given(general, known), known, defaults, output, as_json)
        return
    if output is not None:
        raise InvalidInput("--output draws the order of several subscriptions: leave out SPECIFIC")
    one, other = (_single(text, known) for text in (general, specific))
    _show_answer(one, other, known, defaults, as_json)


def _show_answer(
    general: Subscription,
    specific: Subscription,
    known: Ontology | None,
    defaults: Defaults,
    as_json: bool,
) -> None:
    found = why_not(general, specific, ontology=known, defaults=defaults)
    if as_json:
        print_json(
            {
                "general": label(general),
                "specific": label(specific),
                "covers": not found,
                "not_implied": found.predicates,
                "reasons": found.reasons,
            }
        )
    else:
        lines = ["no", *(f"  {printable(one)}" for one in found)] if found else ["yes"]
        sys.stdout.write("\n".join(lines) + "\n")
    if found:
        raise typer.Exit(_NO)


def _show_order(
    place: str,
    given: Sequence[Subscription],
    known: Ontology | None,
    defaults: Defaults,
    output: Path | None,
    as_json: bool,
) -> None:
    graph = CoveringGraph(ontology=known, defaults=defaults)
    here = {str(number): one for number, one in enumerate(given)}
    for name, one in here.items():
        graph.add(name, one)
    if output is not None:
        title = f"{Path(place).stem}: which covers which" if not place.startswith("{") else ""
        draw_graph(
            output,
            graph,
            label=lambda name: label(here[name]),
            text=lambda name: write_pattern(here[name].pattern),
            title=title,
        )
        if as_json:
            print_json({"picture": output})
        else:
            sys.stdout.write(f"picture in {output}\n")
        return
    if as_json:
        for row in rows(graph, here):
            print_json(row)
        return
    sys.stdout.write("\n".join(tree(graph, here)) + "\n")


def _single(text: str, known: Ontology | None) -> Subscription:
    given = _given(text, known)
    if len(given) > 1:
        raise InvalidInput(
            f"{text}: expected one subscription, got {len(given)}; leave out SPECIFIC to see which "
            "of them covers which"
        )
    return given[0]


def _given(text: str, known: Ontology | None) -> Sequence[Subscription]:
    """The subscriptions of a text or a file; `InvalidInput` with all that is wrong with them."""
    given = parse_all(text) if starts_subscription(text) else given_at(text).subscriptions()
    if not given:
        raise InvalidInput(f"{text}: no subscription in there")
    matcher = Matcher(measure="exact", ontology=known)
    engine = TemporalEngine(lambda: matcher)
    problems = []
    for one in given:
        try:
            _check(one, matcher, engine)
        except InvalidInput as error:
            problems.append(str(error))
    if problems:
        raise InvalidInput("\n".join(problems))
    return given


def _check(one: Subscription, matcher: Matcher, engine: TemporalEngine) -> None:
    """Raise what an engine would, but not that it cannot run it: that is covered as written."""
    alone = Subscription(one.pattern, name=one.name, origin=one.origin)
    if is_in_time(one.pattern):
        with suppress(NotSupportedYet):
            engine.check(alone)
    elif not any(unsupported_forms(alone)):
        matcher.check(alone)
