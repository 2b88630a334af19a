"""What a broker does before it opens its door: what a process before has left is put in order."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from purport.broker.access import AccessRules, Forbidden
from purport.broker.records import Paused, Unsubscribed
from purport.broker.registry import Registry
from purport.embedded.ledger import Ledger
from purport.embedded.permissions import require_reader

_LOG = logging.getLogger("purport.broker")


def begin(ledger: Ledger, access: AccessRules) -> None:
    """End what lasts no longer than its process, tell what nobody was told, run what is due."""
    for identifier, reason in ledger.unrunnable.items():
        _LOG.warning("%r hears nothing, because it cannot be run: %s", identifier, reason)
    left = [one.id for one in ledger.registry if not one.is_durable]
    ledger.record(*(Unsubscribed(one, "ended") for one in left))
    pause_forbidden(ledger, access)
    ledger.tell_anew()
    ledger.tell_found()
    ledger.run_what_may()


def pause_forbidden(ledger: Ledger, access: AccessRules) -> None:
    """Pause the queries whose owners may no longer know what they ask for."""
    ledger.record(*(Paused(one, "forbidden") for one in _forbidden(ledger.registry, access)))


def _forbidden(registry: Registry, access: AccessRules) -> Iterator[str]:
    """The queries whose owners may no longer know what they ask for."""
    for one in registry:
        if not one.is_paused:
            try:
                require_reader(access, one.subscription, one.owner)
            except Forbidden as error:
                _LOG.warning("%r is paused: %s", one.id, error)
                yield one.id
