"""A server as the wire describes one: small, on loopback, and it remembers what it was asked."""

import base64
import json
import socket
import ssl
import threading
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import trustme
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

EVENT = {"device": "laptop"}
ANSWER = {
    "head": {"vars": ["x", "y"]},
    "results": {"bindings": [{"x": {"type": "uri", "value": "urn:a"}}]},
}
STATE = {
    "id": "hot/1", "kind": "subscription", "text": "{a = 1}", "version": 1,
    "since": "2026-01-02T03:04:05+00:00", "durable": True, "delivery": "at least once",
    "most_waiting": 9, "overflow": "drop oldest", "paused": False, "unknown": [1],
    "status": {"waiting": 2, "next": 5, "acknowledged": 2, "missed": 0},
}  # fmt: skip
NOTIFICATION = {"id": "hot:3", "subscription": "hot", "sequence": 3, "event": EVENT}


class StandIn:
    """Answers each request as the wire says; what is told over sockets is set by a test."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, Any], str]] = []
        self.heard: list[dict[str, Any]] = []  # over sockets
        self.told: list[list[int]] = [
            [0, 1]
        ]  # numbers, socket by socket; all but the last are broken off
        self.token: str | None = None  # that is right
        self.tokens = 0  # that were given out
        self.refusal: dict[str, Any] | None = None
        self.url = ""

    def application(self) -> Starlette:
        """What answers."""
        return Starlette(
            routes=[
                Route("/oauth/{what}", self.login, methods=["POST"]),
                WebSocketRoute("/subscribe", self.subscribe),
                Route(
                    "/{path:path}", self.answer, methods=["GET", "POST", "PATCH", "PUT", "DELETE"]
                ),
            ]
        )

    async def login(self, request: Request) -> Response:
        if request.path_params["what"] == "register":
            told = {"client_id": "me", "client_secret": "secret", "signature": {}}
            return JSONResponse({"credentials": told}, 201)
        wanted = "Basic " + base64.b64encode(b"me:secret").decode()
        if request.headers["Authorization"] != wanted:
            return _problem(401, "unauthorized", "no such client")
        self.tokens += 1
        self.token = f"token{self.tokens}"
        token = {"access_token": self.token, "token_type": "bearer", "expires_in": 3600}
        return JSONResponse({**token, "token": token}, 201)

    async def answer(self, request: Request) -> Response:
        body = (await request.body()).decode()
        path = request.scope["raw_path"].decode()
        self.asked.append((request.method, path, dict(request.query_params), body))
        if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
            return _problem(401, "invalid_grant", "the token is not known here")
        if self.refusal is not None:
            return JSONResponse(self.refusal, self.refusal["status_code"])
        return _answer(request.method, path, body, request.query_params)

    async def subscribe(self, socket: WebSocket) -> None:
        await socket.accept()
        with suppress(WebSocketDisconnect):
            asked = json.loads(await socket.receive_text())
            self.heard.append(asked)
            await self._tell(socket, asked["subscribe"])
            await socket.close(1001)

    async def _tell(self, socket: WebSocket, asked: dict[str, Any]) -> None:
        if self.token and asked.get("authorization") != f"Bearer {self.token}":
            await socket.send_json(_problem_body(401, "invalid_grant", "the token is not known"))
            return
        if self.refusal is not None:
            await socket.send_json(self.refusal)
            return
        spuid = asked.get("name", f"sepa://subscription/{len(self.heard)}")
        numbers = self.told.pop(0) if self.told else []
        if "purport" in asked or asked.get("durable"):
            first, after = (numbers[0] if numbers else 0), asked.get("after")
            begun = {"spuid": spuid, "sequence": after + 1 if after in numbers else first}
            await socket.send_json({"subscribed": begun})
        for number in numbers:
            told = {"spuid": spuid, "sequence": number, "unknown": 1}
            more = {"event": EVENT, "probability": 0.5}
            if "sparql" in asked:
                more = {"addedResults": ANSWER, "removedResults": {"head": {"vars": []}}}
            await socket.send_json({"notification": told | more})
            if asked.get("durable"):
                self.heard.append(json.loads(await socket.receive_text()))
        while not self.told:
            self.heard.append(json.loads(await socket.receive_text()))


def _answer(method: str, path: str, body: str, asked: Container[str]) -> Response:
    match method, path.strip("/").split("/"):
        case "POST", ["events"]:
            sent = json.loads(body)
            count = len(sent) if isinstance(sent, list) else 1
            receipts = [
                {"id": f"e{n}", "sequence": n + 1, "notified": 2, "repeated": False}
                for n in range(count)
            ]
            return JSONResponse({"events": receipts})
        case "POST", ["query"]:
            if body.startswith("ASK"):
                return _results({"head": {}, "boolean": True})
            if body.startswith("CONSTRUCT"):
                return Response("<urn:a> <urn:b> <urn:c> .\n", media_type="application/n-triples")
            return _results(ANSWER)
        case "POST", ["update"]:
            told = {"sequence": 9, "number": 7, "due": "2026-01-02T03:04:05+00:00"}
            return JSONResponse({"response": {"body": told, "isJson": True}}, 202)
        case "GET", ["updates"]:
            one = {"number": 7, "text": "CLEAR ALL", "due": "2026-01-02T03:04:05+00:00"}
            return JSONResponse({"updates": [one]})
        case "POST", ["dry-run"]:
            return JSONResponse({"trials": [{"probability": 0.5}]})
        case "GET", ["subscriptions" | "rules" as kind]:
            first = {"Link": f'</{kind}?after=hot%2F1>; rel="next"'} if "after" not in asked else {}
            return JSONResponse({kind: [STATE]}, headers=first)
        case "GET", [_, _, "notifications"]:
            return JSONResponse({"notifications": [NOTIFICATION]})
        case "GET", [_, _, "notifications", _, "explanation"]:
            return Response("because")
        case "POST", [_, _, "acknowledge"]:
            return JSONResponse(STATE["status"])
        case "GET", ["subscriptions" as kind, _, "versions"]:
            return JSONResponse({kind: [STATE]})
        case "GET" | "PATCH" | "PUT" | "POST", ["subscriptions" | "rules", _, *_]:
            return JSONResponse(STATE)
        case "POST", ["subscriptions" | "rules"]:
            return JSONResponse(STATE, 201)
        case _, ["nonsense", *_]:
            return Response("<html>")
    return Response(status_code=204)


def _results(answer: dict[str, Any]) -> Response:
    return Response(json.dumps(answer), media_type="application/sparql-results+json")


def _problem_body(status: int, code: str, words: str) -> dict[str, Any]:
    return {"error": code, "status_code": status, "error_description": words}


def _problem(status: int, code: str, words: str) -> Response:
    return JSONResponse(_problem_body(status, code, words), status)


@contextmanager
def standing_in(authority: trustme.CA | None = None) -> Iterator[StandIn]:
    """A server under an address of its own; with an authority, over TLS."""
    server = StandIn()
    config = uvicorn.Config(
        server.application(), log_level="critical", lifespan="off", ws="websockets-sansio"
    )
    if authority is not None:
        config.load()
        config.ssl = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(config.ssl)
    runner = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        scheme = "http" if authority is None else "https"
        server.url = f"{scheme}://127.0.0.1:{listening.getsockname()[1]}"
        thread = threading.Thread(target=runner.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            runner.should_exit = True
            thread.join()
