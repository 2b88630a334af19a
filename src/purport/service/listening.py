"""The sockets of a service, and the addresses under which it is found."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import msgspec

from purport.errors import InvalidInput
from purport.service.settings import Listening


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
