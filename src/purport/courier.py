"""Delivery to a service that may be slow, busy or down: tries, waits, and when to give up."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Annotated

import msgspec

from purport.posting import PostFailed

_TOO_MANY_REQUESTS = 429
_SERVER_ERRORS = 500
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]
_SomeSeconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]


class Tries(msgspec.Struct, frozen=True):
    """How long a service is waited for; a wait is twice as long as the one before."""

    timeout_seconds: _SomeSeconds = 10.0
    tries: Annotated[int, msgspec.Meta(ge=1)] = 5
    first_wait_seconds: _Seconds = 0.5
    longest_wait_seconds: _Seconds = 60.0

    def wait(self, tries_made: int, asked: float | None) -> float:
        """The seconds before the next try; a service may ask for more, up to the longest."""
        wait = self.first_wait_seconds * 2.0 ** min(tries_made - 1, 64)
        return min(self.longest_wait_seconds, max(wait, asked or 0.0))


class Patience(Tries, frozen=True):
    """The same of one that is told what happens: what it cannot take goes on waiting.

    A failure that lasts for all `tries` is recorded; so many in a row pause what is told (0: none
    ever does).
    """

    failures_before_pause: Annotated[int, msgspec.Meta(ge=0)] = 20


class Courier:
    """Brings requests to a service, one after the other.

    After one that failed in all its tries the service counts as down, and every request gets one
    try, until one succeeds.
    """

    def __init__(
        self,
        post: Callable[[bytes, str], None],
        patience: Tries,
        *,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._post, self._patience = post, patience
        self.sleep, self._now = sleep, now
        self._is_down = False

    def deliver(self, body: bytes, key: str) -> None:
        """Deliver a request; `PostFailed` is why it could not be done."""
        tries = 1 if self._is_down else self._patience.tries
        for tries_made in range(1, tries + 1):
            try:
                self._post(body, key)
            except PostFailed as error:
                if not may_pass(error):
                    raise
                if tries_made == tries:
                    self._is_down = True
                    raise
                asked = asked_wait(error.retry_after, self._now())
                self.sleep(self._patience.wait(tries_made, asked))
            else:
                self._is_down = False
                return


def may_pass(error: PostFailed) -> bool:
    """Whether the same request may succeed later."""
    status = error.status
    return status is None or status == _TOO_MANY_REQUESTS or status >= _SERVER_ERRORS


def asked_wait(retry_after: str | None, now: float) -> float | None:
    """The seconds that the header Retry-After asks for: a number of them, or a date."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
