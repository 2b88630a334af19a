"""Means over seeds, and how sure they are: Student's interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from scipy.special import stdtrit

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and half the width of Student's 95 % interval about it; of one value that is 0."""

    mean: float
    half_width: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Interval:
        """The interval of the mean of some independent values."""
        count = len(values)
        if count < 2:
            return cls(values[0], 0.0, count)
        quantile = float(stdtrit(count - 1, (1 + LEVEL) / 2))
        return cls(fmean(values), quantile * stdev(values) / math.sqrt(count), count)

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        return self.mean + self.half_width

    def said(self, digits: int = 0) -> str:
        """As people read it."""
        mean = f"{round(self.mean, digits) + 0.0:,.{digits}f}"  # 0 has no sign
        return mean if self.count < 2 else f"{mean} ± {self.half_width:,.{digits}f}"
