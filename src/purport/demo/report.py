"""The report of a demo: one HTML page that stands alone."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import msgspec

from purport import page
from purport.demo.run import DemoResult, Heard
from purport.demo.story import question, sayings
from purport.demo.vocabulary import MAKERS, SYNONYMS, Said
from purport.model.event_lines import DeadLetter
from purport.page import Cell, Row, code, text
from purport.relatedness.catalogue import defaults_are_made, load_measure

_DEAD_LETTERS_SHOWN = 5
_SAYINGS_SHOWN = 3


def write_report(result: DemoResult, folder: Path) -> Path:
    """Write `report.html` into a folder and give its path."""
    tiles = {
        "events": f"{result.city.events:,}",
        "matches were meant": f"{result.meant:,}",
        "of them found, by meaning": f"{result.heard:,}",
        "found with exact words alone": f"{result.exact:,}",
        "broken lines set aside": f"{len(result.dead_letters):,}",
    }
    parts = {
        "events": f"{result.city.events:,}",
        "tiles": page.tiles(tiles),
        "wordings": _wordings(),
        "heard": _heard(result.subscriptions),
        "sayings": "".join(islice(_sayings(result.subscriptions), _SAYINGS_SHOWN)),
        "words": _words(),
        "dead_letters": _dead_letters(result.dead_letters[:_DEAD_LETTERS_SHOWN]),
    }
    path = folder / "report.html"
    provenance = f"seed {result.city.seed}; streamed in {result.seconds_streaming:.1f} s"
    template = Path(__file__).with_name("report.html")
    title = "Purport demo: who was heard?"
    path.write_text(page.page(title, template, parts, provenance=provenance), encoding="utf-8")
    return path


def _wordings() -> str:
    """Each maker's words for one fact."""
    rows = ([text(maker), *map(code, statements)] for maker, statements in sayings())
    asked = f'<p class="asked">{text(question())}</p>'
    return asked + page.table("The same fact", ["maker", "says what", "and where"], rows)


def _heard(subscriptions: Iterable[Heard]) -> str:
    columns = ["subscription", *MAKERS, "all", "exact words alone", "not meant"]
    rows = map(_row, subscriptions)
    return page.table("Matches found, of those that were meant, by maker", columns, rows)


def _row(heard: Heard) -> Row:
    cells = (_cell(heard.heard[maker], heard.meant[maker]) for maker in MAKERS)
    in_all = _cell(heard.heard.total(), heard.meant.total())
    exact = _cell(heard.exact.total(), heard.meant.total())
    return [f"{text(heard.name)}{code(heard.asks)}", *cells, in_all, exact, f"{heard.wrong:,}"]


def _cell(heard: int, meant: int) -> Cell:
    share = heard / meant if meant else 0.0
    return Cell(f"{heard:,}<small> of {meant:,}</small>", share)


def _sayings(subscriptions: Iterable[Heard]) -> Iterable[str]:
    """For a subscription, one event that was heard and one that means the same and was not."""
    for heard in subscriptions:
        if heard.example and heard.missed:
            example = heard.example.event
            why = page.figure(f"why {example.maker} was heard", _lines(heard.example.why))
            shown = (
                page.figure(f"heard, from {example.maker}", _event(example.said)),
                page.figure(f"missed, from {heard.missed.maker}", _event(heard.missed.said)),
            )
            pair = (
                f'<p class="asked">{text(heard.asks)}</p><div class="pair">{"".join(shown)}</div>'
            )
            yield page.card(text(heard.name), pair + why)


def _words() -> str:
    """How near another maker's words are to the subscribers', nearest first."""
    if not defaults_are_made():
        return "<p>The default concept space is not there: <code>make space</code> makes it.</p>"
    measure = load_measure("calibrated")
    scored = [(measure.score(ours, theirs), ours, theirs) for ours, theirs in SYNONYMS.items()]
    rows: list[Row] = [
        [text(ours), text(theirs), Cell(f"{score:.2f}", score)]
        for score, ours, theirs in sorted(scored, reverse=True)
    ]
    return page.table("Words and their scores", ["asked for", "said", "score"], rows)


def _event(said: Said) -> str:
    shown = {key: value for key, value in said.items() if not key.startswith("@")}
    return _lines(msgspec.json.format(msgspec.json.encode(shown), indent=2).decode())


def _lines(said: str) -> str:
    """A text of several lines, as it is."""
    told = "\n".join(map(text, said.split("\n")))
    return f"<pre>{told}</pre>"


def _dead_letters(letters: Iterable[DeadLetter]) -> str:
    rows = (
        [text(f"{letter.source}:{letter.line}"), text(letter.reason), code(letter.text)]
        for letter in letters
    )
    return page.table("Lines that are no events", ["where", "why", "what it said"], rows)
