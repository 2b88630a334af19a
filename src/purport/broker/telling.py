"""Notifications from what a journal has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from purport.broker.records import Answered, Entry, Published, Told
from purport.broker.registry import Registration
from purport.model.event import Event
from purport.model.match import Correspondence, Explanation, Mapping, Match
from purport.model.notification import Notification
from purport.model.subscription import Predicate

Explain = Callable[[Match], Explanation]


def notification_of(
    entry: Entry, registration: Registration, *, explain: Explain | None = None, missed: int = 0
) -> Notification:
    """What a subscriber is told of a publication, in the version that held then."""
    record, event = entry.record, entry.event
    assert isinstance(record, Published) and event is not None
    told = told_to(record, registration.id)
    predicates = registration.subscription.predicates
    match = Match(
        registration.subscription,
        event,
        _mapping(told.best, predicates, event),
        tuple(_mapping(other, predicates, event) for other in told.others),
        explain,
    )
    return Notification(
        registration.id, told.number, match, entry.time, entry.sequence, record.topic,
        record.causes, record.probability, missed,
    )  # fmt: skip


def told_to(record: Published, subscription: str) -> Told:
    """What a publication tells one subscription."""
    return next(one for one in record.told if one.subscription == subscription)


def _mapping(answered: Answered, predicates: Sequence[Predicate], event: Event) -> Mapping:
    total = sum(answered.similarities)
    pairs = zip(predicates, answered.mapping, answered.similarities, strict=False)
    return Mapping(
        tuple(
            Correspondence(
                predicate,
                event.statements[place],
                similarity,
                similarity / total if total else 0.0,
            )
            for predicate, place, similarity in pairs
        ),
        answered.probability,
    )
