"""`purport match`: which events of a file answer which subscriptions?"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from purport.cli.dead_letters import show_dead_letters
from purport.cli.json_lines import print_json
from purport.cli.ontology_files import IgnoreOption, ImportsOption, OntologyOption, loaded_if_any
from purport.cli.options import AsJson, SubscriptionsOption
from purport.errors import InvalidInput
from purport.matching.given import given_subscriptions
from purport.matching.matcher import Matcher
from purport.model.event_lines import DeadLetter, events_in_file, events_in_stream
from purport.model.language.label import label
from purport.model.match import Match
from purport.model.subscription import Subscription
from purport.ontology.ontology import Ontology

_DEAD_LETTERS_SHOWN = 5


def match(
    events: Annotated[str, typer.Argument(metavar="EVENTS", help="JSON lines; - reads the input.")],
    subscriptions: SubscriptionsOption,
    ontology: OntologyOption = None,
    imports: ImportsOption = None,
    ignore_missing_imports: IgnoreOption = False,
    as_json: AsJson = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say why each event matches.")] = False,
) -> None:
    """Match a file of events against subscriptions.

    Lines that are not events are told on the error output and do not stop the rest.

    \b
    Example: purport match events.jsonl -s '{device = laptop, temperature > 25 °C}' --explain
    """
    given = given_subscriptions(subscriptions)
    known = loaded_if_any(ontology, imports, ignore_missing_imports)
    matcher = _matcher(given, known)
    tally = _Tally()
    for found in _matches(events, matcher, tally):
        if as_json:
            print_json(_row(found, explain=explain))
        else:
            sys.stdout.write(_shown_as_text(found, explain=explain) + "\n")
    sys.stdout.flush()
    if not as_json:
        _show_summary(tally)
    show_dead_letters(tally.first_dead_letters, tally.dead_letters)
    if tally.dead_letters and not tally.events:
        raise InvalidInput(f"{events}: no line of it is an event")


class _Tally:
    """What was read and found."""

    def __init__(self) -> None:
        self.events = 0
        self.matches: Counter[str] = Counter()
        self.dead_letters = 0
        self.first_dead_letters: list[DeadLetter] = []

    def add_dead_letter(self, letter: DeadLetter) -> None:
        self.dead_letters += 1
        if len(self.first_dead_letters) < _DEAD_LETTERS_SHOWN:
            self.first_dead_letters.append(letter)


def _matches(events: str, matcher: Matcher, tally: _Tally) -> Iterator[Match]:
    is_input = events == "-"
    found = events_in_stream(sys.stdin.buffer, "-") if is_input else events_in_file(Path(events))
    for said in found:
        if isinstance(said, DeadLetter):
            tally.add_dead_letter(said)
            continue
        tally.events += 1
        for match in matcher.match(said):
            tally.matches[label(match.subscription)] += 1
            yield match


def _shown_as_text(found: Match, *, explain: bool) -> str:
    name, probability = label(found.subscription), found.probability
    headline = f"{found.event.id or '?'}  {name}  {probability:.2f}"
    return f"{headline}\n{found.explain()}" if explain else headline


def _row(found: Match, *, explain: bool) -> dict[str, object]:
    pairs = found.mapping.correspondences
    row: dict[str, object] = {
        "event": found.event.id,
        "subscription": label(found.subscription),
        "probability": found.probability,
        "mapping": [str(pair.statement) for pair in pairs],
    }
    if explain:
        row["explanation"] = msgspec.json.decode(found.explain("json"))
    return row


def _show_summary(tally: _Tally) -> None:
    read = f"{tally.events:,} event{'' if tally.events == 1 else 's'}"
    table = Table("subscription", "matches", title=read)
    for name, count in tally.matches.most_common():
        table.add_row(Text(name), f"{count:,}")
    console = Console()
    if tally.matches:
        console.print(table)
    else:
        console.print(f"{read}, no match")


def _matcher(subscriptions: Sequence[Subscription], ontology: Ontology | None) -> Matcher:
    """A matcher; whatever is wrong with the subscriptions is told at once."""
    matcher = Matcher(ontology=ontology)
    problems = []
    for subscription in subscriptions:
        try:
            matcher.add(subscription)
        except InvalidInput as error:
            problems.append(str(error))
    if problems:
        raise InvalidInput("\n".join(problems))
    return matcher
