"""Competition by asking every registered term: slow, and plainly what the formula says."""

from dataclasses import dataclass

from purport.relatedness.measure import Measure
from tests.strategies.pairwise import Pairwise


@dataclass(frozen=True, slots=True)
class PlainCompetition(Pairwise):
    """A measure among registered terms."""

    measure: Measure
    registered: tuple[str, ...]
    rivalry: float

    def score(self, left: str, right: str) -> float:
        own = self.measure.score(left, right)
        best = max((self.measure.score(rival, right) for rival in self.registered), default=0.0)
        ours, theirs = odds(own), odds(best)
        if own == 0 or ours >= theirs:
            return own
        left_over = ours * float((ours / theirs) ** self.rivalry)
        return left_over / (1 + left_over)


def odds(score: float) -> float:
    """The odds of a score; nothing is surer than 0.99."""
    return min(score, 0.99) / (1 - min(score, 0.99))
