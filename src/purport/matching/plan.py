"""A subscription made ready: its first-line matchers, and what its options come to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from purport.errors import InvalidInput
from purport.matching.aggregation import FLOOR, ROUNDING, gains, probability
from purport.matching.asked import ClassPredicate, RowPredicate, matched_predicates
from purport.matching.attribute_side import Allowed
from purport.matching.class_answers import ClassAnswers
from purport.matching.first_line import FirstLine
from purport.matching.lines import line_of
from purport.matching.mapping_search import Vector, best_mappings
from purport.matching.measures import Measures
from purport.matching.supported import require_supported
from purport.model.event import Event
from purport.model.language.label import place_of
from purport.model.match import Mapping
from purport.model.subscription import (
    Aggregation,
    Exactness,
    Multiplicity,
    Subscription,
)
from purport.relatedness.measure import Scores


class Mode(StrEnum):
    """Which defaults hold where a subscriber says nothing."""

    DEFAULT = "default"
    PAPER = "paper"


def mode_of(mode: Mode | str) -> Mode:
    """The mode of this name; `InvalidInput` if there is none."""
    try:
        return Mode(mode)
    except ValueError:
        raise InvalidInput(f"no mode {mode!r}: there are {', '.join(Mode)}") from None


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds where a subscriber says nothing."""

    measure: str
    aggregation: Aggregation
    exact: Exactness
    threshold: float = 0.5


DEFAULTS = {
    Mode.DEFAULT: Defaults("calibrated", Aggregation.HARMONIC, Exactness.REQUIRED),
    Mode.PAPER: Defaults("esa", Aggregation.MEAN, Exactness.SCORED),
}


@dataclass(frozen=True, slots=True)
class RankedVector:
    """A mapping as numbers of statements, its probability, and the similarities in it."""

    vector: Vector
    probability: float
    similarities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SubscriptionPlan:
    """How a subscription is matched."""

    subscription: Subscription
    lines: tuple[FirstLine, ...]
    aggregation: Aggregation
    is_exact_required: bool
    threshold: float
    top: int
    is_one_to_one: bool

    @classmethod
    def of(
        cls,
        subscription: Subscription,
        measures: Measures,
        defaults: Defaults,
        classes: ClassAnswers | None = None,
    ) -> SubscriptionPlan:
        """The plan of a subscription; `classes` are judged by an ontology, if there is one.

        `NotSupportedYet` if it has a form that no engine here runs, `InvalidInput` if it names a
        measure that nobody knows, or classes without an ontology that knows them.
        """
        require_supported(subscription)
        options = subscription.options
        try:
            lines = tuple(
                line_of(predicate, measures, classes)
                for predicate in matched_predicates(subscription)
            )
        except InvalidInput as error:
            raise InvalidInput(f"{place_of(subscription)}: {error}") from None
        return cls(
            subscription,
            lines,
            options.aggregation or defaults.aggregation,
            (options.exact or defaults.exact) is Exactness.REQUIRED,
            defaults.threshold if options.threshold is None else options.threshold,
            options.top or 1,
            options.mapping is Multiplicity.ONE_TO_ONE,
        )

    def reaches(self, probability: float) -> bool:
        """Whether a mapping of this probability is a match."""
        return probability >= self.least_probability

    @property
    def least_probability(self) -> float:
        """The threshold, less what single precision may take from a score that is just on it."""
        return max(0.0, self.threshold - ROUNDING)

    @property
    def is_of_words(self) -> bool:
        """Whether scores depend on words alone, and not on the event that they stand in."""
        return all(line.is_of_words for line in self.lines)

    @property
    def is_of_classes(self) -> bool:
        """Whether an ontology is asked, so that what an event describes may matter."""
        predicates = self.subscription.predicates
        return any(isinstance(one, ClassPredicate) for one in predicates)

    @property
    def is_sharp(self) -> bool:
        """Whether the best answers to its rows are the best mapping."""
        is_simple = not self.is_one_to_one and self.top == 1
        return is_simple and all(line.is_sharp for line in self.lines)

    @property
    def rows(self) -> tuple[RowPredicate, ...]:
        """Predicates that are answered together at least as well as the subscription is."""
        is_required = self.is_exact_required
        return tuple(row for line in self.lines for row in line.rows(is_required=is_required))

    def similarities(self, event: Event) -> tuple[Scores, Allowed]:
        """The combined matrix (equation 6): a row a predicate, a column a statement."""
        rows = [line.similarities(event) for line in self.lines]
        return np.array([scores for scores, _ in rows]), np.array([allowed for _, allowed in rows])

    def mappings(self, event: Event, most: int) -> list[Mapping]:
        """The best mappings, best first, whatever their probability."""
        return [self._mapping(event, one) for one in self.vectors(event, most)]

    def vectors(self, event: Event, most: int) -> list[RankedVector]:
        """The best mappings as numbers of statements, best first."""
        if not event.statements:
            return []
        similarities, allowed = self.similarities(event)
        gained = gains(similarities, self.aggregation, self.floors)
        if self.is_exact_required:
            gained = np.where(allowed, gained, -np.inf)
        ranked = best_mappings(gained, most, one_to_one=self.is_one_to_one)
        chosen = similarities[np.arange(len(self.lines)), ranked.vectors]
        return [
            RankedVector(
                tuple(vector), probability(total, len(self.lines), self.aggregation), tuple(found)
            )
            for vector, total, found in zip(
                ranked.vectors.tolist(), ranked.totals.tolist(), chosen.tolist(), strict=True
            )
        ]

    @property
    def floors(self) -> Scores:
        """For each predicate the least that its similarity counts for."""
        return np.array([0.0 if line.is_exact else FLOOR for line in self.lines])

    def _mapping(self, event: Event, found: RankedVector) -> Mapping:
        statements = [event.statements[column] for column in found.vector]
        answers = zip(self.subscription.predicates, statements, found.similarities, strict=True)
        return Mapping.of(answers, found.probability)
