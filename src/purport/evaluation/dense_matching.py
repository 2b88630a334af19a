"""Every subscription against every event, for experiments that rank all of them.

Each different statement is scored once against each different predicate, by the first-line matchers
that the matcher itself uses: where terms compete, all of them have to be registered before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from purport.matching.aggregation import gains
from purport.matching.plan import SubscriptionPlan
from purport.model.event import Event, Statement
from purport.model.subscription import Aggregation, Predicate

Values = NDArray[np.float64]


class DenseEvents:
    """Events, with their different statements numbered."""

    def __init__(self, events: Sequence[Event]) -> None:
        numbers: dict[Statement, int] = {}
        self._places = np.array(
            [numbers.setdefault(one, len(numbers)) for event in events for one in event.statements]
        )
        sizes = [len(event.statements) for event in events]
        self._starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        self._statements = Event(tuple(numbers))
        self._rows: dict[tuple[Predicate, Aggregation, bool], Values] = {}

    def probabilities(self, plan: SubscriptionPlan) -> Values:
        """The probability of a subscription's best n:1 mapping in each event."""
        total = np.sum([self._best(plan, place) for place in range(len(plan.lines))], axis=0)
        count = len(plan.lines)
        if plan.aggregation is Aggregation.MEAN:
            return np.asarray(np.clip(total / count, 0.0, 1.0), np.float64)
        return np.asarray(np.clip(-count / total, 0.0, 1.0), np.float64)

    def _best(self, plan: SubscriptionPlan, place: int) -> Values:
        """What the best statement for a predicate gains, in each event."""
        predicate = plan.subscription.predicates[place]
        key = predicate, plan.aggregation, plan.is_exact_required
        if key not in self._rows:
            scores, allowed = plan.lines[place].similarities(self._statements)
            gained = gains(scores[None], plan.aggregation, plan.floors[[place]])[0]
            if plan.is_exact_required:
                gained = np.where(allowed, gained, -np.inf)
            self._rows[key] = np.maximum.reduceat(gained[self._places], self._starts)
        return self._rows[key]
