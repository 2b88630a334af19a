"""A subscriber's end over a socket, in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
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
from purport.client.reach import SOCKET_FAILURES, AsyncSocket, Reach


class AsyncNotifications:
    """Notifications of one subscription, in order; `async for` waits for what comes.

    It ends when the subscription does. A broken socket is opened again, and again.
    """

    def __init__(
        self,
        conversation: Conversation,
        reach: Reach,
        token: Callable[[bool], Awaitable[str | None]],
    ) -> None:
        self._conversation, self._reach, self._token = conversation, reach, token
        self._course = Course(conversation)
        self._socket: AsyncSocket | None = None

    async def open(self) -> Self:
        """Subscribe; what is published from now on is told."""
        await self._take_steps(Ready)
        return self

    def __repr__(self) -> str:
        return f"<notifications of {self.id!r}>"

    @property
    def id(self) -> str:
        """What the server calls the subscription."""
        return self._conversation.id

    async def take(self, timeout: float | None = None) -> NotificationMessage | None:
        """The next notification; None if there is none within so many seconds, or any more."""
        try:
            await self._take_steps(Tell, deadline_of(timeout))
        except NotYet:
            return None
        return self._course.told

    async def acknowledge(self, notification: NotificationMessage) -> None:
        """Say that it and all before it have arrived."""
        said = self._conversation.acknowledgement(notification.sequence)
        try:
            if self._socket is not None:
                await self._socket.send(said)
        except SOCKET_FAILURES:
            return  # it is said again on the next socket

    async def close(self) -> None:
        """Hear no more; what is durable can be heard again later."""
        self._course.end()
        if self._socket is not None:
            await self._socket.close()
            self._socket = None

    async def __aiter__(self) -> AsyncIterator[NotificationMessage]:
        while (notification := await self.take()) is not None:
            yield notification

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def _take_steps(self, until: type[Step], deadline: float | None = None) -> None:
        """Do what is to be done before the next step of a kind, or to the end."""
        try:
            for step in self._course.until(until):
                try:
                    done = await self._do(step, deadline)
                except FAILURES as error:
                    self._course.fail(error)
                else:
                    self._course.go_on(done)
        except NotYet:
            raise
        except Exception:
            await self.close()
            raise

    async def _do(self, step: Step, deadline: float | None) -> Any:
        match step:
            case FetchToken():
                return await self._token(step.is_refused)
            case Connect():
                return await self._connect(step.token)
            case Say():
                return await self._on_socket(lambda socket: socket.send(step.message))
            case Hear():
                return await self._hear(step, deadline)
            case Wait():
                return await self._wait(deadline)
            case Ready() | Tell():
                return None

    async def _connect(self, token: str | None) -> None:
        if self._socket is not None:
            await self._socket.close()
            self._socket = None
        self._socket = await self._reach.async_socket(token)

    async def _hear(self, step: Hear, deadline: float | None) -> Any:
        if step.is_answer:
            return await self._on_socket(
                lambda socket: asyncio.wait_for(socket.recv(), self._reach.timeout_seconds)
            )
        assert self._socket is not None
        try:
            async with asyncio.timeout(seconds_until(deadline)):
                return await self._socket.recv()
        except TimeoutError:
            raise NotYet from None
        except SOCKET_FAILURES as error:
            raise self._reach.no_socket(error) from None

    async def _wait(self, deadline: float | None) -> None:
        await asyncio.sleep(self._course.part_of_wait(deadline))
        self._course.require_waited()

    async def _on_socket(self, do: Callable[[AsyncSocket], Awaitable[Any]]) -> Any:
        assert self._socket is not None
        try:
            return await do(self._socket)
        except SOCKET_FAILURES as error:
            raise self._reach.no_socket(error) from None
