"""Who asks: clients register, get tokens, and are known by them."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import logging
import math
import time
from collections.abc import Callable, Sequence
from functools import lru_cache

import msgspec
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from purport.client.messages import RegisterMessage, RegisterRequest
from purport.errors import InvalidInput
from purport.service.brake import Brake
from purport.service.credentials import Credentials
from purport.service.places import place_of
from purport.service.problems import Refused
from purport.service.settings import Authentication, Identity, ServiceSettings
from purport.service.signing_keys import new_key, signing_keys
from purport.service.tokens import Tokens

_LOG = logging.getLogger("purport.service")
_GRANT = "client_credentials"
_AT_ONCE = 4  # secrets that are looked at; each of them takes a processor and 16 MB for a while
_REMEMBERED = 10_000  # tokens of those who hear something
_NEVER_KEPT = {"Cache-Control": "no-store", "Pragma": "no-cache"}


class _Known:
    """Who is known, by the settings that hold."""

    def __init__(
        self, settings: Authentication, keys: Sequence[bytes], clock: Callable[[], float]
    ) -> None:
        self.settings, self.key = settings, keys[0]  # that signs
        self.tokens = Tokens(settings, keys, clock)
        self._until = lru_cache(_REMEMBERED)(self._read_until)

    def is_still(self, name: str, token: str) -> bool:
        """Whether this is a token of somebody, and its time is not over."""
        return not self.tokens.is_past(self._until(name, token))

    def _read_until(self, name: str, token: str) -> float:
        try:
            found, until = self.tokens.read(_bare(token))
        except Refused:
            return -math.inf
        return until if found == name else -math.inf

    def identity(self, name: str | None) -> Identity | None:
        return next((one for one in self.settings.identities if one.name == name), None)


class Auth:
    """Knows who asks by their tokens, and gives these to clients that have registered."""

    def __init__(self, settings: ServiceSettings, clock: Callable[[], float] = time.time) -> None:
        folder = settings.broker.kept_in
        self._clock = clock
        self._folder, self._fleeting_key = folder, new_key()
        self._credentials = Credentials(folder / "clients.json" if folder else None)
        self._brake = Brake()
        self._checking = asyncio.Semaphore(_AT_ONCE)
        self._known = self._known_by(settings.auth)

    def take(self, settings: Authentication) -> None:
        """Have other settings hold from now on; nothing changes if one of them is wrong."""
        self._known = self._known_by(settings)

    def _known_by(self, settings: Authentication) -> _Known:
        needed = settings.signing_keys or (settings.identities and self._folder)
        keys = signing_keys(settings.signing_keys, self._folder) if needed else ()
        return _Known(settings, keys or (self._fleeting_key,), self._clock)

    async def who(self, connection: HTTPConnection) -> str | None:
        """Who has sent a request, by its header; `Refused` if nobody is let in without a token."""
        header = connection.headers.get("authorization", "")
        return self.who_of(header or None)

    def who_of(self, token: str | None) -> str | None:
        """Whose token this is, with or without `Bearer` before it."""
        known = self._known
        if not known.settings.is_on:
            return None
        if token is None or not token.strip():
            if known.settings.is_required:
                raise Refused(401, "unauthorized", "a token is needed: Authorization: Bearer ...")
            return None
        return known.tokens.name(_bare(token))

    def lets_in(self, name: str | None, token: str | None) -> bool:
        """Whether somebody whom a token has let in would still be."""
        known = self._known
        if name is None or token is None or not known.settings.is_on:
            return not known.settings.is_required
        return known.is_still(name, token)

    def routes(self) -> list[BaseRoute]:
        """Where clients register, and where they get tokens."""
        return [
            Route("/oauth/register", self._register, methods=["POST"]),
            Route("/oauth/token", self._token, methods=["POST"]),
        ]

    async def _register(self, request: Request) -> Response:
        address = _address(request)
        async with self._checking:  # or else many who guess at the same time would not wait
            self._require_patience(address)
            wish, known = _wish(await request.body()), self._known
            identity = known.identity(wish.client_identity)
            if identity is None or identity.disabled:
                self._brake.fail(address)
                raise Refused(403, "unauthorized_client", "this identity may not register here")
            if _GRANT not in wish.grant_types:
                raise Refused(400, "unsupported_grant_type", f"expected the grant type {_GRANT}")
            made = await asyncio.to_thread(
                self._credentials.register, identity.name, again=identity.register_again
            )
            if made is None:
                self._brake.fail(address)
                raise Refused(
                    403, "unauthorized_client",
                    "this identity has registered already, and may not do so again",
                )  # fmt: skip
        client, secret = made
        _LOG.info("%r has registered as a client", identity.name)
        signature = hmac.new(known.key, client.encode(), hashlib.sha256).hexdigest()
        told = {"client_id": client, "client_secret": secret, "signature": signature}
        return _answer({"credentials": told})

    async def _token(self, request: Request) -> Response:
        client, secret = _basic(request)
        address = _address(request)
        concerned = f"client {client} from {address}"  # no other client has to wait for this one
        async with self._checking:
            self._require_patience(concerned)
            name = await asyncio.to_thread(self._credentials.identity, client, secret)
            known = self._known
            if name is None:
                self._brake.fail(concerned)
                _LOG.warning("a wrong client id or secret was told from %s", address)
            else:
                self._brake.release(concerned)
        identity = known.identity(name)
        if identity is None:
            raise Refused(401, "invalid_client", "no client has this id and secret")
        if identity.disabled:
            raise Refused(403, "unauthorized_client", "this client may not come in any more")
        token, lifetime = known.tokens.made(identity.name)
        told = {"access_token": token, "token_type": "bearer", "expires_in": lifetime}
        return _answer({"token": told, **told})  # clients look for it in either place

    def _require_patience(self, concerned: str) -> None:
        seconds = self._brake.wait(concerned)
        if seconds > 0:
            after = math.ceil(seconds)
            raise Refused(
                429, "too_many_requests", f"too many failures: wait {after} s", retry_seconds=after
            )


def _bare(token: str) -> str:
    """A token without the word that stands before it in a header."""
    scheme, _, rest = token.strip().partition(" ")
    if rest and scheme.lower() != "bearer":
        raise Refused(401, "invalid_token", "expected a Bearer token")
    return rest.strip() or scheme


def _wish(body: bytes) -> RegisterMessage:
    try:
        return msgspec.json.decode(body, type=RegisterRequest).register
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidInput(
            f'expected {{"register": {{"client_identity": ..., "grant_types": ["{_GRANT}"]}}}}: '
            f"{error}"
        ) from None


def _basic(request: Request) -> tuple[str, str]:
    """The client id and the secret of a request."""
    scheme, _, rest = request.headers.get("authorization", "").partition(" ")
    try:
        if scheme.lower() != "basic":
            raise ValueError
        client, colon, secret = (
            base64.b64decode(rest.strip(), validate=True).decode().partition(":")
        )
        if not colon:
            raise ValueError
    except (ValueError, binascii.Error):
        raise Refused(
            401, "invalid_client", "expected Authorization: Basic, of client id and secret"
        ) from None
    return client, secret


def _address(request: Request) -> str:
    return place_of(request.client and request.client.host)


def _answer(told: dict[str, object]) -> Response:
    body = msgspec.json.encode(told)
    return Response(body, 201, _NEVER_KEPT, media_type="application/json")
