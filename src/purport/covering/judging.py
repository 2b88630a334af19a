"""When a mapping counts as a match: the options of a subscription, with the defaults filled in."""

from __future__ import annotations

from dataclasses import dataclass

from purport.matching.aggregation import ROUNDING
from purport.matching.plan import Defaults
from purport.model.subscription import Aggregation, Exactness, Multiplicity, Options


@dataclass(frozen=True, slots=True)
class Judging:
    """How predicates are judged together."""

    aggregation: Aggregation
    is_exact_required: bool
    is_one_to_one: bool
    threshold: float
    top: int

    @classmethod
    def of(cls, options: Options, defaults: Defaults) -> Judging:
        """What the options come to."""
        return cls(
            options.aggregation or defaults.aggregation,
            (options.exact or defaults.exact) is Exactness.REQUIRED,
            options.mapping is Multiplicity.ONE_TO_ONE,
            defaults.threshold if options.threshold is None else options.threshold,
            options.top or 1,
        )

    @property
    def least_probability(self) -> float:
        """As `SubscriptionPlan.least_probability`: the threshold, less what rounding may take."""
        return max(0.0, self.threshold - ROUNDING)

    def must_hold(self, count: int) -> bool:
        """Whether each of so many predicates must hold if it is exact.

        Under the harmonic mean one that does not leaves nothing, under the mean too little where
        the threshold is high.
        """
        is_harmonic = self.aggregation is Aggregation.HARMONIC
        return self.is_exact_required or is_harmonic or self.least_probability > (count - 1) / count

    def least_held(self, count: int) -> int:
        """How many of so many predicates are enough if they are answered fully."""
        if self.is_exact_required or self.aggregation is Aggregation.HARMONIC:
            return count
        return next(held for held in range(count + 1) if held / count >= self.least_probability)

    def is_as_lenient_as(self, other: Judging) -> bool:
        """Whether what matches under the other matches under this one, if it asks for the same."""
        return (
            self.aggregation is other.aggregation
            and self.is_exact_required == other.is_exact_required
            and self.is_one_to_one <= other.is_one_to_one
            and self.threshold <= other.threshold
            and self.top == other.top
        )
