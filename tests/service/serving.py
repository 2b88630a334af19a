"""Services that listen on loopback, for as long as a test needs them."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from urllib.parse import urlsplit

import httpx
import uvicorn
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp

from purport.embedded.broker import Broker
from purport.service.app import application
from purport.service.desk import Desk
from purport.service.service import Service
from purport.service.settings import ServiceSettings

_LATEST_SECONDS = 30.0


async def who_says(connection: HTTPConnection) -> str | None:
    """Tests say in a header who they are."""
    return connection.headers.get("x-who")


def service_of(broker: Broker, settings: ServiceSettings | None = None) -> Service:
    """A service in which everybody is who they say."""
    settings = settings or ServiceSettings()
    return Service(settings, broker, Desk(settings.limits.requests_waiting), who_says)


@contextmanager
def listening(app: ASGIApp) -> Iterator[str]:
    """The address of what listens on loopback."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, log_level="warning", lifespan="off", ws="websockets-sansio"
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        thread.join(0.01)
    [socket] = server.servers[0].sockets
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def served(service: Service) -> Iterator[httpx.Client]:
    """A client of a service that listens on loopback."""
    with listening(application(service)) as address, httpx.Client(base_url=address) as client:
        yield client
    service.close()


@contextmanager
def client_of(broker: Broker, settings: ServiceSettings | None = None) -> Iterator[httpx.Client]:
    """A client of a service over a broker."""
    with served(service_of(broker, settings)) as client:
        yield client


@dataclass(frozen=True, slots=True)
class Served:
    """A broker, and where its server answers."""

    broker: Broker
    service: Service
    url: str

    @property
    def port(self) -> int:
        """Where both requests and sockets are answered."""
        return urlsplit(self.url).port or 0

    @property
    def subscribe_url(self) -> str:
        """Where sockets are answered."""
        return f"ws://127.0.0.1:{self.port}/subscribe"

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait for what happens in other threads."""
        deadline = time.monotonic() + _LATEST_SECONDS
        while not holds():
            assert time.monotonic() < deadline, "it did not happen"
            time.sleep(0.01)


@contextmanager
def served_broker(broker: Broker, settings: ServiceSettings | None = None) -> Iterator[Served]:
    """A server over a broker that a test has in its hands."""
    service = service_of(broker, settings)
    with listening(application(service)) as address:
        yield Served(broker, service, address)
    service.close()
