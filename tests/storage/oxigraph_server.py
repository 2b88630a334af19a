"""A SPARQL endpoint of our own, in a process of its own: pyoxigraph over HTTP, for tests.

`python -m tests.storage.oxigraph_server` serves an empty store, and prints its address.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

from pyoxigraph import NamedNode, QueryResultsFormat, QueryTriples, RdfFormat, Store


class Handler(BaseHTTPRequestHandler):
    """Speaks as much of the protocol as SPARQL 1.1 asks for: forms with a query or an update."""

    protocol_version = "HTTP/1.1"
    store = Store()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = parse_qs(body, keep_blank_values=True)
        try:
            if "update" in form:
                self.store.update(form["update"][0])
                self._answer(204, "text/plain", b"")
            else:
                self._answer(200, *self._answered(form))
        except (SyntaxError, ValueError) as error:
            self._answer(400, "text/plain", str(error).encode())

    def _answered(self, form: dict[str, list[str]]) -> tuple[str, bytes]:
        default, named = form.get("default-graph-uri"), form.get("named-graph-uri")
        if default or named:  # then the dataset has these graphs, and no others
            default, named = default or [], named or []
        answer = self.store.query(
            form["query"][0],
            default_graph=None if default is None else [NamedNode(iri) for iri in default],
            named_graphs=None if named is None else [NamedNode(iri) for iri in named],
        )
        if isinstance(answer, QueryTriples):
            return "application/n-triples", answer.serialize(format=RdfFormat.N_TRIPLES) or b""
        content_type = "application/sparql-results+json"
        return content_type, answer.serialize(format=QueryResultsFormat.JSON) or b""

    def _answer(self, status: int, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def running_oxigraph() -> Iterator[str]:
    """The address of an endpoint, which is stopped at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.storage.oxigraph_server"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise RuntimeError("the endpoint does not start")
        yield address
    finally:
        process.kill()
        process.communicate()


def main() -> None:
    """Serve until somebody ends it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/sparql", flush=True)  # noqa: T201
        server.serve_forever()


if __name__ == "__main__":
    main()
