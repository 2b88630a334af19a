"""What a subscriber and a server say to each other over WebSockets; nothing is sent here.

It is a generator of steps that somebody takes: a driver with threads, or one in an event loop.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from purport.client.errors import ServerAnswersNonsense, ServerRefused, ServerUnreachable
from purport.client.messages import (
    AcknowledgeMessage,
    NotificationMessage,
    SocketAnswer,
    SocketRequest,
    SubscribeMessage,
)
from purport.courier import Patience

PATIENCE = Patience(tries=60, first_wait_seconds=0.2, longest_wait_seconds=30.0)
_TOO_MANY_REQUESTS, _UNAVAILABLE = 429, 503


class Acknowledging(StrEnum):
    """When a notification of a durable subscription counts as received."""

    WHEN_NEXT_IS_TAKEN = "when the next is taken"
    BY_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class FetchToken:
    """Gives the token to use, if there is any; a new one if the last was refused."""

    is_refused: bool


@dataclass(frozen=True, slots=True)
class Connect:
    """Opens a socket, in the place of any that was open before."""

    token: str | None


@dataclass(frozen=True, slots=True)
class Say:
    """Sends a message."""

    message: str


@dataclass(frozen=True, slots=True)
class Hear:
    """Gives the next message; one that answers comes soon, or the server is not there."""

    is_answer: bool


@dataclass(frozen=True, slots=True)
class Wait:
    """Waits for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Ready:
    """Says that the subscription is there: what is published from now on is told."""


@dataclass(frozen=True, slots=True)
class Tell:
    """Hands over a notification; the step is taken when the next is wanted."""

    notification: NotificationMessage


Step = FetchToken | Connect | Say | Hear | Wait | Ready | Tell


class Conversation:
    """One subscription, over one socket after the other.

    When a socket breaks after it was subscribed to, it is subscribed to again: a durable one
    after the last notification that was told, any other as new. The first notification about a
    query is then its whole answer, which `whole` says.
    """

    def __init__(
        self,
        asked: SubscribeMessage,
        address: str,
        *,
        acknowledging: Acknowledging = Acknowledging.WHEN_NEXT_IS_TAKEN,
        patience: Patience = PATIENCE,
        spread: Callable[[], float] = random.random,
    ) -> None:
        self.id = ""
        self._asked, self._address = asked, address
        self._acknowledging, self._patience, self._spread = acknowledging, patience, spread
        self._last: int | None = None  # that was told
        self._acknowledged: int | None = None  # the last, which may not have arrived there
        self._tries = 0
        self._was_there = False
        self._is_new = True  # on this socket
        self._is_refused = False

    def steps(self) -> Generator[Step, Any, None]:
        """What is to be done; failures are thrown in as `ServerUnreachable` or `ServerRefused`."""
        while True:
            try:
                token = yield FetchToken(self._is_refused)
                yield Connect(token)
                self._is_new = True
                yield Say(self._opening(token))
                yield from self._listening()
            except ServerUnreachable:
                if not self._was_there or self._tries >= self._patience.tries:
                    raise
                yield self._wait(None)
            except ServerRefused as error:
                self._require_bearable(error)
                if error.wants_login:
                    self._is_refused = True
                else:
                    yield self._wait(error.retry_after)
            else:
                return

    def acknowledgement(self, sequence: int) -> str:
        """Says that everything through this number has arrived; said again on the next socket."""
        self._acknowledged = max(sequence, self._acknowledged or 0)
        return self._acknowledge(self._acknowledged)

    def _listening(self) -> Generator[Step, Any, None]:
        """What is done on one socket, until the subscription is over."""
        while True:
            answer = self._read((yield Hear(self._is_new)))
            if answer.error is not None:
                raise ServerRefused(answer.status_code, answer.error, answer.error_description)
            if answer.unsubscribed is not None:
                return
            if answer.subscribed is not None:
                self.id = answer.subscribed.spuid
                self._go_back_before(answer.subscribed.sequence)
                yield from self._begun()
            elif answer.notification is not None:
                yield from self._told(answer.notification)

    def _told(self, told: NotificationMessage) -> Generator[Step, Any, None]:
        is_first = self._is_new
        if is_first:  # servers of queries answer with the first notification
            self.id = told.spuid
            self._last = None
            yield from self._begun()
        if self._asked.sparql is not None and (is_first or told.sequence == 0):
            told = msgspec.structs.replace(told, whole=True)
        if self._last is not None and told.sequence <= self._last:
            return  # it came before the socket broke
        self._last = told.sequence
        yield Tell(told)
        if self._asked.durable and self._acknowledging is Acknowledging.WHEN_NEXT_IS_TAKEN:
            yield Say(self.acknowledgement(told.sequence))

    def _go_back_before(self, sequence: int) -> None:
        """Forget what a server no longer knows of: its numbers began again, or at a backup."""
        if self._last is not None and sequence <= self._last:
            self._last = sequence - 1
            if self._acknowledged is not None and sequence <= self._acknowledged:
                self._acknowledged = sequence - 1 if sequence > 0 else None

    def _begun(self) -> Generator[Step, Any, None]:
        self._is_new = self._is_refused = False
        self._tries, was_there = 0, self._was_there
        self._was_there = True
        if not self._asked.durable and self._asked.sparql is None:
            self._last = None  # numbers begin again
        if was_there and self._acknowledged is not None and self._asked.durable:
            yield Say(self._acknowledge(self._acknowledged))
        yield Ready()

    def _opening(self, token: str | None) -> str:
        asked = self._asked
        if self._asked.durable:
            after = self._asked.after if self._last is None else self._last
            asked = msgspec.structs.replace(asked, after=after, acknowledge="by hand")
        if token is not None:
            asked = msgspec.structs.replace(asked, authorization=f"Bearer {token}")
        return _written(SocketRequest(subscribe=asked))

    def _acknowledge(self, sequence: int) -> str:
        return _written(SocketRequest(acknowledge=AcknowledgeMessage(self.id, sequence)))

    def _wait(self, asked: float | None) -> Wait:
        """Longer each time, and not all clients of a server at once."""
        self._tries += 1
        return Wait(self._patience.wait(self._tries, asked) * (0.5 + self._spread() / 2))

    def _require_bearable(self, error: ServerRefused) -> None:
        """Raise what no other try can mend."""
        if error.wants_login and not self._is_refused:
            return
        is_busy = error.status in (_TOO_MANY_REQUESTS, _UNAVAILABLE)
        if not (self._was_there and is_busy and self._tries < self._patience.tries):
            raise error

    def _read(self, message: str | bytes) -> SocketAnswer:
        try:
            return msgspec.json.decode(message, type=SocketAnswer)
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise ServerAnswersNonsense(self._address, str(error)) from None


def _written(request: SocketRequest) -> str:
    return msgspec.json.encode(request).decode()
