"""A network that breaks: passes bytes on between clients and a broker until it is told not to."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class BreakingProxy:
    """Listens on a port of this machine and passes on to another."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self._lock, self._open = threading.Lock(), list[socket.socket]()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def address(self) -> str:
        """Its address, without a topic."""
        return f"mqtt://127.0.0.1:{self._server.getsockname()[1]}"

    def cut(self) -> None:
        """Break off all connections, with whatever is on its way."""
        with self._lock:
            for one in self._open:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            self._open.clear()

    def close(self) -> None:
        """Listen no longer."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.cut()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            try:
                broker = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                client.close()
                continue
            with self._lock:
                self._open += [client, broker]
            pair = [threading.Thread(target=self._pass_on, args=(client, broker))]
            pair.append(threading.Thread(target=self._pass_on, args=(broker, client)))
            for thread in pair:
                thread.start()
            self._threads.append(threading.Thread(target=_close_after, args=(pair, client, broker)))
            self._threads[-1].start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while arrived := source.recv(65_536):
                target.sendall(arrived)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


def _close_after(threads: list[threading.Thread], *sockets: socket.socket) -> None:
    for thread in threads:
        thread.join()
    for one in sockets:
        one.close()


@contextmanager
def breaking_proxy(port: int) -> Iterator[BreakingProxy]:
    """A proxy before a port, until the end."""
    proxy = BreakingProxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
