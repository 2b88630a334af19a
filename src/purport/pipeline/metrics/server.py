"""The figures of a running job over HTTP, for whoever asks on this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from purport.errors import InvalidInput
from purport.pipeline.metrics.figures import Figures
from purport.prometheus import CONTENT_TYPE

HOST = "127.0.0.1"
_SLOWEST_CLIENT_SECONDS = 10.0


@contextmanager
def metrics_server(figures: Callable[[], Figures], port: int = 0) -> Iterator[str]:
    """Serves `/metrics` for Prometheus and `/metrics.json`; gives the address.

    Port 0 is any that is free; `InvalidInput` if a port cannot be had.
    """
    forms: dict[str, tuple[str, Callable[[Figures], bytes]]] = {
        "/metrics": (CONTENT_TYPE, lambda now: now.text().encode("utf-8", "backslashreplace")),
        "/metrics.json": ("application/json", Figures.json),
    }

    class Handler(BaseHTTPRequestHandler):
        timeout = _SLOWEST_CLIENT_SECONDS

        def do_GET(self) -> None:
            self._answer(has_body=True)

        def do_HEAD(self) -> None:
            self._answer(has_body=False)

        def _answer(self, *, has_body: bool) -> None:
            form = forms.get(self.path.partition("?")[0])
            if form is None:
                self.send_error(HTTPStatus.NOT_FOUND, f"there are {' and '.join(forms)}")
                return
            kind, write = form
            body = write(figures())
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if has_body:
                self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass  # the terminal belongs to the stream

    server = _listening(port, Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # or a client that stays would hold up the end

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that went away is no business of the stream


def _listening(port: int, handler: type[BaseHTTPRequestHandler]) -> _Server:
    try:
        return _Server((HOST, port), handler)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"the port {port} for metrics cannot be had: {reason}") from None
