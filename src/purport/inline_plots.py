"""Pictures that stand in a page: they take its colours, light or dark, and its letters."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from purport.plots import ACCENT, COLOURS, FAINT, INK, drawing, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 5.2
_FAR_APART = 100
_STYLE: Any = {
    "svg.fonttype": "none",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.formatter.limits": (-3, 7),
    "font.size": 11,
}
# The colours of the house, as a page calls them.
_VARIABLES = {
    INK: "var(--ink)",
    FAINT: "var(--line)",
    **dict(
        zip(
            COLOURS,
            ("var(--accent)", "var(--second)", "var(--third)", "var(--fourth)", "var(--fifth)"),
            strict=True,
        )
    ),
}
_BEFORE_SVG = re.compile(r"^.*?(?=<svg)", re.S)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.S)
_COMMENT = re.compile(r"<!--.*?-->\s*", re.S)
_FONTS = re.compile(r"font-family: [^;\"]*")
_ID = re.compile(r' id="([^"]*)"')
_REFERENCE = re.compile(r"""(href="#|url\(#)([^")]+)""")
_SIZE = re.compile(r' (?:width|height)="[\d.]+pt"')


def require() -> None:
    """Raise `MissingExtra` when no picture can be drawn."""
    with drawing(1, 1):
        pass


def lines(name: str, told: str, points: Mapping[int, float], labels: tuple[str, str]) -> str:
    """A line through points, with what lies below it shaded; `told` is read out instead of it."""

    def draw(axes: Axes) -> None:
        xs, ys = list(points), list(points.values())
        axes.plot(xs, ys, color=ACCENT, marker="o" if len(xs) < 40 else "", ms=3.5)
        axes.fill_between(xs, ys, color=ACCENT, alpha=0.15, lw=0)
        axes.set(xlabel=labels[0], ylabel=labels[1])
        axes.set_ylim(bottom=0)
        _count_whole(axes)

    return drawn(name, told, 2.6, draw)


def bars(name: str, told: str, counts: Mapping[str, float]) -> str:
    """Counts beside their names, in their order, from the top."""

    def draw(axes: Axes) -> None:
        places = range(len(counts))
        rows = axes.barh(places, list(counts.values()), color=ACCENT, height=0.7)
        axes.set_yticks(places, [short(one) for one in counts])
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        axes.bar_label(rows, [f"{one:,}" for one in counts.values()], padding=4, size=10)
        axes.margins(x=0.18)
        axes.spines["bottom"].set_visible(False)
        axes.set_xticks([])

    return drawn(name, told, 0.5 + 0.28 * max(3, len(counts)), draw)


def histogram(name: str, told: str, counts: Sequence[int], labels: tuple[str, str]) -> str:
    """How many fall into each of the equal parts between 0 and 1."""

    def draw(axes: Axes) -> None:
        width = 1 / len(counts)
        lefts = [width * place for place in range(len(counts))]
        axes.bar(lefts, counts, width=0.92 * width, align="edge", color=ACCENT)
        if max(counts) > _FAR_APART * min(filter(None, counts), default=1):
            axes.set_yscale("symlog", linthresh=1)  # or the few could not be seen
        axes.set(xlim=(0, 1), xlabel=labels[0], ylabel=labels[1])
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.yaxis.minorticks_off()

    return drawn(name, told, 2.6, draw)


def shares(name: str, told: str, parts: Mapping[str, float]) -> str:
    """Parts of a whole as one bar, with what each of them is of it."""

    def draw(axes: Axes) -> None:
        whole, left = sum(parts.values()) or 1.0, 0.0
        for (part, value), colour in zip(parts.items(), COLOURS, strict=False):
            share = value / whole
            axes.barh([0], [share], left=left, color=colour, label=f"{part}, {share:.0%}")
            left += share
        axes.set(xlim=(0, 1), ylim=(-0.5, 0.5))
        axes.set_axis_off()
        axes.figure.legend(loc="outside lower left", ncols=2, frameon=False)

    return drawn(name, told, 1.5, draw)


def drawn(name: str, told: str, height: float, draw: Callable[[Axes], None]) -> str:
    """A picture as an element of a page; its ids begin with its name, as no other's do.

    `draw` has the colours of the house, which become those of the page.
    """
    with drawing(_WIDTH, height, _STYLE) as figure:
        draw(figure.add_subplot())
        output = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Type", "Format"))
        figure.savefig(output, format="svg", metadata=nothing)
    svg = output.getvalue()
    for pattern in (_BEFORE_SVG, _METADATA, _COMMENT, _SIZE):
        svg = pattern.sub("", svg)
    svg = _FONTS.sub("font-family: system-ui, sans-serif", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(f": {colour}", f": {variable}")
    used = {found[2] for found in _REFERENCE.finditer(svg)}
    svg = _ID.sub(lambda one: f' id="{name}-{one[1]}"' if one[1] in used else "", svg)
    svg = _REFERENCE.sub(rf"\g<1>{name}-\g<2>", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(told)}" ', 1).strip()


def _count_whole(axes: Axes) -> None:
    """Whole numbers below, with separators beside."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    low, high = axes.get_ylim()
    axes.yaxis.set_major_formatter("{x:,.0f}" if high - low > 5 else "{x:,.2g}")
