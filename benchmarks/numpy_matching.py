"""Approximate matching as one writes it in NumPy, event by event: what the kernel is held against.

Everything that comes again is precomputed, as in TOIT'14. Of an event the scores of its names and
values are gathered into one matrix of predicates and statements, and reduced to the best mappings.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from purport.matching.aggregation import FLOOR
from purport.matching.asked import ValuePredicate, asked_values, matched_predicates
from purport.matching.batches import Batch
from purport.matching.interned import Interned
from purport.matching.lines import line_of
from purport.matching.measures import Measures
from purport.matching.plan import DEFAULTS, Mode, SubscriptionPlan
from purport.matching.scales import intervals
from purport.model.event import Event, Statement
from purport.model.subscription import Subscription
from purport.model.term import Attribute, Term, Text

Scores = NDArray[np.float64]


class NumpyMatcher:
    """Subscriptions of equally many predicates under the harmonic mean, exact parts required."""

    def __init__(
        self, subscriptions: Sequence[Subscription], measures: Measures, interned: Interned
    ) -> None:
        defaults = DEFAULTS[Mode.DEFAULT]
        plans = [SubscriptionPlan.of(one, measures, defaults) for one in subscriptions]
        self._measures = measures
        self._predicates = [
            one
            for plan in plans
            for one in matched_predicates(plan.subscription)
            if isinstance(one, ValuePredicate)
        ]
        self._size = len(plans[0].lines)
        self._thresholds = np.array([plan.threshold for plan in plans])
        near = np.array(
            [
                (one.attribute.approximation, any(v.approximation for v in asked_values(one)))
                for one in self._predicates
            ],
            np.bool_,
        )
        self._is_exact_name, self._is_exact_value = ~near[:, 0], ~near[:, 1]
        self._floors = np.where(near.any(axis=1), FLOOR, 0.0)
        self._names = self._side_scores(
            0, [Statement(one, Text("")) for one in interned.attributes]
        )
        self._words = self._side_scores(1, [_any(one) for one in interned.terms])
        found = [intervals(one, None, None) for one in self._predicates]
        self._lows = np.array([one[0][0] if one else np.inf for one in found])
        self._highs = np.array([one[0][1] if one else -np.inf for one in found])
        self._plain = interned.scale_code(None)

    def match(self, batch: Batch, event: int) -> list[tuple[int, float, list[int]]]:
        """Subscription, probability and mapping of each match of an event."""
        place = slice(batch.starts[event], batch.starts[event + 1])
        codes, numbers = batch.codes[place], batch.numbers[place, None]
        names = self._names[batch.attributes[place]]
        values = np.where(codes[:, None] >= 0, self._words[codes], 0.0)
        is_number = codes == self._plain
        values[is_number] = (numbers[is_number] >= self._lows) & (numbers[is_number] <= self._highs)
        refused = (self._is_exact_name & (names == 0)) | (self._is_exact_value & (values == 0))
        with np.errstate(divide="ignore"):
            gains = -1.0 / np.maximum(names * values, self._floors)
        gains[refused] = -np.inf
        chosen = gains.argmax(axis=0)
        best = gains[chosen, np.arange(len(chosen))].reshape(-1, self._size)
        probabilities = self._size / -best.sum(axis=1)
        mappings = chosen.reshape(-1, self._size)
        return [
            (int(number), float(probabilities[number]), mappings[number].tolist())
            for number in np.flatnonzero(probabilities >= self._thresholds)
        ]

    def _side_scores(self, side: int, told: list[Statement]) -> Scores:
        """The scores of statements by one side, a row for each statement."""
        event = Event(tuple(told))
        lines = [line_of(one, self._measures, None) for one in self._predicates]
        return np.array([line.sides(event)[side].scores for line in lines]).T.copy()


def _any(term: Term | Statement) -> Statement:
    attribute: Attribute = Text("any")
    return term if isinstance(term, Statement) else Statement(attribute, term)
