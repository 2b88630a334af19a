"""Pages that stand alone: one file of HTML, light and dark, on a screen of any width.

What is called HTML here is put in as it is; `text` makes it of anything else.
"""

from __future__ import annotations

import html
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

import purport
from purport.model.term import printable


def text(said: object) -> str:
    """What somebody said, as HTML."""
    return html.escape(printable(str(said)))


def code(said: object) -> str:
    """What a machine said, or reads."""
    return f"<code>{text(said)}</code>"


def page(title: str, template: Path, parts: Mapping[str, str], *, provenance: str = "") -> str:
    """A page: its title as text, a template of its body, and HTML for what that leaves open."""
    body = Template(template.read_text(encoding="utf-8")).substitute(parts)
    made = f"Purport {purport.__version__}, Python {platform.python_version()}, "
    footer = text(f"{made}{platform.machine()}{f'; {provenance}' if provenance else ''}")
    frame = Template(Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))
    return frame.substitute(title=text(title), body=body.strip(), footer=footer)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table, as HTML; `share`, from 0 to 1, is drawn below it."""

    html: str
    share: float | None = None
    is_number: bool = False


Row = Sequence[Cell | str]


def number(value: float, share: float | None = None) -> Cell:
    """A count, or a figure with its own digits."""
    return Cell(f"{value:,}", share, is_number=share is None)


def table(caption: str, columns: Sequence[str], rows: Iterable[Row]) -> str:
    """A table: its caption and names of columns as text, its cells as HTML.

    The first cell of a row says what the row is about. On a narrow screen each row is a block.
    """
    made = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
    numbers = {place for row in made for place, cell in enumerate(row) if cell.is_number}
    heads = (
        f'<th scope="col"{" class=number" if place in numbers else ""}>{text(name)}</th>'
        for place, name in enumerate(columns)
    )
    lines = (f"<tr>{''.join(_cells(columns, row))}</tr>" for row in made)
    return (
        f"<table><caption>{text(caption)}</caption><thead><tr>{''.join(heads)}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def tiles(figures: Mapping[str, str]) -> str:
    """Figures that are seen first, each under what it is of; all as text."""
    made = (f"<div><b>{text(value)}</b>{text(name)}</div>" for name, value in figures.items())
    return f'<div class="tiles">{"".join(made)}</div>'


def facts(known: Mapping[str, str]) -> str:
    """Short facts: names as text, what they are as HTML."""
    made = (f"<dt>{text(name)}</dt><dd>{fact}</dd>" for name, fact in known.items())
    return f'<dl class="facts">{"".join(made)}</dl>'


def figure(caption: str, inner: str) -> str:
    """A picture or another exhibit, as HTML, with its caption."""
    return f"<figure><figcaption>{text(caption)}</figcaption>{inner}</figure>"


def pictures(figures: Iterable[str]) -> str:
    """Figures beside each other, or below where the screen is narrow."""
    return f'<div class="pictures">{"".join(figures)}</div>'


def card(heading: str, inner: str) -> str:
    """A thing of its own, under a heading of the third rank; both as HTML."""
    return f'<section class="card"><h3>{heading}</h3>{inner}</section>'


def cards(made: Iterable[str]) -> str:
    """Cards beside each other, or below where the screen is narrow."""
    return f'<div class="cards">{"".join(made)}</div>'


def _cells(columns: Sequence[str], row: Sequence[Cell]) -> Iterable[str]:
    first, *others = row
    yield f'<th scope="row">{first.html}</th>'
    for name, cell in zip(columns[1:], others, strict=True):
        label = f' data-label="{text(name)}"'
        if cell.share is not None:
            share = f'<span style="--share:{cell.share:.3f}"></span>'
            yield f'<td class="bar"{label}>{cell.html}{share}</td>'
        else:
            yield f"<td{' class=number' if cell.is_number else ''}{label}>{cell.html}</td>"
