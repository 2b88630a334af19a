"""A measure that writes down what it is asked for, in whatever process that is."""

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pyspark import cloudpickle

from purport import Matcher
from purport.pipeline.matcher_spec import MatcherSettings
from purport.relatedness.measure import Scores


@dataclass(frozen=True)
class Counted:
    """Terms are near when they share letters. A line of the log: a process and a pair of terms."""

    log: Path
    identity: str = "counted"

    def score(self, left: str, right: str) -> float:
        return float(self.matrix([left], [right])[0, 0])

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        with self.log.open("a", encoding="utf-8") as file:
            for one in left:
                file.writelines(f"{os.getpid()}\t{one}\t{other}\n" for other in right)
        scores = [[self._score(one, other) for other in right] for one in left]
        return np.array(scores, np.float64).reshape(len(left), len(right))

    def _score(self, left: str, right: str) -> float:
        one, other = set(left.casefold()), set(right.casefold())
        return len(one & other) / max(1, len(one | other))


@dataclass(frozen=True)
class CountedSettings(MatcherSettings):
    """Settings of a matcher whose measure is counted."""

    log: Path = Path()

    def matcher(self) -> Matcher:
        measure = Counted(self.log)
        return Matcher(measure=measure, competition=self.competition, scores=self.scores)


def asked_in(log: Path) -> list[tuple[str, str, str]]:
    """What was asked, in order: process and terms."""
    if not log.exists():
        return []
    lines = log.read_text(encoding="utf-8").splitlines()
    return [(process, one, other) for process, one, other in (line.split("\t") for line in lines)]


def often_asked(log: Path) -> Counter[tuple[str, str]]:
    """How often each pair of terms was asked for."""
    return Counter((one, other) for _, one, other in asked_in(log))


# Workers do not see the tests.
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]
