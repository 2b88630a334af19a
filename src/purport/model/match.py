"""What matching finds: which statement answers which predicate, and how likely that is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from purport.errors import InvalidInput
from purport.model.event import Event, Statement
from purport.model.language.write import write_predicate
from purport.model.subscription import Predicate, Subscription
from purport.model.term import printable


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

    @classmethod
    def of(
        cls, answers: Iterable[tuple[Predicate, Statement, float]], probability: float
    ) -> Mapping:
        """Predicates, their statements and similarities, whose shares are their probabilities."""
        told = list(answers)
        total = sum([similarity for _, _, similarity in told])
        pairs = [
            Correspondence(predicate, statement, similarity, similarity / total if total else 0.0)
            for predicate, statement, similarity in told
        ]
        return cls(tuple(pairs), probability)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Another event that a match in time rests on: in which place of the pattern, how surely."""

    place: str
    event: Event
    probability: float


@dataclass(frozen=True, slots=True)
class Match:
    """An event that answers a subscription, by the best mapping.

    `others` are the next best ones, where the subscriber asked for more than one (`top`). A
    pattern in time has `evidence`: the events that it rests on besides, or that it is made of.
    """

    subscription: Subscription
    event: Event
    mapping: Mapping
    others: tuple[Mapping, ...] = ()
    explainer: Callable[[Match], Explanation] | None = field(
        default=None, compare=False, repr=False
    )
    evidence: tuple[Evidence, ...] = ()

    @property
    def probability(self) -> float:
        """How likely it is that the event is what the subscriber meant."""
        return self.mapping.probability

    def explain(self, form: str = "text") -> str:
        """Why it matches, as `text`, `json` or `svg`; made when it is asked for.

        Without the matcher that found it, only the text can be told.
        """
        if self.explainer is None:
            if form != "text":
                raise InvalidInput("a match without its matcher explains itself as text only")
            pairs = map(_told, self.mapping.correspondences)
            return "\n".join((*pairs, *map(told_evidence, self.evidence)))
        explanation = self.explainer(self)
        match form:
            case "text":
                return explanation.text()
            case "json":
                return explanation.json()
            case "svg":
                return explanation.svg()
        raise InvalidInput(f"no form {form!r}: there are text, json and svg")


def _told(pair: Correspondence) -> str:
    predicate = write_predicate(pair.predicate)
    statement = printable(str(pair.statement))
    return f"  {printable(predicate)}  <->  {statement}  ({pair.similarity:.2f})"


def told_evidence(one: Evidence) -> str:
    """A line about an event that a match in time rests on."""
    said = ", ".join(map(str, one.event.statements))
    when = "" if one.event.interval is None else f" {one.event.interval}"
    told = f"{one.event.id}{when}: {printable(said)}"
    return f"  {printable(one.place)}  <->  {told}  ({one.probability:.2f})"


class Explanation(Protocol):
    """Why an event matches, in several forms."""

    def text(self) -> str:
        """For people."""

    def json(self) -> str:
        """For programs."""

    def svg(self) -> str:
        """As a picture."""
