"""Pictures, in one house style; Matplotlib is an extra."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from purport.errors import InvalidInput, MissingExtra, UnusablePath
from purport.writable import require_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, ACCENT, FAINT = "#1f2a37", "#0f766e", "#cbd5e1"
COLOURS = (ACCENT, "#b45309", "#64748b", "#7c3aed", "#0369a1")  # of curves, in their order
_MANY_COLOURS = (*COLOURS, "#be123c", "#4d7c0f")
_KINDS = (".png", ".svg", ".pdf")
_MOST_NUMBERS = 900  # in a heat map; more could not be read
_STYLE: Any = {
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.facecolor": "white",
    "svg.hashsalt": "purport",
}


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through points, and how far they spread."""

    label: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """What somebody else has found beside a curve: a value, or a range of them."""

    label: str
    curve: str
    x: float
    low: float
    high: float


def require_picture(path: Path) -> None:
    """Raise when no picture can be written to a path, before there is one to write."""
    if path.suffix not in _KINDS:
        raise InvalidInput(f"{path}: a picture is one of {', '.join(_KINDS)}")
    if not path.absolute().parent.is_dir():
        raise UnusablePath(path, "no such folder")
    require_file(path)


@contextmanager
def picture(path: Path, width: float, height: float) -> Iterator[Axes]:
    """Axes to draw on, saved as the suffix of a path says (.png, .svg, .pdf)."""
    with pictures(path, width, height) as figure:
        yield figure.add_subplot()


@contextmanager
def pictures(path: Path, width: float, height: float) -> Iterator[Figure]:
    """The same with room for several."""
    with drawing(width, height) as figure:
        yield figure
        _save(figure, path)


def _save(figure: Figure, path: Path) -> None:
    try:
        figure.savefig(path, dpi=150, metadata=_undated(path))
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    except ValueError as error:  # a suffix that stands for no kind of picture
        raise InvalidInput(f"{path}: {error}") from None


@contextmanager
def without_glyph_warnings() -> Iterator[None]:
    """Matplotlib says nothing of letters that no font has; it draws a box for them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield


@contextmanager
def drawing(width: float, height: float, style: Any = None) -> Iterator[Figure]:
    """A figure in the house style, with what it is to have beyond that."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingExtra("plots") from error
    with matplotlib.rc_context({**_STYLE, **(style or {})}):
        yield Figure(figsize=(width, height), layout="constrained")


def heat_map(
    path: Path, rows: Sequence[str], columns: Sequence[str], scores: Any, title: str
) -> None:
    """A table of scores from 0 to 1 as a picture, with the numbers where there is room."""
    width, height = max(4.0, 1.8 + 0.55 * len(columns)), max(3.0, 1.4 + 0.38 * len(rows))
    with picture(path, min(width, 40.0), min(height, 40.0)) as axes:
        image = axes.imshow(scores, cmap="YlGnBu", vmin=0, vmax=1, aspect="auto")
        axes.set_xticks(
            range(len(columns)), [short(term) for term in columns], rotation=40, ha="right"
        )
        axes.set_yticks(range(len(rows)), [short(term) for term in rows])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_title(title, loc="left")
        if len(rows) * len(columns) <= _MOST_NUMBERS:
            for row, values in enumerate(scores):
                for column, value in enumerate(values):
                    ink = "white" if value > 0.55 else INK
                    axes.text(
                        column, row, f"{value:.2f}", ha="center", va="center", color=ink, size=8
                    )
        axes.figure.colorbar(image, ax=axes, fraction=0.05, label="relatedness")


def reliability(path: Path, bins: Sequence[tuple[float, float, int]], title: str) -> None:
    """Predicted probabilities against how often they came true; the diagonal is perfect."""
    with picture(path, 5.0, 5.0) as axes:
        axes.plot([0, 1], [0, 1], color=FAINT, zorder=1)
        predicted, observed, counts = zip(*bins, strict=True)
        axes.plot(predicted, observed, color=ACCENT, marker="o", zorder=2)
        for x, y, count in zip(predicted, observed, counts, strict=True):
            axes.annotate(f"{count}", (x, y), (6, -12), textcoords="offset points", size=8)
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="predicted probability", ylabel="rated by people")
        axes.set_title(title, loc="left")
        axes.set_aspect("equal")


def comparison(
    path: Path,
    curves: Sequence[Curve],
    marks: Sequence[Mark],
    *,
    title: str,
    axes_labels: tuple[str, str],
) -> None:
    """Curves with their spread, and marks of the same colours for what others have found."""
    with picture(path, 6.4, 4.4) as axes:
        colours = dict(zip((curve.label for curve in curves), cycle(COLOURS), strict=False))
        for curve in curves:
            colour = colours[curve.label]
            axes.plot(curve.xs, curve.ys, color=colour, marker="o", ms=4, label=curve.label)
            axes.fill_between(curve.xs, curve.lows, curve.highs, color=colour, alpha=0.15, lw=0)
        for label in dict.fromkeys(mark.label for mark in marks):
            some = [mark for mark in marks if mark.label == label]
            colour = colours.get(some[0].curve, INK)
            middles = [(mark.low + mark.high) / 2 for mark in some]
            reach = [(mark.high - mark.low) / 2 for mark in some]
            axes.errorbar(
                [mark.x for mark in some], middles, reach, color=colour, fmt="D", mfc="white",
                capsize=4, ms=5, label=label,
            )  # fmt: skip
        axes.set(xlabel=axes_labels[0], ylabel=axes_labels[1], ylim=(0, 102))
        axes.grid(axis="y", color=FAINT, lw=0.5)
        axes.set_axisbelow(True)
        axes.set_title(title, loc="left")
        axes.legend(frameon=False, loc="lower left")


@dataclass(frozen=True, slots=True)
class Panel:
    """One of several pictures that stand together."""

    title: str
    curves: tuple[Curve, ...]
    axes_labels: tuple[str, str]
    levels: tuple[tuple[str, float], ...] = ()  # what somebody else has found, whatever x is


def panels(path: Path, some: Sequence[Panel], *, title: str) -> None:
    """Pictures of curves in two columns, on logarithmic scales; one label, one colour.

    A dashed line is what somebody else has found; shades go from the least to the most.
    """
    labels = dict.fromkeys(curve.label for panel in some for curve in panel.curves)
    colours = dict(zip(labels, cycle(_MANY_COLOURS), strict=False))
    rows = (len(some) + 1) // 2
    with drawing(11.0, 3.6 * rows + 0.4) as figure:
        for place, panel in enumerate(some, 1):
            _draw_panel(figure.add_subplot(rows, 2, place), panel, colours)
        shown = {line.get_label(): line for axes in figure.axes for line in axes.lines}
        figure.legend(
            [shown[label] for label in labels], list(labels), loc="outside lower left", ncols=4,
            frameon=False, fontsize=8,
        )  # fmt: skip
        figure.suptitle(title, x=0.01, ha="left")
        _save(figure, path)


def _draw_panel(axes: Axes, panel: Panel, colours: dict[str, str]) -> None:
    for curve in panel.curves:
        colour = colours[curve.label]
        axes.plot(curve.xs, curve.ys, color=colour, marker="o", ms=3, label=curve.label)
        axes.fill_between(curve.xs, curve.lows, curve.highs, color=colour, alpha=0.15, lw=0)
    for label, level in panel.levels:
        axes.axhline(level, color=INK, ls="--", lw=1)
        axes.annotate(
            label, (0.02, level), xycoords=("axes fraction", "data"), xytext=(0, 3),
            textcoords="offset points", fontsize=7, color=INK,
        )  # fmt: skip
    axes.set(xlabel=panel.axes_labels[0], ylabel=panel.axes_labels[1], yscale="log")
    axes.grid(axis="y", color=FAINT, lw=0.5)
    axes.set_axisbelow(True)
    axes.set_title(panel.title, loc="left", size=10)
    axes.margins(y=0.12)


def short(term: str, most: int = 28) -> str:
    """A label without what would be read as mathematics, cut where it is long."""
    label = term.replace("$", r"\$")
    return label if len(label) <= most else f"{label[: most - 1]}…"


def _undated(path: Path) -> dict[str, None] | None:
    """No date in a vector picture: the same scores make the same file."""
    return {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
