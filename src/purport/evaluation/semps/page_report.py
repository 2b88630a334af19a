"""The report of many runs: one HTML page that stands alone, with a network that is played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from purport import inline_plots, page
from purport.errors import MissingExtra
from purport.evaluation.semps import text_report
from purport.evaluation.semps.figures import electronics_said
from purport.evaluation.semps.film import Film
from purport.evaluation.semps.grid import Point, shown
from purport.evaluation.semps.intervals import Interval
from purport.evaluation.semps.pictures import (
    draw_alive,
    draw_delivery,
    draw_energy,
    draw_network,
    topic_colours,
)
from purport.evaluation.semps.standings import Standing, at_points
from purport.evaluation.semps.statements import Judgement, Verdict
from purport.network.scenario import Scenario
from purport.page import Cell, Row, code, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a report is of; pictures are of the first point of the grid."""

    scenarios: Mapping[Point, Scenario]
    seeds: Sequence[int]
    standing: Sequence[Standing]
    judged: Sequence[Judgement]
    films: Sequence[Film] = ()

    @property
    def first(self) -> list[Standing]:
        """Who did how at the first point."""
        return list(next(iter(at_points(self.standing).values())).values())

    @property
    def title(self) -> str:
        """What pictures show, in a line."""
        point, scenario = next(iter(self.scenarios.items()))
        said = text_report.scenario_said(scenario, self.seeds)
        return f"{point}: {said}" if point.settings else said


def page_of(findings: Findings) -> str:
    """The page."""
    parts = {
        "facts": page.facts(_facts(findings)),
        "tiles": page.tiles(_tiles(findings)),
        "player": _player(findings.films),
        "lifetime": _pictures(_of_lifetime, findings)
        + _tables("Until when, and at what cost", text_report.LIFETIME,
                  lambda one: text_report.lifetime_row(one, findings.standing), findings),
        "delivery": _pictures(_of_delivery, findings)
        + _tables("What was delivered, and with how many messages", text_report.DELIVERY,
                  text_report.delivery_row, findings),
        "statements": _statements(findings.judged),
        "scenario": _scenario(findings),
    }  # fmt: skip
    made = f"± is half of Student's 95 % interval over {len(findings.seeds)} seeds"
    title = "Purport: what the network did"
    return page.page(title, _FOLDER / "report.html", parts, provenance=made)


def _facts(findings: Findings) -> dict[str, str]:
    scenario = next(iter(findings.scenarios.values()))
    roles, seeds = scenario.roles, findings.seeds
    electronics = dict.fromkeys(map(electronics_said, findings.scenarios.values()))
    known = {
        "field": text(text_report.field_said(scenario.field)),
        "roles": text(
            f"{roles.publishers:.0%} publish, {roles.subscribers:.0%} have up to "
            f"{roles.most_subscriptions} subscriptions, the rest relay"
        ),
        "batteries": text(f"{scenario.battery.joules:g} J each"),
        "electronics": text("; ".join(electronics)),
        "seeds": text(f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else seeds[0]),
        "until": text(scenario.until.value),
    }
    points = [point for point in findings.scenarios if point.settings]
    if points:
        known["grid"] = text(f"{len(points)} points; pictures are of {points[0]}")
    return known


def _tiles(findings: Findings) -> dict[str, str]:
    found = ((one.routing, one.interval(attrgetter("half_dead"))) for one in findings.first)
    return {
        f"rounds until half dead: {routing}{_sure(one)}": (
            text_report.NOT_REACHED if one is None else f"{one.mean:,.0f}"
        )
        for routing, one in found
    }


def _sure(found: Interval | None) -> str:
    return "" if found is None or found.count < 2 else f" (±\u00a0{found.half_width:,.0f})"


def _player(films: Sequence[Film]) -> str:
    """The films as JSON, and what plays them."""
    names = [film.routing for film in films]
    told = {
        "films": films,
        "colours": topic_colours(films),
        "first": names.index("semps") if "semps" in names else 0,
    }
    data = msgspec.json.encode(told).decode().replace("</", "<\\/")
    style, body, script = (
        (_FOLDER / f"player.{kind}").read_text("utf-8") for kind in ("css", "html", "js")
    )
    return (
        f"<style>\n{style}</style>\n{body}"
        f'<script type="application/json" id="films">{data}</script>\n<script>\n{script}</script>'
    )


def _pictures(made: Callable[[Findings], Iterable[str]], findings: Findings) -> str:
    """Pictures, or why there are none."""
    try:
        return page.pictures(made(findings))
    except MissingExtra as missing:
        return f"<p>No pictures: {text(missing)}</p>"


def _of_lifetime(findings: Findings) -> Iterable[str]:
    first = findings.first
    told = "; ".join(f"{name}: half dead after {value}" for name, value in _lives(first))
    yield _drawn("alive", "Nodes alive over rounds (as Figure 8)", told, 3.2,
                 lambda axes: draw_alive(axes, first))  # fmt: skip
    told = "; ".join(
        f"{one.routing}: {one.mean(attrgetter('data_j')):.3g} J for data, "
        f"{one.mean(attrgetter('control_j')):.3g} J for control, "
        f"{one.mean(attrgetter('computation_j')):.3g} J for computation"
        for one in first
    )
    yield _drawn("energy", "What energy was spent on", told, 0.9 + 0.45 * len(first),
                 lambda axes: draw_energy(axes, first))  # fmt: skip


def _of_delivery(findings: Findings) -> Iterable[str]:
    first = findings.first
    told = "; ".join(
        f"{one.routing}: precision {one.mean(attrgetter('precision')):.2f}, "
        f"recall {one.mean(attrgetter('recall')):.2f}"
        for one in first
    )
    yield _drawn("delivery", "Precision and recall (as Figure 9)", told, 3.2,
                 lambda axes: draw_delivery(axes, first))  # fmt: skip
    film = findings.films[0]
    told = "Where nodes are, which of them publish and subscribe, and about what."
    yield _drawn("network", "The network at the beginning (as Figure 7)", told, 3.9,
                 lambda axes: draw_network(axes, film))  # fmt: skip


def _lives(standing: Sequence[Standing]) -> Iterable[tuple[str, str]]:
    for one in standing:
        yield one.routing, text_report.rounds_said(one.interval(attrgetter("half_dead")))


def _drawn(name: str, caption: str, told: str, height: float, draw: Callable[[Axes], None]) -> str:
    return page.figure(caption, inline_plots.drawn(name, told, height, draw))


def _tables(
    caption: str,
    columns: Sequence[str],
    row: Callable[[Standing], list[str]],
    findings: Findings,
) -> str:
    """A table for each point of the grid."""
    return "".join(
        page.table(
            f"{caption}; {point}" if point.settings else caption,
            columns,
            [_row(row(one)) for one in here.values()],
        )
        for point, here in at_points(findings.standing).items()
    )


def _row(cells: Sequence[str]) -> Row:
    first, *others = cells
    return [text(first), *(Cell(text(other), is_number=True) for other in others)]


def _statements(judged: Sequence[Judgement]) -> str:
    if not judged:
        return "<p>Its routings were not run: unicast, mte and semps.</p>"
    held = sum(one.verdict is Verdict.HOLDS for one in judged)
    is_grid = len({one.point for one in judged}) > 1
    rows: list[Row] = [
        [
            text(one.statement.text),
            *([text(one.point)] if is_grid else []),
            f"<b>{text(one.verdict)}</b>",
            Cell(text(text_report.difference_said(one)), is_number=True),
        ]
        for one in judged
    ]
    columns = ["statement", *(["where"] if is_grid else []), "here", "difference"]
    caption = f"{held} of {len(judged)} hold; differences are taken seed by seed"
    return page.table(caption, columns, rows)


def _scenario(findings: Findings) -> str:
    """Every option."""
    point, scenario = next(iter(findings.scenarios.items()))
    columns = ["option", "value"]
    if point.settings:
        columns.append("in the grid")
    rows: list[Row] = []
    for name, value in options_of(scenario):
        if name != "routing":
            swept = ", ".join(code(shown(one)) for one in _swept(findings, name))
            rows.append([code(name), text(value), swept][: len(columns)])
    table = page.table("Every option of the scenario", columns, rows)
    return f"<details><summary>The scenario</summary>{table}</details>"


def _swept(findings: Findings, name: str) -> list[Any]:
    values = (dict(point.settings).get(name) for point in findings.scenarios)
    return [value for value in dict.fromkeys(values) if value is not None]


def options_of(settings: Any, below: str = "") -> Iterable[tuple[str, str]]:
    """Every option of a scenario by its full name, with its value as people write it."""
    for field in fields(settings):
        value = getattr(settings, field.name)
        if is_dataclass(value):
            yield from options_of(value, f"{below}{field.name}.")
        else:
            yield f"{below}{field.name}", "-" if value is None else shown(value)
