"""Events that neighbours are told again, since another way leads to those who want them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime

from purport.broker.access import OPEN, AccessRules, Action
from purport.broker.drafting import Drafting, begun
from purport.broker.links import Arrival
from purport.broker.records import Answered, Entry, Origin, Rerouted, Told
from purport.broker.state import BrokerState

_WANTED = Answered(1.0)
MOST_RETOLD = 200_000

MayTell = Callable[[Origin, str, frozenset[str]], bool]


class Retold:
    """What waits for some, and others were told again: once, or for what they asked for later.

    It is in memory alone: after a restart, or when there is too much, something is told once more.
    """

    def __init__(self) -> None:
        self._for: dict[tuple[Origin, str], frozenset[str]] = {}

    def take(self, told: Mapping[tuple[Origin, str], frozenset[str]]) -> None:
        """Links were told of events that answer these interests of theirs."""
        for key, texts in told.items():
            self._for[key] = self._for.pop(key, frozenset()) | texts
        while len(self._for) > MOST_RETOLD:
            del self._for[next(iter(self._for))]

    def is_new(self, origin: Origin, link: str, texts: Collection[str]) -> bool:
        """Whether a link was not told of an event for some of these interests."""
        return not self._for.get((origin, link), frozenset()).issuperset(texts)


def _always(origin: Origin, link: str, texts: frozenset[str]) -> bool:
    return True


def rerouted(
    state: BrokerState,
    waiting: Sequence[Entry],
    link: str,
    at: datetime,
    *,
    may_tell: MayTell = _always,
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
        retell(drafting, state.links.as_told(entry)._replace(again=None), link, may_tell)
    return drafting.entries


def retell(drafting: Drafting, arrival: Arrival, link: str, may_tell: MayTell = _always) -> None:
    """Tell an event to all links that it answers, but for one."""
    state = drafting.state
    told = []
    for identifier, texts in state.interested(arrival.event, drafting.time).items():
        if identifier == link or not may_tell(arrival.origin, identifier, texts):
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
