"""The sockets of a service, and the addresses under which it is found."""

from __future__ import annotations

import logging
import resource
import socket
from contextlib import ExitStack, suppress

import msgspec

from purport.errors import InvalidInput
from purport.service.settings import Listening

_LOG = logging.getLogger("purport.service")
_OTHER_FILES = 200  # and sockets than those of clients


class Addresses(msgspec.Struct, frozen=True):
    """Where a service is found."""

    url: str
    subscribe: str
    process: int
    folder: str | None  # what it keeps

    def text(self) -> str:
        """For whoever has started it."""
        kept = f"what is kept: {self.folder}" if self.folder else "nothing outlives the process"
        return f"purport serves {self.url} and {self.subscribe} ({kept})"


def allow_descriptors(connections: int) -> None:
    """Have this process open as many files as it needs for so many connections, or as it may."""
    needed = connections + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < needed:
        most = needed if hard == unlimited else min(needed, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    if soft != unlimited and soft < connections:
        _LOG.warning(
            "there can be no %d connections (limits.connections): "
            "this process may open no more than %d files (ulimit -n)", connections, soft,
        )  # fmt: skip


def bound_sockets(listening: Listening) -> list[socket.socket]:
    """A socket for each port, from which nothing is read yet; `InvalidInput` if one is taken."""
    with ExitStack() as on_failure:
        made = []
        for port in listening.ports:
            try:
                one = _bound(listening.host, port)
            except OSError as error:
                reason = error.strerror or str(error)
                place = f"{listening.host}, port {port}"
                raise InvalidInput(f"listen: {place} cannot be had: {reason}") from None
            on_failure.callback(one.close)
            made.append(one)
        on_failure.pop_all()
        return made


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.setblocking(False)
    except BaseException:
        made.close()
        raise
    return made


def addresses(
    listening: Listening, sockets: list[socket.socket], *, process: int, folder: str | None
) -> Addresses:
    """The addresses, with the ports that were really taken."""
    host = f"[{listening.host}]" if ":" in listening.host else listening.host
    secure = "" if listening.tls is None else "s"
    first, last = (one.getsockname()[1] for one in (sockets[0], sockets[-1]))
    return Addresses(
        f"http{secure}://{host}:{first}",
        f"ws{secure}://{host}:{last}{'/secure' if secure else ''}/subscribe",
        process,
        folder,
    )
