"""A notification as it is told to others: JSON, under an id that stays the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from purport.model.language.write import write_predicate
from purport.model.match import Match
from purport.model.notification import AnswerChange, Binding, Notification
from purport.model.rdf import XSD
from purport.model.subscription import Predicate
from purport.remembering import remembered

_Term = NamedNode | BlankNode | Literal | Triple
_ENCODER = msgspec.json.Encoder()
_MOST_WRITTEN, _LONGEST_WRITTEN = 8_192, 512
_written: dict[Predicate, str] = {}  # predicates that are written the same each time


class ExplainedMessage(msgspec.Struct, frozen=True, gc=False):
    """Which statement of the event answers a predicate, and how well."""

    predicate: str
    attribute: str
    value: str
    similarity: float
    probability: float


class EvidenceMessage(msgspec.Struct, frozen=True, gc=False):
    """An event that a pattern in time rests on."""

    place: str
    event: msgspec.Raw
    probability: float


class MatchMessage(msgspec.Struct, frozen=True, gc=False):
    """What is told of an event that matches; of a pattern in time, with its evidence."""

    id: str
    subscription: str
    sequence: int
    at: str | None
    topic: str
    causes: Sequence[str]
    missed: int
    event: msgspec.Raw
    probability: float
    explanation: list[ExplainedMessage]
    evidence: list[EvidenceMessage] | msgspec.UnsetType = msgspec.UNSET


class AnswerMessage(msgspec.Struct, frozen=True, gc=False):
    """What is told of the answer to a query: what came into it and went, or all of it."""

    id: str
    subscription: str
    sequence: int
    at: str | None
    topic: str
    causes: Sequence[str]
    missed: int
    addedResults: Mapping[str, Any]  # noqa: N815 - as the SPARQL 1.1 Secure Event protocol says
    removedResults: Mapping[str, Any]  # noqa: N815
    whole: bool


def message_of(notification: Notification) -> bytes:
    """A notification as JSON."""
    news = notification.news
    if isinstance(news, AnswerChange):
        return _ENCODER.encode(_answer_message(notification, news))
    return _ENCODER.encode(_match_message(notification, news))


def results_of(variables: Sequence[str], bindings: Iterable[Binding]) -> dict[str, Any]:
    """Bindings as SPARQL 1.1 Query Results JSON has them, ready to be encoded.

    >>> results_of(["dim"], [{"dim": Literal("5")}])["results"]
    {'bindings': [{'dim': {'type': 'literal', 'value': '5'}}]}
    """
    told = [{name: term_message(term) for name, term in one.items()} for one in bindings]
    return {"head": {"vars": list(variables)}, "results": {"bindings": told}}


def delivery_key(notification: Notification) -> str:
    """What a service knows a notification by: the same each time, and of no other broker's."""
    at = "" if notification.at is None else f"@{notification.at.isoformat()}"
    return f"{notification.id}{at}"


def _match_message(notification: Notification, match: Match) -> MatchMessage:
    evidence = [
        EvidenceMessage(one.place, msgspec.Raw(one.event.to_json()), one.probability)
        for one in match.evidence
    ]
    return MatchMessage(
        *_beginning(notification),
        msgspec.Raw(match.event.to_json()),
        notification.probability,
        [
            ExplainedMessage(
                _predicate_text(pair.predicate),
                str(pair.statement.attribute),
                str(pair.statement.value),
                pair.similarity,
                pair.probability,
            )
            for pair in match.mapping.correspondences
        ],
        evidence or msgspec.UNSET,
    )


def _answer_message(notification: Notification, change: AnswerChange) -> AnswerMessage:
    variables = change.variables or _bound_in(change)
    return AnswerMessage(
        *_beginning(notification),
        results_of(variables, change.added),
        results_of(variables, change.removed),
        change.is_whole,
    )


def _beginning(
    notification: Notification,
) -> tuple[str, str, int, str | None, str, Sequence[str], int]:
    """What is told of every notification."""
    return (
        notification.id,
        notification.subscription_id,
        notification.sequence,
        None if notification.at is None else notification.at.isoformat(),
        notification.topic,
        notification.causes,
        notification.missed,
    )


def _predicate_text(predicate: Predicate) -> str:
    """A predicate as it stands in a subscription, which is written once unless it is long."""
    text = _written.get(predicate)
    if text is None:
        text = write_predicate(predicate)
        if len(text) <= _LONGEST_WRITTEN:
            if len(_written) >= _MOST_WRITTEN:
                _written.clear()
            _written[predicate] = text
    return text


def _bound_in(change: AnswerChange) -> list[str]:
    """The variables that are bound, of a change that does not say those of its query."""
    return list(dict.fromkeys(name for one in (*change.added, *change.removed) for name in one))


@remembered(8_192, longest=512, length=lambda term: len(str(term)))
def term_message(term: _Term) -> dict[str, Any]:
    """A term as SPARQL 1.1 Query Results JSON has it, and a triple as SPARQL 1.2 does.

    >>> term_message(Literal("lamp", language="en"))
    {'type': 'literal', 'value': 'lamp', 'xml:lang': 'en'}
    """
    match term:
        case NamedNode():
            return {"type": "uri", "value": term.value}
        case BlankNode():
            return {"type": "bnode", "value": term.value}
        case Triple():
            parts = ("subject", "predicate", "object")
            return {
                "type": "triple",
                "value": {part: term_message(getattr(term, part)) for part in parts},
            }
    told: dict[str, Any] = {"type": "literal", "value": term.value}
    if term.language is not None:
        told["xml:lang"] = term.language
        if term.direction is not None:
            told["its:dir"] = term.direction.value
    elif term.datatype.value != XSD + "string":
        told["datatype"] = term.datatype.value
    return told
