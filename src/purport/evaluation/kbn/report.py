"""The outcomes beside the published figures: as a table, and as pictures like the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from purport.evaluation.kbn.experiment import GROWTH, LIMITS, OPERATORS, Outcome
from purport.evaluation.kbn.published import PublishedTime, published
from purport.evaluation.kbn.stores import IN_DATABASE, IN_PROCESS
from purport.plots import Curve, Panel

_LAST = 0.2  # of a test that begins with nothing: the share of publications at its end
_POINTS = 25  # of a curve
_UNIT = "ms for each publication"


@dataclass(frozen=True, slots=True)
class Standing:
    """One of our figures beside one of the paper's, in milliseconds."""

    paper: PublishedTime
    store: str
    ours: float
    error: float

    @property
    def ratio(self) -> float:
        """How many times longer the paper's took; of a range, its lower end."""
        return self.paper.low / self.ours


def standings(outcomes: Sequence[Outcome]) -> list[Standing]:
    """All that can be compared."""
    paper = published()
    found = []
    for one in outcomes:
        if one.test == GROWTH and one.store.endswith(IN_DATABASE):
            found.append(_standing(paper["matched in the database, at 250 events"], _end(one)))
        if one.test == LIMITS and one.limit == 200:
            found.append(_standing(paper["filter, last 200"], one))
        if one.test.startswith(OPERATORS):
            found.append(_standing(paper["one temporal operator"], one))
    return sorted(found, key=lambda one: list(paper.values()).index(one.paper))


def table(outcomes: Sequence[Outcome]) -> str:
    """Paper, ours and their ratio; then how time grows with what is stored and with limits."""
    lines = [f"{'paper':<12} {'what':<40} {'ours':<28} {'paper ms':>9} {'ours ms':>16}  ratio"]
    for one in standings(outcomes):
        shown = f"{one.ours:.3f} ± {one.error:.3f}"
        lines.append(
            f"{one.paper.where:<12} {one.paper.what:<40} {one.store:<28} {one.paper!s:>9} "
            f"{shown:>16}  {one.ratio:,.{0 if one.ratio >= 10 else 1}f} x"
        )
    lines += ["", "test 1: the last fifth of publications, beside the first fifth"]
    lines += [_grown(one) for one in outcomes if one.test == GROWTH]
    lines += ["", "test 2: by the limit of filter (milliseconds)"]
    lines += list(_limits(outcomes))
    return "\n".join(lines) + "\n"


def panels(outcomes: Sequence[Outcome]) -> list[Panel]:
    """Figures 2 to 5 of the paper."""
    grown = [one for one in outcomes if one.test == GROWTH]
    limited = [one for one in outcomes if one.test == LIMITS]
    least = [one for one in limited if one.limit == min(two.limit or 0 for two in limited)]
    asked = [one for one in grown if one.store.endswith((IN_PROCESS, IN_DATABASE))]
    inside = published()["matched in the database, at 250 events"]
    around = published()["filter, last 200"]
    along = ("publications", _UNIT)
    return [
        Panel(
            "Figure 2: with what is stored",
            tuple(_along(one) for one in grown if not one.store.endswith(IN_DATABASE)),
            along,
        ),
        Panel(
            "Figure 3: matched in process, or in the database",
            tuple(map(_along, asked)),
            along,
            ((f"{inside.system}, at 250 events", inside.low),),
        ),
        Panel(
            f"Figure 4: filter at {limited[0].stored:,} events, last {least[0].limit}",
            tuple(map(_along, least)),
            along,
            ((f"{around.system}, last 200", around.low),),
        ),
        Panel(
            "Figure 5: by the limit of filter",
            tuple(_by_limit(limited)),
            ("last n", _UNIT),
            ((f"{around.system}, last 200", around.low),),
        ),
    ]


def _standing(paper: PublishedTime, one: Outcome) -> Standing:
    name = f"{one.store}, {one.test[-1]}" if one.test.startswith(OPERATORS) else one.store
    return Standing(paper, name, one.mean, one.error)


def _end(one: Outcome) -> Outcome:
    count = max(2, round(_LAST * len(one.milliseconds)))
    last = one.milliseconds[-count:]
    return Outcome(one.test, one.store, one.stored, one.limit, one.answered, last)


def _grown(one: Outcome) -> str:
    count = max(2, round(_LAST * len(one.milliseconds)))
    first, last = fmean(one.milliseconds[:count]), fmean(one.milliseconds[-count:])
    return f"  {one.store:<28} {last:8.3f} ms, {last / first:.1f} x the first ({first:.3f} ms)"


def _limits(outcomes: Sequence[Outcome]) -> Iterator[str]:
    limited = [one for one in outcomes if one.test == LIMITS]
    for store in dict.fromkeys(one.store for one in limited):
        some = [one for one in limited if one.store == store]
        shown = "  ".join(f"{one.limit}: {one.mean:.3f} ± {one.error:.3f}" for one in some)
        yield f"  {store:<28} {shown}"


def _along(one: Outcome) -> Curve:
    """What publications took, one after the other: means of neighbours."""
    size = max(1, len(one.milliseconds) // _POINTS)
    starts = range(0, len(one.milliseconds) - size + 1, size)
    groups = [one.milliseconds[start : start + size] for start in starts]
    means = tuple(map(fmean, groups))
    return Curve(
        one.store,
        tuple(float(start + size) for start in starts),
        means,
        tuple(map(min, groups)),
        tuple(map(max, groups)),
    )


def _by_limit(limited: Sequence[Outcome]) -> Iterator[Curve]:
    for store in dict.fromkeys(one.store for one in limited):
        some = [one for one in limited if one.store == store]
        yield Curve(
            store,
            tuple(float(one.limit or 0) for one in some),
            tuple(one.mean for one in some),
            tuple(max(one.mean - one.error, one.mean / 10) for one in some),
            tuple(one.mean + one.error for one in some),
        )
