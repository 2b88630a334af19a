"""Standings and verdicts as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from purport.evaluation.semps.figures import electronics_said
from purport.evaluation.semps.grid import Point
from purport.evaluation.semps.intervals import Interval
from purport.evaluation.semps.standings import (
    Standing,
    at_points,
    control_per_round,
    joules_per_delivery,
    sent_per_event,
    share_lost,
)
from purport.evaluation.semps.statements import Judgement, Verdict
from purport.network.scenario import Field, Scenario, Wiring

NOT_REACHED = "not reached"
_MILLI = 1e3


def tables(standing: Sequence[Standing]) -> Iterable[str]:
    """What each routing came to: one table for how long, one for what was delivered."""
    yield aligned(LIFETIME, [lifetime_row(one, standing) for one in standing])
    yield aligned(DELIVERY, [delivery_row(one) for one in standing])


LIFETIME = (
    "routing", "first death", "half dead", "of semps",
    "computation J", "control J", "data J", "mJ/delivery",
)  # fmt: skip
DELIVERY = (
    "routing", "precision", "recall", "allowed", "hops", "sent/event", "control/round", "lost",
)  # fmt: skip


def lifetime_row(one: Standing, others: Sequence[Standing]) -> list[str]:
    """How long, and at what cost."""
    per_delivery = one.interval(joules_per_delivery)
    return [
        one.routing,
        rounds_said(one.interval(attrgetter("first_death"))),
        rounds_said(one.interval(attrgetter("half_dead"))),
        _of_semps(one, others),
        *(
            f"{one.mean(attrgetter(name)):,.2f}"
            for name in ("computation_j", "control_j", "data_j")
        ),
        "-" if per_delivery is None else f"{_MILLI * per_delivery.mean:,.3g}",
    ]


def delivery_row(one: Standing) -> list[str]:
    """What was delivered, and with how many messages."""
    found = [one.interval(attrgetter(name)) for name in ("precision", "recall")]
    return [
        one.routing,
        *("-" if each is None else each.said(3) for each in found),
        f"{one.mean(attrgetter('recall_where_allowed')):.3f}",
        f"{one.mean(attrgetter('mean_hops')):.1f}",
        f"{one.mean(sent_per_event):,.1f}",
        f"{one.mean(control_per_round):,.1f}",
        f"{one.mean(share_lost):.1%}",
    ]


def verdicts(judged: Sequence[Judgement]) -> str:
    """Statements, each with what our runs say to it."""
    is_grid = len({one.point for one in judged}) > 1
    columns = (*(("where",) if is_grid else ()), "statement", "here", "difference")
    return aligned(
        columns,
        [
            [
                *((str(one.point),) if is_grid else ()),
                one.statement.text,
                str(one.verdict),
                difference_said(one),
            ]
            for one in judged
        ],
        words=len(columns) - 1,
    )


def verdicts_counted(judged: Sequence[Judgement]) -> str:
    """Statements, each with at how many points of the grid it holds."""
    found: dict[str, Counter[Verdict]] = {}
    for one in judged:
        found.setdefault(one.statement.text, Counter())[one.verdict] += 1
    return aligned(
        ("statement, at so many points", *map(str, Verdict)),
        [[text, *(str(counts[each]) for each in Verdict)] for text, counts in found.items()],
    )


def difference_said(one: Judgement) -> str:
    """By how much one routing is above the other."""
    if one.difference is None:
        return NOT_REACHED
    digits = 0 if one.statement.figure in ("half_dead", "first_death") else 3
    return one.difference.said(digits)


def scenario_said(scenario: Scenario, seeds: Sequence[int]) -> str:
    """A scenario in a line, and under which electronics what follows holds."""
    roles, field = scenario.roles, scenario.field
    parts = [
        field_said(field),
        f"{roles.publishers:.0%} publish, {roles.subscribers:.0%} subscribe",
        f"{scenario.battery.joules:g} J each",
        f"electronics {electronics_said(scenario)}",
        f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}",
        f"until {scenario.until.value}" if scenario.until != "rounds" else "",
    ]
    return "; ".join(filter(None, parts))


def field_said(field: Field) -> str:
    """Where nodes are, in words."""
    if field.wiring is Wiring.FILE:
        return f"the field of {field.file}"
    return f"{field.nodes:,} nodes on {field.side_m:g} by {field.side_m:g} m, {field.wiring} wiring"


def rounds_said(found: Interval | None) -> str:
    """In which round, if it was reached."""
    return NOT_REACHED if found is None else found.said()


def aligned(columns: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """A table: so many columns of words to the left, those of numbers to the right."""
    lines = [columns, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    made = []
    for line in lines:
        cells = [
            cell.ljust(width) if place < words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        made.append("  ".join(cells).rstrip())
    return "\n".join(made) + "\n"


def report(
    standing: Sequence[Standing], scenarios: Mapping[Point, Scenario], seeds: Sequence[int]
) -> str:
    """Every point of the grid with its tables."""
    said = []
    for point, here in at_points(standing).items():
        some = list(here.values())
        title = f"{point}\n" if point.settings else ""
        said.append(
            "\n".join([f"{title}{scenario_said(scenarios[point], seeds)}\n", *tables(some)])
        )
    if len(seeds) > 1:
        said.append(f"± is half of Student's 95 % interval of the mean over {len(seeds)} seeds.\n")
    return "\n".join(said)


def _of_semps(one: Standing, others: Sequence[Standing]) -> str:
    theirs = [each for each in others if each.routing == "semps" and each.point == one.point]
    ours = one.interval(attrgetter("half_dead"))
    above = theirs[0].interval(attrgetter("half_dead")) if theirs else None
    return "-" if ours is None or above is None else f"{ours.mean / above.mean:.2f}"
