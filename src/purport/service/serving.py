"""A service from its start to its end: one process, one broker, one event loop."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import ssl
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from socket import socket

import msgspec
import uvicorn

from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.errors import InvalidInput, UnusablePath
from purport.service.app import application
from purport.service.auth import Auth
from purport.service.connections import GuardedConfig, tls_context
from purport.service.desk import Desk
from purport.service.door import Door
from purport.service.governing import Governing
from purport.service.listening import Addresses, addresses, allow_descriptors, bound_sockets
from purport.service.mqtt.bridges import register_outgoing, require_bridges
from purport.service.mqtt.settings import PREFIX as MQTT_PREFIX
from purport.service.overlay.registering import register_links
from purport.service.overlay.wire import trusted
from purport.service.rule_files import RuleFiles, read_rule_files
from purport.service.server import GuardedServer
from purport.service.service import Service
from purport.service.settings import Keeping, ServiceSettings
from purport.service.signing_keys import signing_keys
from purport.service.translating import RESERVED, Translating, register, require_translatable
from purport.whole_file import write_whole
from purport.writable import require_file

_LOG = logging.getLogger("purport.service")
_STOPPING = (signal.SIGTERM, signal.SIGINT)
_CLOSING_SECONDS = 1.0  # in which WebSockets are told that the service stops


def serve(
    reread: Callable[[], ServiceSettings],
    *,
    file: Path | None,
    ready_file: Path | None,
    announce: Callable[[Addresses], None],
) -> None:
    """Serve until a signal says to stop; what was begun is ended first.

    `reread` gives the settings, and is asked again whenever their file changes.
    """
    settings = reread()
    require_usable(settings)
    if ready_file is not None:
        _clear(ready_file)
    allow_descriptors(settings.limits.connections)
    with ExitStack() as at_end:
        sockets = bound_sockets(settings.listen)
        for one in sockets:
            at_end.callback(one.close)
        broker = at_end.enter_context(opened(settings))
        auth = Auth(settings)
        rules = RuleFiles(broker, settings.broker.kept_in)
        governing = Governing(settings, reread, file, broker, auth, rules)
        governing.begin()
        register(broker, settings)
        register_links(broker, settings.overlay)
        register_outgoing(broker, settings.mqtt)
        desk = Desk(settings.limits.requests_waiting)
        kept = settings.broker.kept_in
        found = addresses(
            settings.listen,
            sockets,
            process=os.getpid(),
            folder=None if kept is None else str(kept.resolve()),
        )
        service = Service(
            settings, broker, desk, auth.who, auth.who_of, auth.lets_in, more_routes=auth.routes()
        )
        at_end.callback(service.close)
        running = _Running(service, governing)

        def begun() -> None:
            if ready_file is not None:
                at_end.callback(ready_file.unlink, missing_ok=True)
                write_whole(ready_file, msgspec.json.encode(found), is_lasting=False)
            announce(found)

        with asyncio.Runner(loop_factory=running.config.get_loop_factory()) as runner:
            runner.run(running.run(sockets, begun))
    _LOG.info("the service has stopped")
    if desk.has_given_up:
        _end_at_once()


def require_usable(settings: ServiceSettings) -> None:
    """Raise what is wrong with what settings name: files, and what is to be translated."""
    tls = settings.listen.tls
    if tls is not None:
        try:
            tls_context(tls)
        except (OSError, ssl.SSLError) as error:  # of the former, the latter is one
            reason = getattr(error, "reason", None) or error.strerror or str(error)
            place = f"{tls.certificate} and {tls.key}"
            raise InvalidInput(f"listen.tls: {place} cannot be used: {reason}") from None
    if settings.auth.signing_keys:
        signing_keys(settings.auth.signing_keys, None)
    for path in settings.broker.ontology:
        if not path.exists():
            raise InvalidInput(f"broker.ontology: {path} is not there")
    read_rule_files(settings.rules, settings.access_rules())
    require_translatable(settings)
    require_bridges(settings.mqtt)
    for one in settings.overlay.neighbours if settings.overlay is not None else ():
        one.token_to_show()
        if one.ca is not None:
            trusted(one.ca)


@contextmanager
def opened(settings: ServiceSettings) -> Iterator[Broker]:
    """The broker of a service."""
    keeping = settings.broker
    ontology = keeping.ontology or None
    set_so = BrokerSettings(
        access=settings.access_rules(),
        webhooks_to_private=settings.posts_to_private,
        infers=keeping.infers,
        may_load=keeping.may_load,
        reserved=(*RESERVED, MQTT_PREFIX),
        most_rows=settings.limits.subscribed_rows,
    )
    with _broker(keeping, ontology, set_so) as broker:
        yield broker


def _broker(
    keeping: Keeping, ontology: tuple[Path, ...] | None, settings: BrokerSettings
) -> Broker:
    if keeping.kept_in is None:
        return Broker.in_memory(ontology=ontology, settings=settings)
    return Broker.open(
        keeping.kept_in,
        journal=keeping.journal,
        history=keeping.history,
        durability=keeping.durability,
        ontology=ontology,
        settings=settings,
    )


def _clear(ready_file: Path) -> None:
    """Drop what a process that was killed has left: whoever waits for the file must not find it."""
    if not ready_file.absolute().parent.is_dir():
        raise UnusablePath(ready_file, "its folder is not there")
    require_file(ready_file)
    ready_file.unlink(missing_ok=True)


def _end_at_once() -> None:
    """End the process: it would wait for queries that have been given up, perhaps for ever."""
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)


class _Running:
    """The part that runs in an event loop."""

    def __init__(self, service: Service, governing: Governing) -> None:
        settings = service.settings
        self._service, self._governing = service, governing
        self._translating = Translating(service)
        self._door = Door(application(service), service)
        self.config = GuardedConfig(self._door, settings.listen, settings.limits)
        self._server = _Server(self.config)
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, sockets: list[socket], begun: Callable[[], None]) -> None:
        """Answer until it is time to stop."""
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in _STOPPING:
            loop.add_signal_handler(number, _stop, stop, number)
        loop.add_signal_handler(signal.SIGHUP, self._reload)
        serving = asyncio.create_task(self._server.serve(sockets=sockets))
        watching = asyncio.create_task(self._governing.watch(self._service.desk, self._door))
        started = asyncio.create_task(self._server.has_started.wait())
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait((serving, started), return_when=asyncio.FIRST_COMPLETED)
            if not serving.done():
                await self._service.publisher.begin()
                await self._translating.begin()
                if self._service.overlay is not None:
                    await self._service.overlay.begin()
                if self._service.bridges is not None:
                    self._service.bridges.begin()
                begun()
                await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
                await self._drain()
            await serving
        finally:
            for task in (watching, started, stopping):
                task.cancel()

    async def _drain(self) -> None:
        """Let nobody in any more, and tell those who would stay for ever."""
        _LOG.info("the service stops: requests that have begun are answered")
        for one in self._server.servers:
            one.close()
        drain_seconds = self._service.settings.listen.drain_seconds
        asyncio.get_running_loop().call_later(drain_seconds, self._server.abort)
        self._service.draining.set()
        await self._translating.stop()
        if self._service.bridges is not None:
            await self._service.bridges.stop()
        if self._service.overlay is not None:
            await self._service.overlay.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_SECONDS):
                await self._door.close_sockets()
        self._server.should_exit = True

    def _reload(self) -> None:
        task = asyncio.ensure_future(self._governing.reload(self._service.desk, self._door))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class _Server(GuardedServer):
    """A server that leaves signals to the service."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.has_started = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        self.has_started.set()

    def abort(self) -> None:
        """Drop the connections of those who have not come to their end in time."""
        for one in tuple(self.server_state.connections):
            one.transport.abort()


def _stop(stop: asyncio.Event, number: int) -> None:
    """Stop; whoever says so twice cannot wait, and the journal has what was answered."""
    if stop.is_set():
        os._exit(128 + number)
    stop.set()
