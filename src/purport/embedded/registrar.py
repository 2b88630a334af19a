"""What is to be registered, one by one or as a whole registry: checked first, then written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from purport.broker.access import AccessRules
from purport.broker.asked import Asked, Query
from purport.broker.records import Subscribed
from purport.broker.registering import Wanted
from purport.broker.registry import Registration
from purport.broker.registry_text import RegistryLine, imported
from purport.embedded.arguments import (
    require_postable,
    require_registrable,
    require_text,
    require_unreserved,
)
from purport.embedded.ledger import Ledger
from purport.embedded.listeners import Listeners
from purport.embedded.permissions import claimed_owner, require_subscriber
from purport.embedded.settings import BrokerSettings


class Registrar:
    """Registers all of what is wanted, or nothing; raises what is wrong with one of them."""

    def __init__(
        self, ledger: Ledger, listeners: Listeners, settings: Callable[[], BrokerSettings]
    ) -> None:
        self._ledger, self._listeners, self._settings = ledger, listeners, settings

    def register(self, wanted: Sequence[Wanted]) -> None:
        """Register what is wanted, each paused or not."""
        for one in wanted:
            self._require_postable(one.record.webhook, one.asked)
        with self._ledger.lock:
            self._ledger.require_open()
            for one in wanted:
                self._require_allowed(one.record, one.asked, self._settings().access)
            self._ledger.register(wanted)
            for one in wanted:
                self._listeners.post_for(self._ledger.registration(one.record.id))

    def import_registry(
        self, text: str, *, owner: str | None, who: str | None
    ) -> list[Registration]:
        """Register what a text says, as far as somebody may say so."""
        claim = partial(claimed_owner, self._settings().access, who)
        wanted = imported(require_text(text, "a registry"), owner=owner, claim=claim)
        for line, _ in wanted:
            require_unreserved(line.id, self._settings().reserved)
        return self._register_lines(wanted)

    def adopt_registry(self, text: str) -> list[Registration]:
        """Register what a text says, for those whom it names."""
        return self._register_lines(imported(require_text(text, "a registry")))

    def require_adoptable(self, text: str, access: AccessRules) -> None:
        """Raise what would keep a text from being adopted while these access rules hold."""
        wanted = imported(require_text(text, "a registry"))
        for line, asked in wanted:
            self._require_postable(line.webhook, asked)
        with self._ledger.lock:
            self._ledger.require_open()
            for line, asked in wanted:
                self._require_allowed(line.asked(), asked, access)
                if isinstance(asked, Query):
                    self._ledger.query_as_it_is(asked)

    def reserved(self) -> list[Registration]:
        """What stands under names that are reserved."""
        with self._ledger.lock:
            self._ledger.require_open()
            prefixes = self._settings().reserved
            return [one for one in self._ledger.registry if one.id.startswith(prefixes)]

    def _register_lines(self, wanted: Sequence[tuple[RegistryLine, Asked]]) -> list[Registration]:
        with self._ledger.lock:
            self.register([Wanted(line.asked(), asked, line.is_paused) for line, asked in wanted])
            return [self._ledger.registration(line.id) for line, _ in wanted]

    def _require_postable(self, webhook: str, asked: Asked) -> None:
        require_postable(webhook, asked, to_private=self._settings().webhooks_to_private)

    def _require_allowed(self, wanted: Subscribed, asked: Asked, access: AccessRules) -> None:
        require_registrable(wanted)
        before = self._ledger.registry.find(wanted.id)
        require_subscriber(access, wanted, asked, before)
        if not isinstance(asked, Query):
            self._ledger.require_runnable(asked)
