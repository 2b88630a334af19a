"""`purport explain`: why is this event among the matches?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from purport.cli.json_lines import print_json
from purport.cli.options import AsJson
from purport.errors import InvalidInput, UnusablePath
from purport.model.term import printable

if TYPE_CHECKING:
    from purport.matching.explanation import MatchExplanation
    from purport.pipeline.stored.in_time import TimedExplanation
    from purport.pipeline.stored.job import StoredJob
    from purport.pipeline.stored.matches import StoredMatch

_SUBSCRIPTIONS_SHOWN = 5


def explain(
    matches: Annotated[
        Path, typer.Argument(metavar="MATCHES", help="A folder of matches, or a job's checkpoint.")
    ],
    event_id: Annotated[str, typer.Argument(metavar="EVENT_ID", help="The id of a matched event.")],
    subscription: Annotated[
        str | None,
        typer.Option("--subscription", "-s", metavar="NAME", help="Only its match with this one."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw it instead, to a file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain a match that `purport stream` has written to files.

    The event is read again from where it came from, and matched as it was then: with the same
    version of the subscriptions and of the settings.

    \b
    Example: purport explain matches/ city-925 -s 'damp air'
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.stored.explanation import StoredExplanations
    from purport.pipeline.stored.job import StoredJob

    if svg is not None and as_json:
        raise InvalidInput("--svg draws and --json prints: give one of them")
    job = StoredJob.at(matches)
    found = _found(job, event_id, subscription)
    if svg is not None and len(found) > 1:
        raise InvalidInput(
            f"{event_id} has {len(found)} matches: name one with -s: {_named(found)}"
        )
    explanations = StoredExplanations(job)
    for match in found:
        if match.parts is not None and svg is not None:
            raise InvalidInput(f"no picture of a match in time: {match.subscription}")
        if match.parts is not None:
            _show(match, explanations.in_time(match), as_json)
            continue
        explanation = explanations.explain(match)
        if svg is not None:
            _draw(explanation, svg)
        else:
            _show(match, explanation, as_json)


def _found(job: StoredJob, event_id: str, subscription: str | None) -> list[StoredMatch]:
    stored = job.require_matches()
    found = stored.of_event(event_id)
    if not found:
        near = stored.near_ids(event_id)
        meant = f"; there are {', '.join(map(repr, near))}" if near else ""
        raise InvalidInput(f"{stored.folder}: no match of an event {event_id!r}{meant}")
    if subscription is None:
        return found
    wanted = [match for match in found if match.subscription == subscription]
    if not wanted:
        raise InvalidInput(
            f"{stored.folder}: {event_id!r} has no match with {subscription!r}, but with "
            f"{_named(found)}"
        )
    return wanted


def _named(matches: list[StoredMatch]) -> str:
    names = list(dict.fromkeys(match.subscription for match in matches))
    more = len(names) - _SUBSCRIPTIONS_SHOWN
    shown = ", ".join(map(repr, names[:_SUBSCRIPTIONS_SHOWN]))
    return f"{shown} and {more} more" if more > 0 else shown


def _show(
    match: StoredMatch, explanation: MatchExplanation | TimedExplanation, as_json: bool
) -> None:
    if as_json:
        print_json(_row(match, explanation))
    else:
        sys.stdout.write(_told(match, explanation))


def _told(match: StoredMatch, explanation: MatchExplanation | TimedExplanation) -> str:
    headline = f"{match.event_id}  {match.subscription}  {match.probability:.2f}"
    place = f"{match.source}:{match.offset}, version {match.version} of the subscriptions"
    lines = [printable(headline), f"  {printable(place)}"]
    if explanation.subscription != match.subscription:
        lines.append(f"  {explanation.subscription}")
    return "\n".join([*lines, explanation.text()]) + "\n"


def _row(match: StoredMatch, explanation: MatchExplanation | TimedExplanation) -> dict[str, object]:
    return {
        "event": match.event_id,
        "subscription": match.subscription,
        "version": match.version,
        "probability": match.probability,
        "source": match.source,
        "offset": match.offset,
        "explanation": explanation,
    }


def _draw(explanation: MatchExplanation, path: Path) -> None:
    try:
        path.write_text(explanation.svg(), encoding="utf-8")
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    sys.stdout.write(f"{path}\n")
