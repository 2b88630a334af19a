"""Those that hear from a broker: subscribers, callbacks with their threads, and services."""

from __future__ import annotations

import logging

from purport.broker.records import Entry, Failed, Paused, Unsubscribed, addressees
from purport.broker.registry import Registration
from purport.courier import Patience
from purport.embedded.deliveries import Deliveries
from purport.embedded.ledger import Ledger
from purport.embedded.subscriber import Acknowledging, Subscriber
from purport.embedded.workers import Callback, HandOver, Worker, to_callback, to_service
from purport.model.match import Match
from purport.model.notification import Notification
from purport.model.subscription import Post, Rule

_LOG = logging.getLogger("purport.broker")


class Listeners:
    """Wakes whom an entry of the journal concerns."""

    def __init__(self, ledger: Ledger, deliveries: Deliveries, patience: Patience) -> None:
        self._ledger, self._deliveries, self._patience = ledger, deliveries, patience
        self._subscribers: dict[str, list[Subscriber]] = {}
        self._callbacks: dict[str, Worker] = {}
        self._posts: dict[str, Worker] = {}
        ledger.notice = self.notice
        for registration in ledger.registry:
            self.post_for(registration)

    def listen(self, identifier: str, acknowledging: Acknowledging) -> Subscriber:
        """One more who hears of a subscription."""
        subscriber = Subscriber(self._deliveries, identifier, self._leave, acknowledging)
        self._subscribers.setdefault(identifier, []).append(subscriber)
        return subscriber

    def call(self, identifier: str, callback: Callback) -> Subscriber:
        """Have a thread hand over what comes; it takes the place of the one before."""
        return self._work(self._callbacks, identifier, to_callback(callback)).subscriber

    def post_for(self, registration: Registration) -> None:
        """Let a thread do what a rule that posts asks for."""
        rule = registration.subscription
        if isinstance(rule, Rule) and isinstance(rule.action, Post):
            post = to_service(rule.action.url, self._patience)
            self._work(self._posts, registration.id, post)
        elif registration.id in self._posts:
            self._posts.pop(registration.id).stop()

    def notice(self, entry: Entry) -> None:
        """Wake whom an entry concerns."""
        record = entry.record
        for one in addressees(record):
            for subscriber in self._subscribers.get(one.subscription, ()):
                subscriber.bell.ring()
        match record:
            case Unsubscribed(identifier):
                for workers in (self._callbacks, self._posts):
                    if identifier in workers:
                        workers.pop(identifier).stop()
                for subscriber in tuple(self._subscribers.get(identifier, ())):
                    subscriber.close()
            case Paused(identifier, "overflow"):
                _LOG.warning("%r is paused: as much waits for it as may", identifier)

    def stop(self, seconds: float) -> None:
        """Let threads end what they are at, as far as that does not take too long."""
        workers = [*self._callbacks.values(), *self._posts.values()]
        for worker in workers:
            worker.stop()
        for worker in workers:
            if not worker.join(seconds):
                _LOG.warning("the callback of %r is still at work", worker.subscriber.id)

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

    def _work(self, workers: dict[str, Worker], identifier: str, hand_over: HandOver) -> Worker:
        if identifier in workers:
            workers.pop(identifier).stop()
        subscriber = self.listen(identifier, Acknowledging.BY_HAND)
        worker = workers[identifier] = Worker(subscriber, hand_over, self._fail)
        return worker

    def _fail(self, notification: Notification, reason: str) -> None:
        _LOG.warning("%s: %s", notification.id, reason)
        news = notification.news
        event = news.event.id or "" if isinstance(news, Match) else ""
        self._ledger.record(Failed(notification.subscription_id, event, reason))
