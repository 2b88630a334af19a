"""The report of a demo: one HTML page that stands alone."""

from __future__ import annotations

import html
import platform
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from string import Template

import msgspec

import purport
from purport.demo.run import DemoResult, Heard
from purport.demo.vocabulary import MAKERS, SYNONYMS, Said
from purport.model.event_lines import DeadLetter
from purport.relatedness.catalogue import defaults_are_made, load_measure

_DEAD_LETTERS_SHOWN = 5
_SAYINGS_SHOWN = 3


def write_report(result: DemoResult, folder: Path) -> Path:
    """Write `report.html` into a folder and give its path."""
    page = Template(Path(__file__).with_name("report.html").read_text(encoding="utf-8"))
    text = page.substitute(
        events=f"{result.city.events:,}",
        matches=f"{result.matches:,}",
        meant=f"{result.meant:,}",
        refused=f"{len(result.dead_letters):,}",
        makers="".join(f"<th>{maker}</th>" for maker in MAKERS),
        rows="".join(map(_row, result.subscriptions)),
        sayings="".join(islice(_sayings(result.subscriptions), _SAYINGS_SHOWN)),
        words=_words(),
        dead_letters="".join(map(_dead_letter, result.dead_letters[:_DEAD_LETTERS_SHOWN])),
        provenance=html.escape(
            f"Purport {purport.__version__}, Python {platform.python_version()}, "
            f"{platform.machine()}, seed {result.city.seed}; "
            f"streamed in {result.seconds_streaming:.1f} s"
        ),
    )
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


def _row(heard: Heard) -> str:
    cells = "".join(_cell(maker, heard.heard[maker], heard.meant[maker]) for maker in MAKERS)
    total, meant = heard.heard.total(), heard.meant.total()
    return (
        f"<tr><th scope=row>{html.escape(heard.name)}<code>{html.escape(heard.asks)}</code></th>"
        f"{cells}{_cell('all', total, meant)}</tr>"
    )


def _cell(label: str, heard: int, meant: int) -> str:
    share = heard / meant if meant else 0.0
    return (
        f'<td data-label="{label}"><span class=bar style="--share:{share:.3f}"></span>'
        f"<span class=count>{heard:,}<small> of {meant:,}</small></span></td>"
    )


def _sayings(subscriptions: Iterable[Heard]) -> Iterable[str]:
    """For a subscription, one event that was heard and one that means the same and was not."""
    for heard in subscriptions:
        if heard.example and heard.missed:
            yield (
                f"<section class=saying><h3>{html.escape(heard.name)}</h3>"
                f"<p class=asked>{html.escape(heard.asks)}</p><div class=pair>"
                f"<figure><figcaption>heard, from {heard.example.event.maker}</figcaption>"
                f"{_event(heard.example.event.said)}</figure>"
                f"<figure><figcaption>missed, from {heard.missed.maker}</figcaption>"
                f"{_event(heard.missed.said)}</figure></div></section>"
            )


def _words() -> str:
    """How near another maker's words are to the subscribers', nearest first."""
    if not defaults_are_made():
        return "<p>The default concept space is not there: <code>make space</code> makes it.</p>"
    measure = load_measure("calibrated")
    scored = [(measure.score(ours, theirs), ours, theirs) for ours, theirs in SYNONYMS.items()]
    rows = "".join(
        f"<tr><th scope=row>{html.escape(ours)}</th><td>{html.escape(theirs)}</td>"
        f'<td data-label="score"><span class=bar style="--share:{score:.3f}"></span>'
        f"<span class=count>{score:.2f}</span></td></tr>"
        for score, ours, theirs in sorted(scored, reverse=True)
    )
    return (
        '<div class="scroll"><table><thead><tr><th>asked for</th><th>said</th><th>score</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _event(said: Said) -> str:
    shown = {key: value for key, value in said.items() if not key.startswith("@")}
    text = msgspec.json.format(msgspec.json.encode(shown), indent=2).decode()
    return f"<pre>{html.escape(text)}</pre>"


def _dead_letter(letter: DeadLetter) -> str:
    return (
        f"<tr><td>{html.escape(letter.source)}:{letter.line}</td>"
        f"<td>{html.escape(letter.reason)}</td><td><code>{html.escape(letter.text)}</code></td></tr>"
    )
