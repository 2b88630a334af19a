"""Entries by which what waits for one neighbour is told to others: another way leads to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from purport.broker.access import OPEN, AccessRules, Action
from purport.broker.drafting import begun
from purport.broker.links import PREFIX, Arrival
from purport.broker.records import Answered, Entry, Published, Rerouted, Told
from purport.broker.state import BrokerState

_WANTED = Answered(1.0)


def rerouted(
    state: BrokerState,
    waiting: Sequence[Entry],
    link: str,
    at: datetime,
    *,
    access: AccessRules = OPEN,
    received: Mapping[str, int] | None = None,
) -> list[Entry]:
    """What tells events that wait for a link to others that want them, and were not told.

    `BacklogFull` if as much waits for one of these as may.
    """
    drafting = begun(state, at, access, received)
    arrivals = [state.links.as_told(entry) for entry in waiting]
    answers = state.answers([one.event for one in arrivals], drafting.time)
    for entry, arrival, found in zip(waiting, arrivals, answers, strict=True):
        passed = {link, *_known_by(entry)}
        told = []
        for one in found:
            identifier = one.subscription
            if not identifier.startswith(PREFIX) or identifier in passed:
                continue
            registration = state.registry.get(identifier)
            if access.allows(registration.owner, Action.SUBSCRIBE, topic=arrival.topic):
                drafting.require_room(registration)
                cursor = drafting.cursor(identifier)
                drafting.move(identifier, cursor.told(drafting.at))
                told.append(Told(identifier, cursor.next, _WANTED))
        if told:
            drafting.add(_record(arrival, told))
            for one_told in told:
                drafting.make_room(state.registry.get(one_told.subscription))
    return drafting.entries


def _record(arrival: Arrival, told: Sequence[Told]) -> Rerouted:
    return Rerouted(
        arrival.event.to_json().decode(),
        tuple(told),
        arrival.origin,
        arrival.topic,
        arrival.publisher,
        arrival.causes,
        arrival.rules,
        arrival.probability,
    )


def _known_by(entry: Entry) -> set[str]:
    """The links by which an event came, or was told before."""
    record = entry.record
    if isinstance(record, Rerouted):
        return {one.subscription for one in record.told}
    assert isinstance(record, Published)
    return {record.link, *(one.subscription for one in record.told)}
