"""A connection as bytes: waits for what comes, and for somebody who has something to send."""

from __future__ import annotations

import select
import socket
import ssl
from contextlib import suppress

from purport.mqtt.errors import BrokerUnreachable
from purport.mqtt.place import Place

MOST_AT_ONCE = 1 << 20
_SECONDS_TO_SEND = 30.0


class Waker:
    """Ends a wait from another thread."""

    def __init__(self) -> None:
        self.reading, self._writing = socket.socketpair()
        self.reading.setblocking(False)
        self._writing.setblocking(False)

    def wake(self) -> None:
        """End the wait that is, or the next one."""
        with suppress(OSError):  # full: it is awake already; closed: nobody waits any more
            self._writing.send(b"\0")

    def clear(self) -> None:
        """Forget that anybody was to be woken."""
        with suppress(OSError):
            while self.reading.recv(4096):
                pass

    def close(self) -> None:
        """Nobody will wait any more."""
        self.reading.close()
        self._writing.close()


class Wire:
    """An open connection to a broker."""

    def __init__(self, connected: socket.socket, waker: Waker) -> None:
        self._socket, self._waker = connected, waker
        connected.settimeout(_SECONDS_TO_SEND)
        self._poll = select.poll()
        self._poll.register(connected, select.POLLIN)
        self._poll.register(waker.reading, select.POLLIN)

    @classmethod
    def open(cls, place: Place, context: ssl.SSLContext | None, waker: Waker) -> Wire:
        """Connect; `BrokerUnreachable` says why that cannot be done."""
        try:
            address = (place.host, place.port)
            connected = socket.create_connection(address, place.connect_seconds)
        except OSError as error:
            raise BrokerUnreachable(f"nobody answers: {_told(error)}") from None
        try:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if context is not None:
                connected = context.wrap_socket(connected, server_hostname=place.host)
            return cls(connected, waker)
        except OSError as error:
            connected.close()
            raise BrokerUnreachable(f"TLS cannot be agreed on: {_told(error)}") from None

    def send(self, written: bytes) -> None:
        """Send all of this."""
        if not written:
            return
        try:
            self._socket.sendall(written)
        except OSError as error:
            raise BrokerUnreachable(f"the connection broke: {_told(error)}") from None

    def wait(self, seconds: float) -> bytes:
        """All that has come; nothing if the time is over or somebody ended the wait."""
        ready = [handle for handle, _ in self._poll.poll(max(0.0, seconds) * 1000)]
        if self._waker.reading.fileno() in ready:
            self._waker.clear()
        if self._socket.fileno() not in ready:
            return b""
        try:
            return self._received()
        except OSError as error:
            raise BrokerUnreachable(f"the connection broke: {_told(error)}") from None

    def close(self) -> None:
        """Leave."""
        self._socket.close()

    def _received(self) -> bytes:
        first = self._socket.recv(MOST_AT_ONCE)
        if not first:
            raise BrokerUnreachable(
                "the broker closed the connection without saying why: another client may have "
                "come with the same client id"
            )
        if not isinstance(self._socket, ssl.SSLSocket):
            return first
        parts, size = [first], len(first)
        while self._socket.pending() and size < MOST_AT_ONCE:
            parts.append(self._socket.recv(MOST_AT_ONCE))
            size += len(parts[-1])
        return b"".join(parts)


def _told(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the broker's certificate is not trusted: {error.verify_message}"
    return error.strerror or str(error)
