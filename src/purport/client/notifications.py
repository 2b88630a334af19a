"""A subscriber's end over a socket: notifications, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

from purport.client.conversation import (
    Connect,
    Conversation,
    FetchToken,
    Hear,
    Ready,
    Say,
    Step,
    Tell,
    Wait,
)
from purport.client.course import FAILURES, Course, NotYet, deadline_of, seconds_until
from purport.client.messages import NotificationMessage
from purport.client.reach import SOCKET_FAILURES, Reach, Socket


class Notifications:
    """Notifications of one subscription, in order; iterating waits for what comes.

    It ends when the subscription does. A broken socket is opened again, and again.
    """

    def __init__(
        self, conversation: Conversation, reach: Reach, token: Callable[[bool], str | None]
    ) -> None:
        self._conversation, self._reach, self._token = conversation, reach, token
        self._course = Course(conversation)
        self._socket: Socket | None = None
        self._take_steps(Ready)

    def __repr__(self) -> str:
        return f"<notifications of {self.id!r}>"

    @property
    def id(self) -> str:
        """What the server calls the subscription."""
        return self._conversation.id

    def take(self, timeout: float | None = None) -> NotificationMessage | None:
        """The next notification; None if there is none within so many seconds, or any more."""
        try:
            self._take_steps(Tell, deadline_of(timeout))
        except NotYet:
            return None
        return self._course.told

    def acknowledge(self, notification: NotificationMessage) -> None:
        """Say that it and all before it have arrived."""
        said = self._conversation.acknowledgement(notification.sequence)
        try:
            if self._socket is not None:
                self._socket.send(said)
        except SOCKET_FAILURES:
            return  # it is said again on the next socket

    def close(self) -> None:
        """Hear no more; what is durable can be heard again later."""
        self._course.end()
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def __iter__(self) -> Iterator[NotificationMessage]:
        while (notification := self.take()) is not None:
            yield notification

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _take_steps(self, until: type[Step], deadline: float | None = None) -> None:
        """Do what is to be done before the next step of a kind, or to the end."""
        try:
            for step in self._course.until(until):
                try:
                    done = self._do(step, deadline)
                except FAILURES as error:
                    self._course.fail(error)
                else:
                    self._course.go_on(done)
        except NotYet:
            raise
        except Exception:
            self.close()
            raise

    def _do(self, step: Step, deadline: float | None) -> Any:
        match step:
            case FetchToken():
                return self._token(step.is_refused)
            case Connect():
                return self._connect(step.token)
            case Say():
                return self._on_socket(lambda socket: socket.send(step.message))
            case Hear():
                return self._hear(step, deadline)
            case Wait():
                return self._wait(deadline)
            case Ready() | Tell():
                return None

    def _connect(self, token: str | None) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._socket = self._reach.socket(token)

    def _hear(self, step: Hear, deadline: float | None) -> Any:
        seconds = seconds_until(deadline)
        if step.is_answer:
            return self._on_socket(lambda socket: socket.recv(self._reach.timeout_seconds))
        assert self._socket is not None
        try:
            return self._socket.recv(seconds)
        except TimeoutError:
            raise NotYet from None
        except SOCKET_FAILURES as error:
            raise self._reach.no_socket(error) from None

    def _wait(self, deadline: float | None) -> None:
        time.sleep(self._course.part_of_wait(deadline))
        self._course.require_waited()

    def _on_socket(self, do: Callable[[Socket], Any]) -> Any:
        assert self._socket is not None
        try:
            return do(self._socket)
        except SOCKET_FAILURES as error:
            raise self._reach.no_socket(error) from None
