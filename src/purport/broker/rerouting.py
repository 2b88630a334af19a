"""Events that neighbours are told again, since another way leads to those who want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from purport.broker.access import OPEN, AccessRules, Action
from purport.broker.drafting import Drafting, begun
from purport.broker.links import PREFIX, Arrival
from purport.broker.records import Answered, Entry, Rerouted, Told
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
    """The entries that tell other neighbours what waits for a link.

    They are told though they may have been before, and though it may have come from them: what they
    did with it, they did before the way was another. `BacklogFull` if as much waits for one of
    these as may.
    """
    drafting = begun(state, at, access, received)
    for entry in waiting:
        retell(drafting, state.links.as_told(entry)._replace(again=None), link)
    return drafting.entries


def retell(drafting: Drafting, arrival: Arrival, link: str) -> None:
    """Tell an event to all links that it answers, but for one."""
    state = drafting.state
    [answers] = state.answers([arrival.event], drafting.time)
    told = []
    for one in answers:
        identifier = one.subscription
        if not identifier.startswith(PREFIX) or identifier == link:
            continue
        registration = state.registry.get(identifier)
        if drafting.access.allows(registration.owner, Action.SUBSCRIBE, topic=arrival.topic):
            drafting.require_room(registration)
            cursor = drafting.cursor(identifier)
            drafting.move(identifier, cursor.told(drafting.at))
            told.append(Told(identifier, cursor.next, _WANTED))
    if not told:
        return
    drafting.add(_record(arrival, told))
    for one_told in told:
        drafting.make_room(state.registry.get(one_told.subscription))


def _record(arrival: Arrival, told: Sequence[Told]) -> Rerouted:
    return Rerouted(
        arrival.event.to_json().decode(),
        tuple(told),
        arrival.origin,
        arrival.again,
        arrival.topic,
        arrival.publisher,
        arrival.causes,
        arrival.rules,
        arrival.probability,
    )
