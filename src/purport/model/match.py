"""What matching finds: which statement answers which predicate, and how likely that is right."""

from __future__ import annotations

from dataclasses import dataclass

from purport.model.event import Event, Statement
from purport.model.language.write import write_predicate
from purport.model.subscription import Predicate, Subscription


def _check_probability(value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"probabilities and similarities are from 0 to 1, got {value}")


@dataclass(frozen=True, slots=True)
class Correspondence:
    """A predicate and the statement that answers it: `similarity` 1 is a perfect answer."""

    predicate: Predicate
    statement: Statement
    similarity: float
    probability: float

    def __post_init__(self) -> None:
        _check_probability(self.similarity)
        _check_probability(self.probability)


@dataclass(frozen=True, slots=True)
class Mapping:
    """One correspondence for each predicate, and how likely it is that all are right."""

    correspondences: tuple[Correspondence, ...]
    probability: float

    def __post_init__(self) -> None:
        _check_probability(self.probability)


@dataclass(frozen=True, slots=True)
class Match:
    """An event that answers a subscription, by the best mapping.

    `others` are the next best ones, where the subscriber asked for more than one (`top`).
    """

    subscription: Subscription
    event: Event
    mapping: Mapping
    others: tuple[Mapping, ...] = ()

    @property
    def probability(self) -> float:
        """How likely it is that the event is what the subscriber meant."""
        return self.mapping.probability

    def explain(self) -> str:
        """Which statement answers which predicate, a line each."""
        return "\n".join(
            f"  {write_predicate(pair.predicate)}  <->  {pair.statement}  ({pair.similarity:.2f})"
            for pair in self.mapping.correspondences
        )
