"""A subscription whose notifications are posted to a service, one after the other."""

from __future__ import annotations

import string
import time
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol
from urllib.parse import quote

from purport.broker.registry import Registration
from purport.courier import Patience, asked_wait, may_pass
from purport.embedded.deliveries import Deliveries
from purport.embedded.message import delivery_key, message_of
from purport.embedded.post_office import LONG_SECONDS
from purport.embedded.written_state import BrokerClosed
from purport.errors import InvalidInput
from purport.model.notification import Notification
from purport.posting import PostFailed, posted, shown

_LONGEST_REASON = 1_000


@dataclass(frozen=True, slots=True)
class WebhookStatus:
    """How a webhook is doing, since the broker was opened or the address was given."""

    address: str  # without what may be secret in it
    delivered: int = 0
    consecutive_errors: int = 0  # since the last success
    last_failure: str | None = None
    last_failure_at: datetime | None = None
    last_success_at: datetime | None = None


class Records(Protocol):
    """Where the journal is told what a service does not take."""

    def fail(self, notification: Notification, reason: str) -> None:
        """A service has not taken a notification."""

    def pause(self, identifier: str) -> None:
        """A service fails again and again."""

    def now(self) -> datetime:
        """The time."""


class Webhook:
    """Posts what waits for a subscription; what may be taken later goes on waiting, in order.

    It has no thread: whoever calls `serve` says when. A service that refuses a notification for
    good is not asked again, and the next one is posted. One that fails otherwise is asked again
    after longer and longer waits, until too many failures in a row pause the subscription.
    """

    def __init__(
        self,
        registration: Registration,
        deliveries: Deliveries,
        records: Records,
        patience: Patience,
        *,
        to_private: bool = True,
    ) -> None:
        self.id, self.address = registration.id, registration.address
        self.status = WebhookStatus(shown(self.address))
        self._deliveries, self._records = deliveries, records
        self._patience, self._to_private = patience, to_private
        self._held: Notification | None = None  # was acknowledged first, and is not posted yet
        self._is_recorded = False  # that the service fails
        self._is_slow = False
        self._is_over = False

    @property
    def holds_up(self) -> bool:
        """Whether the last notification was not taken, or only after long."""
        return self.status.consecutive_errors > 0 or self._is_slow

    def resume(self) -> None:
        """Begin anew with a service that had failed too often."""
        self.status = replace(self.status, consecutive_errors=0)
        self._is_recorded = False

    def end(self) -> None:
        """Post no more."""
        self._is_over = True

    def serve(self) -> float | None:
        """Post the next notification; gives how many seconds to wait before the one after it.

        None: as long as nobody is told anything.
        """
        try:
            notification = self._next()
            if notification is None:
                return None
            try:
                self._post(notification)
            except PostFailed as error:
                return self._after_failure(notification, error)
            except Exception as error:  # noqa: BLE001 - of a notification that cannot be written
                reason = f"{type(error).__name__}: {error}"
                return self._after_refusal(notification, reason)
            self._take_success(notification)
        except BrokerClosed:
            return None
        return 0.0

    def _next(self) -> Notification | None:
        if self._is_over:
            return None
        try:
            registration = self._deliveries.registration(self.id)
        except InvalidInput:  # it has ended meanwhile
            return None
        if registration.is_failing:
            return None
        return self._held or self._waiting()

    def _waiting(self) -> Notification | None:
        found = self._deliveries.waiting(self.id, -1, 1)
        if found is None or not found.notifications:
            return None
        [notification] = found.notifications
        if found.cursor.missed:
            notification = replace(notification, missed=found.cursor.missed)
        if found.is_acknowledged_first:
            self._deliveries.acknowledge(self.id, notification.sequence)
            self._held = notification
        return notification

    def _post(self, notification: Notification) -> None:
        began = time.monotonic()
        try:
            with posted(
                self.address,
                message_of(notification),
                timeout_seconds=self._patience.timeout_seconds,
                headers={"Idempotency-Key": _in_a_header(delivery_key(notification))},
                to_private=self._to_private,
            ):
                pass
        finally:
            self._is_slow = time.monotonic() - began > LONG_SECONDS

    def _take_success(self, notification: Notification) -> None:
        self._release(notification)
        self._is_recorded = False
        self.status = replace(
            self.status,
            delivered=self.status.delivered + 1,
            consecutive_errors=0,
            last_success_at=self._records.now(),
        )

    def _after_failure(self, notification: Notification, error: PostFailed) -> float | None:
        if not may_pass(error):
            return self._after_refusal(notification, str(error))
        self._count(str(error))
        errors = self.status.consecutive_errors
        is_too_often = self._is_too_often()
        if not self._is_recorded and (errors >= self._patience.tries or is_too_often):
            self._records.fail(notification, str(error))
            self._is_recorded = True
        if is_too_often:
            self._pause()
            return None
        return self._patience.wait(errors, asked_wait(error.retry_after, time.time()))

    def _after_refusal(self, notification: Notification, reason: str) -> float | None:
        """What a service does not take, and never will, is given up."""
        self._count(reason)
        self._records.fail(notification, reason[:_LONGEST_REASON])
        self._release(notification)
        if self._is_too_often():
            self._pause()
            return None
        return 0.0

    def _count(self, reason: str) -> None:
        self.status = replace(
            self.status,
            consecutive_errors=self.status.consecutive_errors + 1,
            last_failure=reason[:_LONGEST_REASON],
            last_failure_at=self._records.now(),
        )

    def _is_too_often(self) -> bool:
        most = self._patience.failures_before_pause
        return 0 < most <= self.status.consecutive_errors

    def _pause(self) -> None:
        if not self._is_over:
            self._records.pause(self.id)

    def _release(self, notification: Notification) -> None:
        self._held = None
        self._deliveries.acknowledge(self.id, notification.sequence)


_SAFE = "".join(set(string.punctuation) - {"%"}) + " "


def _in_a_header(key: str) -> str:
    """A key as a header can have it: ASCII as it is."""
    return key if key.isascii() else quote(key, safe=_SAFE)
