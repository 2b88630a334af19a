"""Those that hear from a broker: subscribers, callbacks with their threads, and services."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from purport.broker.records import (
    Entry,
    Failed,
    Paused,
    Published,
    Resumed,
    Subscribed,
    Unsubscribed,
    addressees,
)
from purport.broker.registry import Registration
from purport.embedded.arguments import require_callback
from purport.embedded.deliveries import Deliveries
from purport.embedded.ledger import Ledger
from purport.embedded.post_office import PostOffice
from purport.embedded.settings import BrokerSettings
from purport.embedded.subscriber import Acknowledging, Subscriber
from purport.embedded.webhook import Webhook, WebhookStatus
from purport.embedded.workers import Callback, Worker, to_callback
from purport.model.clock import Clock
from purport.model.match import Match
from purport.model.notification import Notification
from purport.model.subscription import Rule

_LOG = logging.getLogger("purport.broker")


class Listeners:
    """Wakes whom an entry of the journal concerns."""

    def __init__(
        self, ledger: Ledger, deliveries: Deliveries, clock: Clock, settings: BrokerSettings
    ) -> None:
        self._ledger, self._deliveries = ledger, deliveries
        self._clock, self._settings = clock, settings
        self._subscribers: dict[str, list[Subscriber]] = {}
        self._callbacks: dict[str, Worker] = {}
        self._webhooks: dict[str, Webhook] = {}
        self._post_office = PostOffice()
        self.watch: Callable[[str], object] = _nobody  # is told whose registration has changed
        ledger.notice = self.notice
        for registration in ledger.registry:
            self.post_for(registration)

    def hear(
        self, identifier: str, callback: Callback | None, acknowledging: Acknowledging
    ) -> Subscriber:
        """Call back, or give a subscriber; whose effects are elsewhere has nothing to take."""
        registration = self._ledger.registration(identifier)
        require_callback(callback, registration.subscription, registration.webhook)
        if callback is not None:
            return self.call(identifier, callback)
        subscriber = self.listen(identifier, acknowledging)
        if isinstance(registration.subscription, Rule) or registration.webhook:
            subscriber.close()
        return subscriber

    def listen(self, identifier: str, acknowledging: Acknowledging) -> Subscriber:
        """One more who hears of a subscription."""
        subscriber = Subscriber(self._deliveries, identifier, self._leave, acknowledging)
        self._subscribers.setdefault(identifier, []).append(subscriber)
        return subscriber

    def call(self, identifier: str, callback: Callback) -> Subscriber:
        """Have a thread hand over what comes; it takes the place of the one before."""
        if identifier in self._callbacks:
            self._callbacks.pop(identifier).stop()
        subscriber = self.listen(identifier, Acknowledging.BY_HAND)
        self._callbacks[identifier] = Worker(subscriber, to_callback(callback), self.fail)
        return subscriber

    def post_for(self, registration: Registration) -> None:
        """Have posted what somebody is told who has a webhook, or of a rule that posts."""
        before = self._webhooks.get(registration.id)
        if before is not None and before.address == registration.address:
            return
        if before is not None:
            self._webhooks.pop(registration.id).end()
        if registration.address:
            webhook = self._webhooks[registration.id] = Webhook(
                registration,
                self._deliveries,
                self,
                self._settings.patience,
                to_private=self._settings.webhooks_to_private,
            )
            self._post_office.ring(webhook)

    def webhook_status(self, identifier: str) -> WebhookStatus | None:
        """How the service is doing that a subscription or rule is posted to; None if none is."""
        webhook = self._webhooks.get(identifier)
        return None if webhook is None else webhook.status

    def notice(self, entry: Entry) -> None:
        """Wake whom an entry concerns."""
        record = entry.record
        if type(record) is Published and not record.told:
            return
        for one in addressees(record):
            subscribers = self._subscribers.get(one.subscription, ())
            webhook = self._webhooks.get(one.subscription)
            if subscribers or webhook is not None:
                self._deliveries.remember(one.subscription, one.number, entry)
            for subscriber in subscribers:
                subscriber.bell.ring()
            if webhook is not None:
                self._post_office.ring(webhook)
        if isinstance(record, Subscribed | Unsubscribed | Paused | Resumed):
            self.watch(record.id)
        match record:
            case Unsubscribed(identifier):
                self._deliveries.forget(identifier)
                if identifier in self._callbacks:
                    self._callbacks.pop(identifier).stop()
                if identifier in self._webhooks:
                    self._webhooks.pop(identifier).end()
                for subscriber in tuple(self._subscribers.get(identifier, ())):
                    subscriber.close()
            case Paused(identifier, reason):
                if reason == "overflow":
                    _LOG.warning("%r is paused: as much waits for it as may", identifier)
                for subscriber in self._subscribers.get(identifier, ()):
                    subscriber.bell.ring()
            case Resumed(identifier) if identifier in self._webhooks:
                self._webhooks[identifier].resume()
                self._post_office.ring(self._webhooks[identifier])

    def fail(self, notification: Notification, reason: str) -> None:
        """Have the journal say what could not be handed over."""
        _LOG.warning("%s: %s", notification.id, reason)
        news = notification.news
        event = news.event.id or "" if isinstance(news, Match) else ""
        number = notification.sequence
        self._ledger.record(Failed(notification.subscription_id, event, reason, number=number))

    def pause(self, identifier: str) -> None:
        """Let a subscription hear nothing whose service fails again and again."""
        with self._ledger.lock:
            if identifier in self._ledger.registry:
                _LOG.warning("%r is paused: its service fails again and again", identifier)
                self._ledger.record(Paused(identifier, "failing"))

    def now(self) -> datetime:
        """The time, by the clock of the broker."""
        return self._clock.now()

    def stop(self, seconds: float) -> None:
        """Let threads end what they are at, as far as that does not take too long."""
        workers = list(self._callbacks.values())
        self._post_office.close()
        for worker in workers:
            worker.stop()
        for worker in workers:
            if not worker.join(seconds):
                _LOG.warning("the callback of %r is still at work", worker.subscriber.id)
        for identifier in self._post_office.join(seconds):
            _LOG.warning("the service of %r has not answered yet", identifier)

    def close(self) -> None:
        """Nobody hears any more."""
        for subscribers in tuple(self._subscribers.values()):
            for subscriber in tuple(subscribers):
                subscriber.close()

    def _leave(self, subscriber: Subscriber) -> None:
        """Wake a subscriber no more."""
        with self._ledger.lock:
            others = [
                one for one in self._subscribers.get(subscriber.id, ()) if one is not subscriber
            ]
            if others:
                self._subscribers[subscriber.id] = others
            else:
                self._subscribers.pop(subscriber.id, None)


def _nobody(identifier: str) -> None:
    """Nobody watches."""
