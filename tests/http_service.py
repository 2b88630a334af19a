"""A service over HTTP on loopback, for as long as a test needs one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class PostHandler(BaseHTTPRequestHandler):
    """Is posted to, and logs nothing; a GET, such as a client's that is redirected, is refused."""

    def do_POST(self) -> None:
        self.answer(self.rfile.read(int(self.headers["Content-Length"])))

    def answer(self, body: bytes) -> None:
        """Answer to what was sent."""
        raise NotImplementedError

    def log_message(self, *_: object) -> None:
        return


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # many may come at once


@contextmanager
def serving(handler: type[PostHandler]) -> Iterator[str]:
    """The address, without a path, under which requests are handled."""
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
