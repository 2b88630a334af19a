"""A server that counts those who come when they come, before they have begun with TLS."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from socket import socket
from typing import Any

import uvicorn

from purport.service.connections import GuardedConfig, GuardedHttp
from purport.service.guests import Guest

_LOG = logging.getLogger("purport.service")
_PAUSE_SECONDS = 0.2  # when nobody can be accepted, as without descriptors


class GuardedServer(uvicorn.Server):
    """A server of guarded connections."""

    config: GuardedConfig

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Begin to listen."""
        if self.config.tls is None:
            await super().startup(sockets)
            return
        await super().startup([])
        loop = asyncio.get_running_loop()
        for one in sockets or ():
            one.listen(self.config.backlog)
            one.setblocking(False)
            accepting: Any = _Accepting(one, loop.create_task(self._accept(one)))
            self.servers.append(accepting)

    async def _accept(self, listening: socket) -> None:
        """Let each who comes begin with TLS, in a task of its own, until nobody is waited for."""
        shaking: set[asyncio.Task[None]] = set()
        try:
            await self._accept_all(listening, shaking)
        finally:
            for task in shaking:
                task.cancel()

    async def _accept_all(self, listening: socket, shaking: set[asyncio.Task[None]]) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                made, address = await loop.sock_accept(listening)
            except OSError as error:
                _LOG.warning("nobody can be accepted: %s", error)
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            guest = Guest(self.config.connected, address[0])
            if guest.is_let_in:
                task = loop.create_task(self._shake_hands(made, guest))
                shaking.add(task)
                task.add_done_callback(shaking.discard)
            else:
                made.close()

    async def _shake_hands(self, made: socket, guest: Guest) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(
                partial(self._protocol, guest),
                made,
                ssl=self.config.tls,
                ssl_handshake_timeout=self.config.limits.header_seconds,
            )
        except OSError:  # of which a handshake that failed, or came too late, is one
            guest.leave()

    def _protocol(self, guest: Guest) -> GuardedHttp:
        made = GuardedHttp(self.config, self.server_state, self.lifespan.state)
        made.guest = guest
        return made


class _Accepting:
    """A task that accepts connections, as a server that can be closed."""

    def __init__(self, listening: socket, task: asyncio.Task[None]) -> None:
        self.sockets, self._task = [listening], task

    def close(self) -> None:
        """Accept nobody any more."""
        self._task.cancel()
        self.sockets[0].close()

    async def wait_closed(self) -> None:
        """Nothing is left to wait for."""
        await asyncio.gather(self._task, return_exceptions=True)
