"""Notifications from what a journal has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from purport.broker.asked import Asked, Query, variables_of
from purport.broker.journal import JournalError
from purport.broker.rdf_text import bindings_of
from purport.broker.records import (
    Answered,
    AnswerTold,
    Detected,
    Entry,
    Published,
    Told,
    Updated,
)
from purport.broker.registry import Registration
from purport.model.event import Event
from purport.model.match import Evidence, Explanation, Mapping, Match
from purport.model.notification import AnswerChange, Notification
from purport.model.subscription import Predicate, Subscription

Explain = Callable[[Match], Explanation]


def notification_of(
    entry: Entry, registration: Registration, *, explain: Explain | None = None
) -> Notification:
    """What a subscriber is told of an entry, in the version that held then."""
    record = entry.record
    if isinstance(record, Updated | AnswerTold):
        return _answer_notification(entry, record, registration.id, registration.subscription)
    subscription = registration.subscription
    if isinstance(subscription, Query):
        raise JournalError(f"entry {entry.sequence} tells a query of an event")
    if isinstance(record, Detected):
        return _time_notification(entry, record, registration.id, subscription, explain)
    event = entry.event
    assert isinstance(record, Published) and event is not None
    told = _told_to(record, registration.id)
    predicates = subscription.predicates
    match = Match(
        subscription,
        event,
        _mapping(told.best, predicates, event),
        tuple(_mapping(other, predicates, event) for other in told.others),
        explain,
    )
    return Notification(
        registration.id, told.number, match, entry.time, entry.sequence, record.topic,
        record.causes, record.probability,
    )  # fmt: skip


def _time_notification(
    entry: Entry,
    record: Detected,
    identifier: str,
    subscription: Subscription,
    explain: Explain | None,
) -> Notification:
    told = _told_to(record, identifier)
    match = Match(
        subscription,
        Event.from_json(record.event),
        Mapping((), told.best.probability),
        explainer=explain,
        evidence=tuple(
            Evidence(one.place, Event.from_json(one.event), one.probability)
            for one in record.witnesses
        ),
    )
    return Notification(
        identifier, told.number, match, entry.time, entry.sequence, causes=record.causes
    )


def _answer_notification(
    entry: Entry, record: Updated | AnswerTold, subscription: str, asked: Asked
) -> Notification:
    number, change = next(
        (one.number, change)
        for change in record.told
        for one in change.to
        if one.subscription == subscription
    )
    variables = variables_of(asked.text) if isinstance(asked, Query) else ()
    news = AnswerChange(
        bindings_of(change.added), bindings_of(change.removed), change.is_whole, variables
    )
    causes = record.causes if isinstance(record, Updated) else ()
    return Notification(subscription, number, news, entry.time, entry.sequence, causes=causes)


def _told_to(record: Published | Detected, subscription: str) -> Told:
    """What a publication, or what was found in time, tells one subscription."""
    return next(one for one in record.told if one.subscription == subscription)


def _mapping(answered: Answered, predicates: Sequence[Predicate], event: Event) -> Mapping:
    """The mapping of an answer; an engine need not say by which one it answers."""
    statements = (event.statements[place] for place in answered.mapping)
    answers = zip(predicates, statements, answered.similarities, strict=False)
    return Mapping.of(answers, answered.probability)
