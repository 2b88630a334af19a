"""What a subscriber is told: that an event matches, or how the answer to a query has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from purport.errors import InvalidInput
from purport.model.match import Match

Binding = Mapping[str, NamedNode | BlankNode | Literal | Triple]


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """Bindings that came and went, as multisets; a variable that is not bound is absent.

    What is added may be the whole answer: then all that was told before is over. `variables` are
    those of the query, in their order.
    """

    added: Sequence[Binding]
    removed: Sequence[Binding] = ()
    is_whole: bool = False
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notification:
    """News on its way to a subscriber; numbers count up by one, so that a gap can be seen.

    `missed` says how many were dropped before this one, because too much was waiting. A derived
    event has `causes`, the ids of the events it comes from, and the probability of the derivation.
    """

    subscription_id: str
    sequence: int
    news: Match | AnswerChange
    at: datetime | None = None  # when the event was published, or the update run
    position: int | None = None  # of the publication or the update, in the journal
    topic: str = ""
    causes: tuple[str, ...] = ()
    derivation_probability: float = 1.0
    missed: int = 0

    def __post_init__(self) -> None:
        if self.sequence < 0:
            raise ValueError(f"sequence numbers start at 0, got {self.sequence}")

    @property
    def id(self) -> str:
        """The same whenever it is told: what came under this id before can be dropped."""
        return f"{self.subscription_id}:{self.sequence}"

    @property
    def match(self) -> Match:
        """The match; `InvalidInput` if it is the answer to a query that has changed."""
        if not isinstance(self.news, Match):
            raise InvalidInput(f"{self.id} is about the answer to a query: it has no match")
        return self.news

    @property
    def change(self) -> AnswerChange:
        """How the answer to a query has changed; `InvalidInput` if an event is matched."""
        if not isinstance(self.news, AnswerChange):
            raise InvalidInput(f"{self.id} is about an event: no answer has changed")
        return self.news

    @property
    def added(self) -> Sequence[Binding]:
        """The bindings that came into the answer to a query."""
        return self.change.added

    @property
    def removed(self) -> Sequence[Binding]:
        """Those that went."""
        return self.change.removed

    @property
    def probability(self) -> float:
        """How likely it is that the event is what was meant, and that it was rightly derived."""
        if isinstance(self.news, AnswerChange):
            return 1.0
        return self.news.probability * self.derivation_probability
