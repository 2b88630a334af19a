"""Pictures in the manner of SemPS'12: the network (Figure 7), who lives (8), what is received (9).

Each is drawn on axes that somebody else has made, in a file or in a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from purport.evaluation.semps.figures import Figures
from purport.evaluation.semps.film import Film
from purport.evaluation.semps.intervals import Interval
from purport.evaluation.semps.standings import Standing
from purport.evaluation.semps.topics import EVERYTHING, OTHER
from purport.plots import COLOURS, FAINT, INK, picture, pictures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOPIC_COLOURS = (
    "#d9480f", "#2f9e44", "#1c7ed6", "#9c36b5", "#d69e00", "#0ca678", "#e64980", "#15aabf",
    "#846358",
)  # fmt: skip
_RELAY = "#94a3b8"
_MARKERS = {"publisher": "^", "subscriber": "s", "relay": "o"}
_POINTS = 120  # of a curve
_PARTS = ("data_j", "control_j", "computation_j", "idle_j")


def topic_colours(films: Sequence[Film]) -> dict[str, str]:
    """A colour for each topic, the same in all pictures of a report."""
    found = sorted({topic for film in films for topic in film.topics} - {"", EVERYTHING, OTHER})
    colours = dict(zip(found, TOPIC_COLOURS, strict=False))
    return {**colours, OTHER: _RELAY, EVERYTHING: INK}


def draw_network(axes: Axes, film: Film, title: str = "") -> None:
    """Roles by shapes, interests by colours, at the beginning."""
    still = film.stills[0]
    places = np.array(still.positions, float).reshape(-1, 2) / 10
    links = np.array(still.linked, int).reshape(-1, 2)
    _draw_links(axes, places, links)
    colours = topic_colours([film])
    for role, marker in _MARKERS.items():
        of_role = [node for node, one in enumerate(film.roles) if one == role]
        if of_role:
            axes.scatter(
                places[of_role, 0],
                places[of_role, 1],
                c=[colours.get(film.topics[node], _RELAY) for node in of_role],
                marker=marker,
                s=8 if role == "relay" else 26,
                lw=0,
                zorder=2,
            )
    _label_network(axes, film, colours)
    axes.set_aspect("equal")
    axes.set(xlabel="m", ylabel="m")
    axes.set_title(title, loc="left", size=10)


def _draw_links(axes: Axes, places: np.ndarray, links: np.ndarray) -> None:
    """All links as one line with gaps: small in a file."""
    gaps = np.full((len(links), 1), np.nan)
    xs, ys = (np.hstack([places[links, axis], gaps]).ravel() for axis in (0, 1))
    axes.plot(xs, ys, color=FAINT, lw=0.6, zorder=1)


def _label_network(axes: Axes, film: Film, colours: Mapping[str, str]) -> None:
    from matplotlib.lines import Line2D

    shapes = [
        Line2D([], [], ls="", marker=marker, color=INK, label=f"{role}s", ms=5)
        for role, marker in _MARKERS.items()
        if role in film.roles
    ]
    topics = [
        Line2D([], [], ls="", marker="o", color=colour, label=topic, ms=5)
        for topic, colour in colours.items()
        if topic in film.topics
    ]
    axes.legend(
        handles=[*shapes, *topics], frameon=False, fontsize=7, loc="upper left",
        bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2, handletextpad=0.3,
    )  # fmt: skip


def draw_alive(axes: Axes, standing: Sequence[Standing], title: str = "") -> None:
    """How many live after each round: the mean of all seeds, and Student's interval about it."""
    end = max(run.rounds for one in standing for run in one.runs)
    rounds = np.unique(np.linspace(0, end, _POINTS).astype(int))
    for one, colour in zip(standing, COLOURS * len(standing), strict=False):
        last = max(run.rounds for run in one.runs)
        xs = np.append(rounds[rounds < last], last)
        shares = np.array([alive_share(run, xs) for run in one.runs])
        found = [Interval.of(list(column)) for column in shares.T]
        axes.plot(xs, [each.mean for each in found], color=colour, label=one.routing)
        axes.fill_between(
            xs, [max(each.low, 0) for each in found], [min(each.high, 100) for each in found],
            color=colour, alpha=0.15, lw=0,
        )  # fmt: skip
    axes.axhline(50, color=FAINT, lw=0.8)
    axes.set(xlabel="round", ylabel="alive (%)", ylim=(0, 104), xlim=(0, None))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.locator_params(axis="x", nbins=5)
    axes.legend(
        frameon=False, fontsize=8, ncols=2, loc="upper right", bbox_to_anchor=(1.0, 0.46)
    )  # below the line of half
    axes.set_title(title, loc="left", size=10)


def alive_share(run: Figures, rounds: np.ndarray) -> np.ndarray:
    """How many of a hundred live after each of some rounds; after the last as at the last."""
    places = np.searchsorted(run.alive_after, rounds, side="right") - 1
    found: np.ndarray = 100 * np.array(run.alive)[places] / run.nodes
    return found


def draw_delivery(axes: Axes, standing: Sequence[Standing], title: str = "") -> None:
    """Precision and recall of each routing, with Student's intervals."""
    places = np.arange(len(standing))
    for shift, name, colour in ((-0.2, "precision", COLOURS[0]), (0.2, "recall", COLOURS[1])):
        found = [one.interval(attrgetter(name)) or Interval(0, 0, 1) for one in standing]
        heights = [each.mean for each in found]
        axes.bar(places + shift, heights, 0.36, color=colour, label=name)
        axes.errorbar(
            places + shift, heights, [each.half_width for each in found],
            color=INK, ls="", lw=1, capsize=2,
        )  # fmt: skip
        for place, each in zip(places + shift, found, strict=True):
            axes.annotate(
                f"{each.mean:.2f}", (place, each.high), (0, 3), textcoords="offset points",
                ha="center", size=7, color=INK,
            )  # fmt: skip
    axes.set_xticks(places, [one.routing for one in standing])
    axes.tick_params(axis="x", length=0)
    axes.set(ylim=(0, 1.12), yticks=(0, 0.5, 1))
    _legend_above(axes)
    axes.set_title(title, loc="left", size=10, pad=22 if title else 6)


def draw_energy(axes: Axes, standing: Sequence[Standing], title: str = "") -> None:
    """What each routing spent its joules on, as shares of all that was spent."""
    names = [one.routing for one in standing]
    left = np.zeros(len(standing))
    spent = np.array([[one.mean(attrgetter(part)) for one in standing] for part in _PARTS])
    for part, values, colour in zip(_PARTS, spent / spent.sum(axis=0), COLOURS, strict=False):
        if values.any():
            label = part.removesuffix("_j")
            axes.barh(names, values, left=left, color=colour, label=label, height=0.6)
        left += values
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.set(xlim=(0, 1))
    axes.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    _legend_above(axes)
    axes.set_title(title, loc="left", size=10, pad=22 if title else 6)


def _legend_above(axes: Axes) -> None:
    axes.legend(
        frameon=False, fontsize=8, ncols=4, loc="lower left", bbox_to_anchor=(-0.02, 1.0),
        borderaxespad=0, columnspacing=1, handlelength=1,
    )  # fmt: skip


def draw_all(path: Path, film: Film, standing: Sequence[Standing], title: str) -> None:
    """The network, who lives, and what is received, in one picture."""
    with pictures(path, 12.0, 5.2) as figure:
        grid = figure.add_gridspec(2, 2, width_ratios=(1.25, 1))
        draw_network(figure.add_subplot(grid[:, 0]), film, "Who publishes and who asks for what")
        draw_alive(figure.add_subplot(grid[0, 1]), standing, "Who lives")
        draw_delivery(figure.add_subplot(grid[1, 1]), standing, "What is received")
        figure.suptitle(title, x=0.01, ha="left", size=10)


def write_pictures(folder: Path, film: Film, standing: Sequence[Standing], title: str) -> None:
    """Each as a file of its own."""
    with picture(folder / "network.svg", 7.2, 5.6) as axes:
        draw_network(axes, film, title)
    with picture(folder / "alive.svg", 6.4, 4.0) as axes:
        draw_alive(axes, standing, title)
    with picture(folder / "delivery.svg", 6.4, 4.0) as axes:
        draw_delivery(axes, standing, title)
    with picture(folder / "energy.svg", 6.4, 1.4 + 0.4 * len(standing)) as axes:
        draw_energy(axes, standing, title)
