"""Services behind their door, as `purport serve` runs them, with people who have tokens."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread
from typing import Any

import httpx
import msgspec
import uvicorn
from websockets.sync.client import ClientConnection, connect

from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.service.app import application
from purport.service.auth import Auth
from purport.service.connections import GuardedConfig
from purport.service.desk import Desk
from purport.service.door import Door
from purport.service.governing import Governing
from purport.service.listening import bound_sockets
from purport.service.rule_files import RuleFiles
from purport.service.server import GuardedServer
from purport.service.service import Service
from purport.service.settings import (
    Authentication,
    Keeping,
    Listening,
    ServiceSettings,
    Token,
)
from purport.service.tokens import token_hash
from purport.service.translating import RESERVED
from tests.embedded.brokers import exact

ONE_PORT = Listening(port=0, subscribe_port=0)
IN_MEMORY = Keeping(in_memory=True)


def token_of(name: str) -> str:
    """The token of somebody, which lasts."""
    return f"{name.encode().hex()}-{'x' * 40}"


def known(*names: str, anonymous: bool = False, disabled: tuple[str, ...] = ()) -> Authentication:
    """Some people, each with a token that lasts."""
    tokens = (Token(name, token_hash(token_of(name)), name in disabled) for name in names)
    return Authentication(tokens=tuple(tokens), anonymous=anonymous)


def bearing(name: str | None) -> dict[str, str]:
    """The headers with which somebody asks."""
    return {} if name is None else {"Authorization": f"Bearer {token_of(name)}"}


class Secured:
    """A service on loopback that knows who asks; everything is closed in the end."""

    def __init__(
        self,
        settings: ServiceSettings,
        broker: Broker,
        at_end: ExitStack,
        clock: Callable[[], float],
    ) -> None:
        self.settings, self.broker, self._at_end = settings, broker, at_end
        self.auth = Auth(settings, clock)
        desk = Desk(settings.limits.requests_waiting)
        rules = RuleFiles(broker, settings.broker.kept_in)
        self._governing = Governing(settings, self._reread, None, broker, self.auth, rules)
        self.service = Service(
            settings, broker, desk, self.auth.who, self.auth.who_of, self.auth.lets_in,
            more_routes=self.auth.routes(),
        )  # fmt: skip
        at_end.callback(self.service.close)
        self._door = Door(application(self.service), self.service)
        config = GuardedConfig(self._door, settings.listen, settings.limits)
        self.connected = config.connected
        self._server = _Server(config)
        self._sockets = bound_sockets(settings.listen)
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()
        at_end.callback(self._stop)
        assert self._server.is_ready.wait(30)

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._sockets[0].getsockname()[1]
        return port

    @property
    def loop_thread(self) -> int | None:
        """The thread that answers everybody."""
        return self._thread.ident

    @property
    def body_bytes(self) -> int:
        """Of how many bytes there are bodies now."""
        return self._door._body_room._held

    def client(self, name: str | None = None, **options: Any) -> httpx.Client:
        """Somebody who asks over HTTP."""
        return self._at_end.enter_context(
            httpx.Client(base_url=f"http://127.0.0.1:{self.port}", headers=bearing(name), **options)
        )

    def socket(self, name: str | None = None) -> Talking:
        """Somebody with a WebSocket."""
        address = f"ws://127.0.0.1:{self.port}/subscribe"
        return Talking(
            self._at_end.enter_context(connect(address, additional_headers=bearing(name)))
        )

    def reload(self, **changes: Any) -> None:
        """Have other settings hold, as if their file had changed."""
        self.settings = replace_settings(self.settings, **changes)
        assert self._server.loop is not None
        asyncio.run_coroutine_threadsafe(
            self._governing.reload(self.service.desk, self._door), self._server.loop
        ).result(30)

    def _reread(self) -> ServiceSettings:
        return self.settings

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=self._server.config.get_loop_factory()) as runner:
            runner.run(self._server.serve(sockets=self._sockets))

    def _stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(30)
        assert not self._thread.is_alive()


class _Server(GuardedServer):
    """Says when it listens, and in which loop."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_ready = Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.loop = asyncio.get_running_loop()
        self.is_ready.set()


class Talking:
    """One end of a WebSocket, which says and hears JSON."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def say(self, message: object) -> None:
        self.connection.send(json.dumps(message))

    def hear(self) -> Any:
        return json.loads(self.connection.recv(timeout=30))

    def ask(self, message: object) -> Any:
        """What is answered first."""
        self.say(message)
        return self.hear()


def replace_settings(settings: ServiceSettings, **changes: Any) -> ServiceSettings:
    """The same settings but for some of them."""
    return msgspec.structs.replace(settings, **changes)


@contextmanager
def secured(*, clock: Callable[[], float] = time.time, **settings: Any) -> Iterator[Secured]:
    """A service with these settings, over a broker in memory unless they say otherwise."""
    whole = ServiceSettings(**{"listen": ONE_PORT, "broker": IN_MEMORY, **settings})
    set_so = BrokerSettings(access=whole.access_rules(), reserved=RESERVED)
    kept = whole.broker.kept_in
    with ExitStack() as at_end:
        broker = at_end.enter_context(
            Broker.in_memory(matcher=exact, settings=set_so)
            if kept is None
            else Broker.open(kept, matcher=exact, settings=set_so)
        )
        yield Secured(whole, broker, at_end, clock)
