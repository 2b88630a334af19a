"""The state of a broker as a snapshot has it."""

from __future__ import annotations

import msgspec

from purport.broker.journal import JournalError
from purport.broker.links import KeptLinks
from purport.broker.records import PauseReason, Subscribed
from purport.broker.schedule import DelayedUpdate

VERSION = 3  # of snapshots; version 1 had no graph, version 2 no links


class KeptRegistration(msgspec.Struct, frozen=True, array_like=True):
    """A version of a registration."""

    asked: Subscribed
    version: int
    since: int
    sequence: int
    is_paused: bool
    pause_reason: PauseReason | None = None


class KeptCursor(msgspec.Struct, frozen=True, array_like=True):
    """How far a subscriber is."""

    next: int
    acknowledged: int
    first: int
    missed: int
    told_at: int | None
    is_armed: bool


class KeptState(msgspec.Struct, frozen=True):
    """The state of a broker after an entry."""

    version: int
    sequence: int
    at: int
    registry_version: int
    registrations: list[KeptRegistration]
    cursors: dict[str, KeptCursor]
    ended: dict[str, int]
    engines: dict[str, bytes]  # by their names
    facts: tuple[str, ...] = ()  # of the graph: lines of N-Quads without their points
    graphs: tuple[str, ...] = ()
    delayed: tuple[DelayedUpdate, ...] = ()
    links: KeptLinks | None = None


class _KeptVersion(msgspec.Struct, frozen=True):
    version: int


def kept_state(state: bytes) -> KeptState:
    """What a snapshot says; `JournalError` if it is one that this version does not read."""
    try:
        version = msgspec.json.decode(state, type=_KeptVersion).version
        if not 1 <= version <= VERSION:
            raise JournalError(
                f"a snapshot of version {version}; this Purport reads versions up to {VERSION}"
            )
        return msgspec.json.decode(state, type=KeptState)
    except msgspec.MsgspecError as error:
        raise JournalError(f"a snapshot cannot be read: {error}") from None
