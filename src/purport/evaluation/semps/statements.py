"""What SemPS'12 says of its routing (Figures 8 and 9) and we of ours; whether it holds in our runs.

Runs with one seed have the same network, roles and interests, whatever the routing: differences are
taken seed by seed, and the interval of their mean decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter

from purport.evaluation.semps.grid import Point
from purport.evaluation.semps.intervals import Interval
from purport.evaluation.semps.standings import Figure, Standing, at_points

HALF_DEAD, FIRST_DEATH = "half_dead", "first_death"
PUBLISHED = ("unicast", "mte", "semps")  # whom the paper compares


class Verdict(StrEnum):
    """What our runs say to a statement."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "open"  # the interval has both, or the round was not reached


@dataclass(frozen=True, slots=True)
class Statement:
    """One routing has more of something than another, or at least as much.

    With a `factor`, more than so many times as much.
    """

    text: str
    more: str
    less: str
    figure: str
    or_equal: bool = False
    factor: float = 1.0

    def verdict(self, difference: Interval) -> Verdict:
        """What a difference says, with its interval."""
        low, high = difference.low, difference.high
        if low > 0 or (self.or_equal and low >= 0):
            return Verdict.HOLDS
        if high < 0 or (not self.or_equal and high <= 0):
            return Verdict.FAILS
        return Verdict.OPEN


STATEMENTS = (
    Statement("semps outlives mte: half dead later", "semps", "mte", HALF_DEAD),
    Statement("semps outlives unicast: half dead later", "semps", "unicast", HALF_DEAD),
    Statement("semps: first death no earlier than mte", "semps", "mte", FIRST_DEATH, True),
    Statement("semps: first death no earlier than unicast", "semps", "unicast", FIRST_DEATH, True),
    Statement("semps is more precise than mte", "semps", "mte", "precision"),
    Statement("semps is more precise than unicast", "semps", "unicast", "precision"),
    Statement("unicast is more precise than mte", "unicast", "mte", "precision"),
    Statement("semps recalls no less than mte", "semps", "mte", "recall", True),
    Statement("ours: sparing outlives semps by a fifth", "sparing", "semps", HALF_DEAD, factor=1.2),
    Statement("ours: sparing recalls no less than semps", "sparing", "semps", "recall", True),
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A statement at a point of the grid: the mean difference, if there is one, and the verdict."""

    point: Point
    statement: Statement
    difference: Interval | None
    verdict: Verdict


def judgements(
    standing: Sequence[Standing], statements: Sequence[Statement] = STATEMENTS
) -> list[Judgement]:
    """Each statement at each point where both of its routings were run."""
    return [
        _judged(point, statement, here)
        for point, here in at_points(standing).items()
        for statement in statements
        if statement.more in here and statement.less in here
    ]


def _judged(point: Point, statement: Statement, here: dict[str, Standing]) -> Judgement:
    difference = _difference(statement, here[statement.more], here[statement.less])
    verdict = Verdict.OPEN if difference is None else statement.verdict(difference)
    return Judgement(point, statement, difference, verdict)


def _difference(statement: Statement, more: Standing, less: Standing) -> Interval | None:
    figure: Figure = attrgetter(statement.figure)
    values = []
    for one, other in zip(more.runs, less.runs, strict=True):
        above, below = figure(one), figure(other)
        if above is None or below is None:
            return None
        values.append(above - statement.factor * below)
    return Interval.of(values)
