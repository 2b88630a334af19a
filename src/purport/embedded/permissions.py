"""Who may do what with a broker, by its access rules; `Forbidden` says who may not, and what."""

from __future__ import annotations

from purport.broker.access import OPEN, AccessRules, Action, Forbidden
from purport.broker.asked import Asked, Query
from purport.broker.graph_access import graphs_read
from purport.broker.records import Subscribed
from purport.broker.registry import Registration


def require_publisher(access: AccessRules, who: str | None, topic: str) -> None:
    """Raise `Forbidden` if somebody may not publish under a topic."""
    if access is not OPEN:
        access.require(who, Action.PUBLISH, topic=topic)


def require_updater(access: AccessRules, who: str | None) -> None:
    """Raise `Forbidden` if somebody may update no graph at all."""
    if not access.allows_somewhere(who, Action.UPDATE):
        raise Forbidden(f"{_named(who)} may not update")


def require_subscriber(
    access: AccessRules, wanted: Subscribed, asked: Asked, before: Registration | None
) -> None:
    """Raise `Forbidden` if somebody may not subscribe so, or to what is another's."""
    if not access.allows_somewhere(wanted.owner, Action.SUBSCRIBE):
        raise Forbidden(f"{_named(wanted.owner)} may not subscribe")
    if before is not None and before.owner != wanted.owner:
        raise Forbidden(f"{wanted.id!r} belongs to somebody else")
    require_reader(access, asked, wanted.owner)


def require_reader(access: AccessRules, asked: Asked, who: str | None) -> None:
    """Raise `Forbidden` if somebody may not know what a query asks for."""
    if access is OPEN or not isinstance(asked, Query):
        return
    if not access.allows_somewhere(who, Action.SUBSCRIBE):
        raise Forbidden(f"{_named(who)} may not subscribe")
    for graph in sorted(graphs_read(asked)):
        access.require(who, Action.SUBSCRIBE, graph=graph)


def require_trier(access: AccessRules, asked: Asked, who: str | None) -> None:
    """Raise `Forbidden` if somebody may not even try what they would subscribe to."""
    if not access.allows_somewhere(who, Action.SUBSCRIBE):
        raise Forbidden(f"{_named(who)} may not subscribe")
    require_reader(access, asked, who)


def require_manager(access: AccessRules, who: str | None, owner: str | None) -> None:
    """Raise `Forbidden` if somebody may not decide about what is another's."""
    if who is None or who != owner:
        access.require(who, Action.MANAGE)


def may_see(access: AccessRules, who: str | None, owner: str | None) -> bool:
    """Whether somebody may know of what belongs to an owner."""
    return (who is not None and who == owner) or access.allows(who, Action.MANAGE)


def claimed_owner(access: AccessRules, who: str | None, owner: str | None) -> str | None:
    """Whose something becomes that somebody imports; `Forbidden` if it is another's."""
    if access.allows(who, Action.MANAGE):
        return owner
    if who is None:
        raise Forbidden(f"{_named(who)} may not import anything")
    if owner is not None and owner != who:
        raise Forbidden(f"{_named(who)} may not import what belongs to somebody else")
    return who


def _named(who: str | None) -> str:
    return who or "somebody without a name"
