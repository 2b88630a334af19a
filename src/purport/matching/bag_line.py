"""Bags: do the values of one attribute, taken together, answer a predicate?

`contains all` scores as the least of the asked values does by the told value that answers it best,
`within` as the told value does that is least one of those asked for; this statement stands in the
mapping, the first one of equals. An attribute with `~` may be any one of the event, and scores by
its name too: values of several attributes make no bag.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from purport.matching.asked import BagPredicate, RowPredicate
from purport.matching.attribute_side import Allowed, ExactName
from purport.matching.first_line import FirstLine, value_similarities
from purport.matching.flat_lists import Places
from purport.matching.keys import Key, told_attribute_keys
from purport.model.comparison import Operator
from purport.model.event import Event
from purport.model.subscription import Comparison, ContainsAll, OneOfValues, Within
from purport.relatedness.measure import Scores


@dataclass(frozen=True, slots=True)
class BagLine(FirstLine):
    """The values of an attribute, against several that are asked for."""

    predicate: BagPredicate

    @property
    def is_sharp(self) -> bool:
        """No row knows of all values of an attribute."""
        return False

    def rows(self, *, is_required: bool) -> tuple[RowPredicate, ...]:
        """One of the asked values must be told, and the others too if it is known that they must.

        An approximate value goes first: the least of the scores is not above its score.
        """
        asked = self.predicate.attribute
        if isinstance(self.predicate, Within):
            return (OneOfValues(asked, self.predicate.values),)
        values = sorted(self.predicate.values, key=lambda one: one.approximation is None)
        every = [Comparison(asked, Operator.EQUAL, one) for one in values]
        must_hold = is_required and asked.approximation is None
        exact = [one for one in every[1:] if must_hold and one.value.approximation is None]
        return (every[0], *exact)

    def _values(self, event: Event, named: Allowed) -> tuple[Scores, Allowed]:
        """The score of each bag at the statement that stands for it, and 0 at all others."""
        scores, answers = self._answers(event)
        values = np.zeros(len(event.statements))
        allowed = np.zeros(len(event.statements), np.bool_)
        for places in self._bags(event, named):
            if isinstance(self.predicate, ContainsAll):
                best = places[np.argmax(scores[:, places], axis=1)]
                row = int(np.argmin(scores[np.arange(len(scores)), best]))
                at, score = best[row], scores[row, best[row]]
                is_allowed = answers[:, places].any(axis=1).all()
            else:
                at = places[np.argmin(scores[0, places])]
                score, is_allowed = scores[0, at], answers[0, places].all()
            values[at], allowed[at] = score, bool(is_allowed)
        return values, allowed

    def _answers(self, event: Event) -> tuple[Scores, Allowed]:
        """How the values score: a row for each asked one, or a single row for all of them."""
        predicate = self.predicate
        asked: list[Comparison | OneOfValues] = (
            [Comparison(predicate.attribute, Operator.EQUAL, one) for one in predicate.values]
            if isinstance(predicate, ContainsAll)
            else [OneOfValues(predicate.attribute, predicate.values)]
        )
        rows = [value_similarities(event.statements, one, self.measures) for one in asked]
        return np.array([scores for scores, _ in rows]), np.array([held for _, held in rows])

    def _bags(self, event: Event, named: Allowed) -> list[Places]:
        """The places of statements whose attribute is one and may be the one that is asked for."""
        same, _ = ExactName(self.predicate.attribute.term).scores(
            [one.attribute for one in event.statements]
        )
        bags: dict[Key | None, list[int]] = {}
        for place, one in enumerate(event.statements):
            if same[place]:
                bags.setdefault(None, []).append(place)
            elif named[place]:
                bags.setdefault(told_attribute_keys(one.attribute)[0], []).append(place)
        return [np.array(places, np.int64) for places in bags.values()]
